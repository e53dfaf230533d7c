// Scaled dot-product attention, head dimension 64, one block for 32 queries of a head; running softmax.
// The score tile is read along columns, one bank a column.  seq is a multiple of 32.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(seq / 32, heads), block(32, 8), require(seq % 32 == 0),
                in(q[heads * seq * 64]), in(k[heads * seq * 64]), in(v[heads * seq * 64]), out(o[heads * seq * 64]),
                shape(heads = 64, seq = 512), shape(heads = 16, seq = 2048), shape(heads = 2, seq = 64),
                init(q, normal(0, 1)), init(k, normal(0, 1)), init(v, normal(0, 1)), tolerance(rel = 1e-3), allow(reassociate))
__global__ void attention(const float* q, const float* k, const float* v, float* o, int heads, int seq) {
  __shared__ float qs[32][64];
  __shared__ float ks[32][64];
  __shared__ float vs[32][64];
  __shared__ float score[32][32];
  __shared__ float largest[32], total[32], rescale[32];
  int tx = threadIdx.x, ty = threadIdx.y;
  const float* qh = q + (blockIdx.y * seq + blockIdx.x * 32) * 64;
  const float* kh = k + blockIdx.y * seq * 64;
  const float* vh = v + blockIdx.y * seq * 64;
  for (int i = ty; i < 32; i += 8)
    for (int d = tx; d < 64; d += 32) qs[i][d] = qh[i * 64 + d];
  if (ty == 0) {
    largest[tx] = -1e30f;
    total[tx] = 0.0f;
  }
  float acc[8] = {0, 0, 0, 0, 0, 0, 0, 0};  // query tx, output dimensions ty * 8 .. ty * 8 + 7
  for (int t = 0; t < seq; t += 32) {
    __syncthreads();
    for (int i = ty; i < 32; i += 8)
      for (int d = tx; d < 64; d += 32) {
        ks[i][d] = kh[(t + i) * 64 + d];
        vs[i][d] = vh[(t + i) * 64 + d];
      }
    __syncthreads();
    for (int j = ty; j < 32; j += 8) {
      float s = 0.0f;
      for (int d = 0; d < 64; ++d) s += qs[tx][d] * ks[j][d];
      score[tx][j] = s * 0.125f;
    }
    __syncthreads();
    if (ty == 0) {
      float m = largest[tx];
      for (int j = 0; j < 32; ++j) m = fmaxf(m, score[tx][j]);
      rescale[tx] = __expf(largest[tx] - m);
      float sum = 0.0f;
      for (int j = 0; j < 32; ++j) {
        score[tx][j] = __expf(score[tx][j] - m);
        sum += score[tx][j];
      }
      total[tx] = total[tx] * rescale[tx] + sum;
      largest[tx] = m;
    }
    __syncthreads();
    for (int e = 0; e < 8; ++e) {
      float a = acc[e] * rescale[tx];
      for (int j = 0; j < 32; ++j) a += score[tx][j] * vs[j][ty * 8 + e];
      acc[e] = a;
    }
  }
  float* oh = o + (blockIdx.y * seq + blockIdx.x * 32) * 64;
  for (int e = 0; e < 8; ++e) oh[tx * 64 + ty * 8 + e] = acc[e] / total[tx];
}

extern "C" void launch_attention(const float* q, const float* k, const float* v, float* o, int heads, int seq) {
  attention<<<dim3(seq / 32, heads), dim3(32, 8)>>>(q, k, v, o, heads, seq);
}
