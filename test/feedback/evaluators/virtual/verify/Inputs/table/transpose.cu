#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(columns, 32), ceil_div(rows, 8)), block(32, 8), in(in[rows * columns]),
                out(out[columns * rows]), shape(rows = 2048, columns = 2048), shape(rows = 100, columns = 67),
                shape(rows = 32, columns = 256), allow(launch_change))
__global__ void transpose(const float *in, float *out, int rows, int columns) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < columns && y < rows)
    out[x * rows + y] = in[y * columns + x];
}

template <int Pad, bool Barrier, bool Swap, int Lines>
__device__ void tiled(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[32][32 + Pad];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < columns && y + j < rows)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
  if (Barrier)
    __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < Lines; j += 8)
    if (x < rows && y + j < columns)
      out[(y + j) * rows + x] = Swap ? tile[threadIdx.x][threadIdx.y + j] : tile[threadIdx.y + j][threadIdx.x];
}

//! accept: through a tile in shared memory
//! steps [{"launch": "transpose_tiled", "grid": ["ceil_div(columns, 32)", "ceil_div(rows, 32)"]}]
__global__ void transpose_tiled(const float *in, float *out, int rows, int columns) {
  tiled<0, true, true, 32>(in, out, rows, columns);
}
//! accept: through a padded tile
//! steps [{"launch": "transpose_padded", "grid": ["ceil_div(columns, 32)", "ceil_div(rows, 32)"]}]
__global__ void transpose_padded(const float *in, float *out, int rows, int columns) {
  tiled<1, true, true, 32>(in, out, rows, columns);
}
//! reject shared-race: the barrier between writing and reading the tile is lost
//! steps [{"launch": "transpose_no_barrier", "grid": ["ceil_div(columns, 32)", "ceil_div(rows, 32)"]}]
__global__ void transpose_no_barrier(const float *in, float *out, int rows, int columns) {
  tiled<1, false, true, 32>(in, out, rows, columns);
}
//! reject wrong-output uninitialised-read: blocks move, elements within them do not
//! steps [{"launch": "transpose_blocks", "grid": ["ceil_div(columns, 32)", "ceil_div(rows, 32)"]}]
__global__ void transpose_blocks(const float *in, float *out, int rows, int columns) {
  tiled<1, true, false, 32>(in, out, rows, columns);
}
//! reject unwritten-output: the last eight lines of a tile are left out
//! steps [{"launch": "transpose_three_quarters", "grid": ["ceil_div(columns, 32)", "ceil_div(rows, 32)"]}]
__global__ void transpose_three_quarters(const float *in, float *out, int rows, int columns) {
  tiled<1, true, true, 24>(in, out, rows, columns);
}
//! reject unwritten-output: four times too few blocks, which no shape up to 8 rows would show
//! steps [{"launch": "transpose_few_blocks", "grid": ["grid.x", "ceil_div(rows, 32)"]}]
__global__ void transpose_few_blocks(const float *in, float *out, int rows, int columns) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < columns && y < rows)
    out[x * rows + y] = in[y * columns + x];
}
//! reject wrong-output: copies
__global__ void transpose_copies(const float *in, float *out, int rows, int columns) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < columns && y < rows)
    out[y * columns + x] = in[y * columns + x];
}
//! reject wrong-output unwritten-output out-of-bounds block-race: right for squares
__global__ void transpose_square(const float *in, float *out, int rows, int columns) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < columns && y < rows)
    out[x * columns + y] = in[y * columns + x];
}
//! reject out-of-bounds wrong-output block-race: right where blocks divide both extents
__global__ void transpose_unguarded(const float *in, float *out, int rows, int columns) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * rows + y] = in[y * columns + x];
}
//! reject wrong-output: a constant
__global__ void transpose_zero(const float *in, float *out, int rows, int columns) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < columns && y < rows)
    out[x * rows + y] = 0;
}
//! reject misaligned-access out-of-bounds: vector stores of what need not be aligned
//! steps [{"launch": "transpose_vector", "grid": ["ceil_div(columns, 32)", "ceil_div(rows, 32)"]}]
__global__ void transpose_vector(const float *in, float *out, int rows, int columns) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y * 4;
  if (x >= columns || y + 3 >= rows) {
    for (int j = 0; j < 4; ++j)
      if (x < columns && y + j < rows)
        out[x * rows + y + j] = in[(y + j) * columns + x];
    return;
  }
  const float *from = in + y * columns + x;
  *reinterpret_cast<float4 *>(out + x * rows + y) =
      make_float4(from[0], from[columns], from[2 * columns], from[3 * columns]);
}
//! accept: neighbours in the output instead of neighbours in the input
//! steps [{"launch": "transpose_by_output", "grid": ["ceil_div(rows, 32)", "ceil_div(columns, 8)"]}]
__global__ void transpose_by_output(const float *__restrict__ in, float *__restrict__ out, int rows, int columns) {
  int y = blockIdx.x * 32 + threadIdx.x, x = blockIdx.y * 8 + threadIdx.y;
  if (x < columns && y < rows)
    out[x * rows + y] = in[y * columns + x];
}
//! accept: a loop over the grid
//! steps [{"launch": "transpose_strided", "grid": [3], "block": [128]}]
__global__ void transpose_strided(const float *in, float *out, int rows, int columns) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns; i += gridDim.x * blockDim.x)
    out[i] = in[i % rows * columns + i / rows];
}
//! reject wrong-output unwritten-output: the index is kept in 16 bits
//! steps [{"launch": "transpose_short", "grid": ["ceil_div(rows * columns, 128)"], "block": [128]}]
__global__ void transpose_short(const float *in, float *out, int rows, int columns) {
  unsigned short i = static_cast<unsigned short>((blockIdx.x * blockDim.x + threadIdx.x) & 8191);
  if (i < rows * columns)
    out[i] = in[i % rows * columns + i / rows];
}
