// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --rules host-pointer-argument %s
// Memory of the host that is registered is memory of a device as well, and so is all of it where the device reads pageable
// memory.
#include <cstdlib>
__global__ void clear(float *x) { x[threadIdx.x] = 0; }
int main() {
  float *x = (float *)malloc(128);
  if (cudaHostRegister(x, 128, cudaHostRegisterDefault) == cudaSuccess)
    clear<<<1, 32>>>(x);
  return cudaDeviceSynchronize();
}
