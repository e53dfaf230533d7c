#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(table[size]), in(index[n]), out(out[n]),
                init(index, integers(0, size - 1)), shape(n = 65536, size = 4096), shape(n = 1000, size = 300),
                shape(n = 77, size = 77), require(size > 0), allow(launch_change))
__global__ void gather(const float *table, const int *index, float *out, int n, int size) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
    out[i] = table[index[i]];
}

//! reject wrong-output: indices of eight bits, right for small tables
__global__ void gather_bytes(const float *table, const int *index, float *out, int n, int size) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
    out[i] = table[static_cast<unsigned char>(index[i]) % size];
}
//! reject wrong-output: the last entry of the table is never taken
__global__ void gather_clamped(const float *table, const int *index, float *out, int n, int size) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
    out[i] = table[min(index[i], max(size - 2, 0))];
}
//! reject out-of-bounds: the guard lets one thread too many through
__global__ void gather_guard(const float *table, const int *index, float *out, int n, int size) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i <= n)
    out[i] = table[index[i]];
}
//! reject block-race unwritten-output wrong-output shared-race out-of-bounds: scatters instead
__global__ void gather_scatters(const float *table, const int *index, float *out, int n, int size) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n && index[i] < n && i < size)
    out[index[i]] = table[i];
}
//! reject wrong-output: four outputs a thread by the index of the first
//! steps [{"launch": "gather_shared_index", "grid": ["ceil_div(n, 512)"]}]
__global__ void gather_shared_index(const float *table, const int *index, float *out, int n, int size) {
  int i = (blockIdx.x * 128 + threadIdx.x) * 4;
  for (int j = 0; j < 4 && i + j < n; ++j)
    out[i + j] = table[(index[i] + j) % size];
}
//! accept: four outputs a thread
//! steps [{"launch": "gather_four", "grid": ["ceil_div(n, 512)"]}]
__global__ void gather_four(const float *__restrict__ table, const int *__restrict__ index, float *__restrict__ out,
                            int n, int size) {
  int i = (blockIdx.x * 128 + threadIdx.x) * 4;
  if (i + 4 <= n && reinterpret_cast<size_t>(index + i) % 16 == 0) {
    int4 four = *reinterpret_cast<const int4 *>(index + i);
    out[i] = table[four.x];
    out[i + 1] = table[four.y];
    out[i + 2] = table[four.z];
    out[i + 3] = table[four.w];
    return;
  }
  for (int j = i; j < i + 4 && j < n; ++j)
    out[j] = table[index[j]];
}
//! accept: a loop over the grid
//! steps [{"launch": "gather_strided", "grid": [2], "block": [96]}]
__global__ void gather_strided(const float *table, const int *index, float *out, int n, int size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = __ldg(&table[index[i]]);
}
