// Direct 3x3 convolution, NCHW, stride 1, zero padding 1, one output element a thread.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(w, 16), ceil_div(h, 16), batch * outputs), block(16, 16),
                in(x[batch * channels * h * w]), in(weight[outputs * channels * 9]), out(y[batch * outputs * h * w]),
                shape(batch = 16, channels = 64, outputs = 64, h = 56, w = 56),
                shape(batch = 2, channels = 3, outputs = 16, h = 224, w = 224),
                shape(batch = 1, channels = 2, outputs = 3, h = 5, w = 7), tolerance(rel = 1e-3), allow(reassociate))
__global__ void conv2d(const float* x, const float* weight, float* y, int batch, int channels, int outputs, int h, int w) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int o = blockIdx.z % outputs;
  int b = blockIdx.z / outputs;
  if (col >= w || row >= h) return;
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        int yy = row + dy, xx = col + dx;
        if (yy >= 0 && yy < h && xx >= 0 && xx < w)
          sum += x[((b * channels + c) * h + yy) * w + xx] * weight[((o * channels + c) * 3 + dy + 1) * 3 + dx + 1];
      }
  y[((b * outputs + o) * h + row) * w + col] = sum;
}

extern "C" void launch_conv2d(const float* x, const float* weight, float* y, int batch, int channels, int outputs, int h, int w) {
  conv2d<<<dim3((w + 15) / 16, (h + 15) / 16, batch * outputs), dim3(16, 16)>>>(x, weight, y, batch, channels, outputs, h, w);
}
