// Sum of n floats: one element a thread, interleaved tree in shared memory, one atomic a block.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), inout(out[1]), init(in, uniform(0, 1)), init(out, zeros),
                shape(n = 134217728), shape(n = 1048576), shape(n = 1000), shape(n = 7),
                tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void reduce_sum(const float* in, float* out, int n) {
  __shared__ float partial[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}

extern "C" void launch_reduce_sum(const float* in, float* out, int n) {
  reduce_sum<<<(n + 255) / 256, 256>>>(in, out, n);
}
