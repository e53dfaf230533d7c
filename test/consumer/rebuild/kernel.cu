#include "kernel.h"
static __device__ float scale = 2.0f;
__global__ void kernel(float *p) { p[threadIdx.x] += scale * OFFSET; }
