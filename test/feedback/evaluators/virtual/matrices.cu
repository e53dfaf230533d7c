// REQUIRES: nvcc
// Products of matrices by the lanes of a warp, and how rows of shared memory are dealt out to them. Each kernel checks itself
// against sums over its own matrices and prints what is wrong.
//
// RUN: echo '[{"name": "wmmaHalf", "grid": [1], "block": [32]}, {"name": "wmmaBytes", "grid": [1], "block": [32]},' > %t.json
// RUN: echo ' {"name": "wmmaDouble", "grid": [1], "block": [32]}, {"name": "wmmaTf32", "grid": [1], "block": [32]},' >> %t.json
// RUN: echo ' {"name": "halves16", "grid": [1], "block": [32]}, {"name": "halves8", "grid": [1], "block": [32]},' >> %t.json
// RUN: echo ' {"name": "bytes", "grid": [1], "block": [32]}, {"name": "rows", "grid": [1], "block": [32]},' >> %t.json
// RUN: echo ' {"name": "prints", "grid": [1], "block": [32]}]' >> %t.json
// RUN: %warpwright run %s --launches %t.json --output %t.out -- -arch=sm_90
// RUN: FileCheck %s < %t.out
//
// CHECK: "name": "wmmaHalf"
// CHECK-NOT: "printed"
// CHECK: "name": "prints"
// CHECK: "printed": "line {{[0-9]+}}: lane 3\n"
//
// A warp that lacks lanes is said to.
// RUN: echo '[{"name": "wmmaHalf", "grid": [1], "block": [16]}]' > %t.few.json
// RUN: not %warpwright run %s --launches %t.few.json --output %t.few -- -arch=sm_90 2>&1 | FileCheck --check-prefix=FEW %s
// FEW: error: thread (0,0,0) of block (0,0,0) takes part in a matrix operation without all other lanes of its warp [wrong-warp-mask]
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

#define CHECK(condition)                                                                                               \
  if (!(condition)) printf("line %d: lane %d\n", __LINE__, int(threadIdx.x))

template <typename T> __device__ T entry(int row, int column, int salt) {
  return T((row * 7 + column * 3 + salt) % 11 - 5);
}

template <typename T> __device__ void fill(T *matrix, int rows, int columns, int salt, bool byColumns = false) {
  for (int i = threadIdx.x; i < rows * columns; i += 32) {
    int row = i / columns, column = i % columns;
    matrix[byColumns ? column * rows + row : i] = entry<T>(row, column, salt);
  }
  __syncwarp();
}

__device__ double sum(int row, int column, int k, int first = 1, int second = 2) {
  double result = 0;
  for (int i = 0; i < k; ++i) result += entry<double>(row, i, first) * entry<double>(i, column, second);
  return result;
}

__global__ void wmmaHalf() {
  __shared__ half a[16 * 16], b[16 * 16];
  __shared__ float c[16 * 16], d[16 * 20];
  fill(a, 16, 16, 1);
  fill(b, 16, 16, 2, true);
  fill(c, 16, 16, 3);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::load_matrix_sync(sums, c, 16, wmma::mem_row_major);
  wmma::mma_sync(sums, left, right, sums);
  for (int i = 0; i < sums.num_elements; ++i) sums.x[i] *= 2;
  wmma::store_matrix_sync(d, sums, 20, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    CHECK(d[i / 16 * 20 + i % 16] == 2 * (sum(i / 16, i % 16, 16) + entry<double>(i / 16, i % 16, 3)));
}

__global__ void wmmaBytes() {
  __shared__ signed char a[32 * 16], b[16 * 8];
  __shared__ int d[32 * 8];
  fill(a, 32, 16, 1);
  fill(b, 16, 8, 2);
  wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> sums;
  wmma::fill_fragment(sums, 100);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 8);
  wmma::mma_sync(sums, left, right, sums);
  wmma::store_matrix_sync(d, sums, 32, wmma::mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) CHECK(d[i] == 100 + sum(i % 32, i / 32, 16));
}

__global__ void wmmaDouble() {
  __shared__ double a[8 * 4], b[4 * 8], d[8 * 8];
  fill(a, 8, 4, 1);
  fill(b, 4, 8, 2);
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sums;
  wmma::fill_fragment(sums, 0.5);
  wmma::load_matrix_sync(left, a, 4);
  wmma::load_matrix_sync(right, b, 8);
  wmma::mma_sync(sums, left, right, sums);
  wmma::store_matrix_sync(d, sums, 8, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 64; i += 32) CHECK(d[i] == 0.5 + sum(i / 8, i % 8, 4));
}

