// The kernel of twice.cu with launches, of which some can be chosen on the host by n.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), out(out[n]), shape(n = 65536), shape(n = 1000),
                shape(n = 4096), allow(dispatch), forbid(bound-launch, vectorise-access, hoist-invariant-load))
__global__ void twice(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = in[i];
  out[i] = out[i] + in[i];
}

int next();

void launch(const float *in, float *out, unsigned count, bool wanted) {
  twice<<<(count + 255) / 256, 256>>>(in, out, count);
  if (wanted)
    twice<<<(count + 255) / 256, 256>>>(in, out, count);
  else
    twice<<<(count + 255) / 256, 256>>>(in, out, count), next();
}
