#include <warpwright/annotate.h>
KERNEL_OPTIMIZE(block(32), inout(p[32]))
__global__ void secondKernel(float *p) { p[threadIdx.x] += 1.0f; }