__global__ void wmmaTf32() {
  __shared__ float a[16 * 8], b[8 * 16], d[16 * 16];
  fill(a, 16, 8, 1);
  fill(b, 8, 16, 2);
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  wmma::load_matrix_sync(left, a, 8);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sums, left, right, sums);
  wmma::store_matrix_sync(d, sums, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) CHECK(d[i] == sum(i / 16, i % 16, 8));
}

__device__ unsigned pair(int rowA, int columnA, int rowB, int columnB, int salt) {
  half2 both = __floats2half2_rn(entry<float>(rowA, columnA, salt), entry<float>(rowB, columnB, salt));
  return reinterpret_cast<unsigned &>(both);
}

// Fragments as PTX lays them out: groups of four lanes.
__global__ void halves16() {
  int group = threadIdx.x / 4, two = threadIdx.x % 4 * 2;
  unsigned a[4] = {pair(group, two, group, two + 1, 1), pair(group + 8, two, group + 8, two + 1, 1),
                   pair(group, two + 8, group, two + 9, 1), pair(group + 8, two + 8, group + 8, two + 9, 1)};
  unsigned b[2] = {pair(two, group, two + 1, group, 2), pair(two + 8, group, two + 9, group, 2)};
  float d[4];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(1.0f));
  CHECK(d[0] == 1 + sum(group, two, 16));
  CHECK(d[1] == 1 + sum(group, two + 1, 16));
  CHECK(d[2] == 1 + sum(group + 8, two, 16));
  CHECK(d[3] == 1 + sum(group + 8, two + 1, 16));
}

__global__ void halves8() {
  int group = threadIdx.x / 4, two = threadIdx.x % 4 * 2;
  unsigned d[2], zero = 0;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%5,%5};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(pair(group, two, group, two + 1, 1)), "r"(pair(group + 8, two, group + 8, two + 1, 1)),
                 "r"(pair(two, group, two + 1, group, 2)), "r"(zero));
  float2 upper = __half22float2(reinterpret_cast<half2 &>(d[0])), lower = __half22float2(reinterpret_cast<half2 &>(d[1]));
  CHECK(upper.x == sum(group, two, 8) && upper.y == sum(group, two + 1, 8));
  CHECK(lower.x == sum(group + 8, two, 8) && lower.y == sum(group + 8, two + 1, 8));
}

__global__ void bytes() {
  int group = threadIdx.x / 4, four = threadIdx.x % 4 * 4;
  auto word = [](int row, int column, int down, int right, int salt) {
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i)
      bits |= unsigned(entry<int>(row + i * down, column + i * right, salt) & 255) << 8 * i;
    return bits;
  };
  unsigned a[4] = {word(group, four, 0, 1, 1), word(group + 8, four, 0, 1, 1), word(group, four + 16, 0, 1, 1),
                   word(group + 8, four + 16, 0, 1, 1)};
  unsigned b[2] = {word(four, group, 1, 0, 2), word(four + 16, group, 1, 0, 2)};
  int d[4];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(-3));
  int two = threadIdx.x % 4 * 2;
  CHECK(d[0] == -3 + sum(group, two, 32) && d[1] == -3 + sum(group, two + 1, 32));
  CHECK(d[2] == -3 + sum(group + 8, two, 32) && d[3] == -3 + sum(group + 8, two + 1, 32));
}

__global__ void rows() {
  __shared__ __align__(16) unsigned short values[32 * 8], back[16 * 8];
  int lane = threadIdx.x, row = lane / 4, two = lane % 4 * 2;
  for (int i = lane; i < 256; i += 32) values[i] = i;
  __syncwarp();
  unsigned place = __cvta_generic_to_shared(values + lane * 8);
  unsigned a, b, c, d, e, f;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(place));
  unsigned first = row * 8 + two, step = 64 << 16 | 64;
  CHECK(a == ((first + 1) << 16 | first) && b == a + step && c == b + step && d == c + step);
  unsigned half = __cvta_generic_to_shared(values + lane % 16 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(e), "=r"(f) : "r"(half));
  unsigned across = two * 8 + row;
  CHECK(e == ((across + 8) << 16 | across) && f == e + step);
  unsigned turned;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(a));
  CHECK(turned == e);
  unsigned target = __cvta_generic_to_shared(back + lane % 16 * 8);
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(target), "r"(a), "r"(b) : "memory");
  __syncwarp();
  for (int i = lane; i < 128; i += 32) CHECK(back[i] == i);
}

__global__ void prints() { CHECK(threadIdx.x != 3); }
