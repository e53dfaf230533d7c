// A kernel that the stub driver can run: out = 2 in, written so that two rewriters have something to say.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), out(out[n]), shape(n = 65536), shape(n = 1000),
                shape(n = 4096))
__global__ void twice(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = in[i];
  out[i] = out[i] + in[i];
}
