// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --rules unchecked-api-call,unchecked-launch %s
__global__ void clear(float *x) { x[threadIdx.x] = 0; }

// A file that looks at no error has one note of a function, not one of a line.
int main() {
  float *x;
  cudaMalloc(&x, 128); // finding: unchecked-api-call: 'main' checks none of its 3 calls of the CUDA API
  clear<<<1, 32>>>(x); // finding: unchecked-launch: nothing reads an error of the 2 launches in 'main'
  cudaDeviceSynchronize();
  clear<<<1, 32>>>(x);
  cudaFree(x);
}
