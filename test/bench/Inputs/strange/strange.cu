// Kernels of features that are rarely met together, each with what it must give. Without a name all are run that end well; with one
// that alone, and "list" names them. Each says "NAME: ok", or where its first difference is. The last ones end otherwise.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cg = cooperative_groups;
using ull = unsigned long long;

template <typename T> struct Array {
  explicit Array(size_t n, std::function<T(size_t)> init = [](size_t) { return T(); }) : host(n) {
    for (size_t i = 0; i < n; ++i) host[i] = init(i);
    cudaMalloc(&device, n * sizeof(T));
    cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Array() { cudaFree(device); }
  std::vector<T> &get() {
    cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }
  operator T *() { return device; }
  std::vector<T> host;
  T *device;
};

std::string wrong;
template <typename T, typename U> void same(const char *what, size_t i, T got, U expected) {
  if (!(double(got) == double(expected)) && wrong.empty())
    wrong = std::string(what) + "[" + std::to_string(i) + "] is " + std::to_string(double(got)) + ", not " + std::to_string(double(expected));
}

// ---- cooperative groups

__global__ void tiles(int *out) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  int value = threadIdx.x * threadIdx.x;
  for (int i = tile.size() / 2; i > 0; i /= 2) value += tile.shfl_xor(value, i);
  out[threadIdx.x] = value * 1000 + tile.meta_group_rank();
}
void testTiles() {
  Array<int> out(96);
  tiles<<<1, 96>>>(out);
  for (int i = 0; i < 96; ++i) {
    int sum = 0, first = i / 4 * 4;
    for (int j = first; j < first + 4; ++j) sum += j * j;
    same("out", i, out.get()[i], sum * 1000 + i / 4);
  }
}

__global__ void coalesced(int *counts, int *ranks) {
  if (threadIdx.x % 3 == 1) {
    auto group = cg::coalesced_threads();
    int base = 0;
    if (group.thread_rank() == 0) base = atomicAdd(counts, group.size());
    ranks[threadIdx.x] = group.shfl(base, 0) * 0 + group.thread_rank() * 100 + group.size();
  }
}
void testCoalesced() {
  Array<int> counts(1), ranks(64);
  coalesced<<<1, 64>>>(counts, ranks);
  same("count", 0, counts.get()[0], 21);
  int rank[2] = {}, size[2] = {};
  for (int i = 0; i < 64; ++i) size[i / 32] += i % 3 == 1;
  for (int i = 0; i < 64; ++i) same("rank", i, ranks.get()[i], i % 3 == 1 ? 100 * rank[i / 32]++ + size[i / 32] : 0);
}

__global__ void partitions(int *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto labelled = cg::labeled_partition(warp, int(threadIdx.x % 5));
  auto binary = cg::binary_partition(warp, threadIdx.x % 7 < 2);
  int a = cg::reduce(labelled, int(threadIdx.x), cg::plus<int>());
  int b = cg::reduce(binary, int(threadIdx.x), cg::greater<int>());
  int c = cg::exclusive_scan(warp, int(threadIdx.x));
  out[threadIdx.x] = a * 1000000 + b * 10000 + c;
}
void testPartitions() {
  Array<int> out(32);
  partitions<<<1, 32>>>(out);
  for (int i = 0; i < 32; ++i) {
    int a = 0, b = 0, c = 0;
    for (int j = 0; j < 32; ++j) {
      a += j % 5 == i % 5 ? j : 0;
      b = (j % 7 < 2) == (i % 7 < 2) && j > b ? j : b;
      c += j < i ? j : 0;
    }
    same("out", i, out.get()[i], a * 1000000 + b * 10000 + c);
  }
}

// ---- barriers

__global__ void named(int *out) {
  __shared__ int box[64];
  if (threadIdx.x < 64) {
    box[threadIdx.x] = threadIdx.x * 3;
    asm volatile("bar.arrive 1, 128;" ::: "memory");
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[threadIdx.x] = 7;
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[threadIdx.x] = box[127 - threadIdx.x];
  }
}
void testNamed() {
  Array<int> out(128);
  named<<<1, 128>>>(out);
  for (int i = 0; i < 128; ++i) same("out", i, out.get()[i], i < 64 ? 7 : (127 - i) * 3);
}

__global__ void votes(int *out) {
  int t = threadIdx.x;
  if (t >= 90) return; // who is gone counts as come
  int count = __syncthreads_count(t % 3 == 0);
  int all = __syncthreads_and(t < 90), none = __syncthreads_or(t == 95);
  out[t] = count * 100 + (all != 0) * 10 + (none != 0);
}
void testVotes() {
  Array<int> out(96);
  votes<<<1, 96>>>(out);
  for (int i = 0; i < 90; ++i) same("out", i, out.get()[i], 3010);
}

__global__ void handOver(volatile int *out) {
  __shared__ volatile int flag, data;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    data = 42;
    __threadfence_block();
    flag = 1;
  }
  if (threadIdx.x == 0) {
    while (flag == 0) {
    }
    __threadfence_block();
    out[0] = data;
  }
}
void testHandOver() {
  Array<int> out(1);
  handOver<<<1, 64>>>(out);
  same("out", 0, out.get()[0], 42);
}

__device__ unsigned finished = 0;
__global__ void lastBlock(const int *in, int *parts, int *out) {
  __shared__ int sum;
  __shared__ bool isLast;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();
    isLast = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!isLast || threadIdx.x) return;
  __threadfence();
  int total = 0;
  for (int i = 0; i < int(gridDim.x); ++i) total += ((volatile int *)parts)[i];
  *out = total;
}
void testLastBlock() {
  Array<int> in(1000, [](size_t i) { return int(i); }), parts(10), out(1);
  for (int i = 0; i < 2; ++i) lastBlock<<<10, 100>>>(in, parts, out);
  same("out", 0, out.get()[0], 499500);
}

// ---- copies and matrices

__global__ void copies(const float4 *in, float4 *out, int n) {
  __shared__ float4 stage[2][32];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][t], &in[t], 16);
  __pipeline_commit();
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n) __pipeline_memcpy_async(&stage[(i + 1) % 2][t], &in[(i + 1) * 32 + t], 16, i == 1 ? 8 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = stage[i % 2][31 - t];
    out[i * 32 + t] = make_float4(v.w, v.z, v.y, v.x);
    __syncthreads();
  }
}
void testCopies() {
  auto value = [](size_t i) { return make_float4(i, i + .25f, i + .5f, i + .75f); };
  Array<float4> in(160, value), out(160);
  copies<<<1, 32>>>(in, out, 5);
  for (int i = 0; i < 160; ++i) {
    float4 v = value(i / 32 * 32 + 31 - i % 32), got = out.get()[i];
    if (i / 32 == 2) v.z = v.w = 0; // the last 8 bytes were to be zeros
    same("w", i, got.x, v.w);
    same("z", i, got.y, v.z);
    same("y", i, got.z, v.y);
    same("x", i, got.w, v.x);
  }
}

__global__ void loadMatrix(unsigned *plain, unsigned *turned) {
  __shared__ alignas(16) unsigned short box[32][8];
  for (int i = 0; i < 8; ++i) box[threadIdx.x][i] = threadIdx.x * 8 + i;
  __syncwarp();
  unsigned at = __cvta_generic_to_shared(box[threadIdx.x]), r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
  for (int i = 0; i < 4; ++i) plain[threadIdx.x * 4 + i] = r[i];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
  for (int i = 0; i < 4; ++i) turned[threadIdx.x * 4 + i] = r[i];
}
void testLoadMatrix() {
  Array<unsigned> plain(128), turned(128);
  loadMatrix<<<1, 32>>>(plain, turned);
  for (int t = 0; t < 32; ++t)
    for (int i = 0; i < 4; ++i) {
      auto at = [&](int row, int column) { return unsigned((i * 8 + row) * 8 + column); };
      int row = t / 4, column = t % 4 * 2;
      same("plain", t * 4 + i, plain.get()[t * 4 + i], at(row, column) | at(row, column + 1) << 16);
      same("turned", t * 4 + i, turned.get()[t * 4 + i], at(column, row) | at(column + 1, row) << 16);
    }
}

template <int M, int N> __global__ void halves(const __half *a, const __half *b, float *c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, M, N, 16, __half, row_major> left;
  fragment<matrix_b, M, N, 16, __half, col_major> right;
  fragment<accumulator, M, N, 16, float> sum;
  fill_fragment(sum, 1.f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  mma_sync(sum, left, right, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2;
  store_matrix_sync(c, sum, M, mem_col_major);
}
template <int M, int N> void testHalves() {
  auto value = [](size_t i) { return __float2half(float(int(i * 7 % 11) - 5)); };
  Array<__half> a(M * 16, value), b(16 * N, value);
  Array<float> c(M * N);
  halves<M, N><<<1, 32>>>(a, b, c);
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      float sum = 1;
      for (int k = 0; k < 16; ++k) sum += __half2float(a.host[m * 16 + k]) * __half2float(b.host[n * 16 + k]);
      same("c", n * M + m, c.get()[n * M + m], 2 * sum);
    }
}

__global__ void bytes(const signed char *a, const signed char *b, int *c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, signed char, col_major> left;
  fragment<matrix_b, 16, 16, 16, signed char, row_major> right;
  fragment<accumulator, 16, 16, 16, int> sum;
  fill_fragment(sum, 0);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
}
void testBytes() {
  auto value = [](size_t i) { return (signed char)(i * 37 % 256 - 128); };
  Array<signed char> a(256, value), b(256, value);
  Array<int> c(256);
  bytes<<<1, 32>>>(a, b, c);
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 16; ++n) {
      int sum = 0;
      for (int k = 0; k < 16; ++k) sum += a.host[k * 16 + m] * b.host[k * 16 + n];
      same("c", m * 16 + n, c.get()[m * 16 + n], sum);
    }
}

__global__ void products(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) {
  int t = threadIdx.x, row = t / 4, column = t % 4 * 2;
  auto pair = [](const __nv_bfloat16 *p, int first, int second) {
    return unsigned(__bfloat16_as_ushort(p[first])) | unsigned(__bfloat16_as_ushort(p[second])) << 16;
  };
  unsigned left[4], right[2];
  float d[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4; ++i) {
    int m = row + i % 2 * 8, k = column + i / 2 * 8;
    left[i] = pair(a, m * 16 + k, m * 16 + k + 1);
  }
  for (int i = 0; i < 2; ++i) right[i] = pair(b, (column + i * 8) * 8 + row, (column + i * 8 + 1) * 8 + row);
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
  for (int i = 0; i < 4; ++i) c[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
}
void testProducts() {
  auto value = [](size_t i) { return __float2bfloat16(float(int(i * 5 % 13) - 6)); };
  Array<__nv_bfloat16> a(256, value), b(128, value);
  Array<float> c(128);
  products<<<1, 32>>>(a, b, c);
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 8; ++n) {
      float sum = 0;
      for (int k = 0; k < 16; ++k) sum += __bfloat162float(a.host[m * 16 + k]) * __bfloat162float(b.host[k * 8 + n]);
      same("c", m * 8 + n, c.get()[m * 8 + n], sum);
    }
}

// ---- warps

__global__ void matches(unsigned *any, unsigned *all, int *agree) {
  int t = threadIdx.x;
  unsigned mask = __ballot_sync(~0u, t % 8 != 5);
  if (t % 8 == 5) return;
  any[t] = __match_any_sync(mask, (long long)(t * t % 9) << 33);
  all[t] = __match_all_sync(mask, t / 32, &agree[t]);
}
void testMatches() {
  Array<unsigned> any(32), all(32);
  Array<int> agree(32);
  matches<<<1, 32>>>(any, all, agree);
  for (int i = 0; i < 32; ++i) {
    unsigned expected = 0, mask = 0;
    for (int j = 0; j < 32; ++j)
      if (j % 8 != 5) {
        mask |= 1u << j;
        expected |= j * j % 9 == i * i % 9 ? 1u << j : 0;
      }
    same("any", i, any.get()[i], i % 8 == 5 ? 0 : expected);
    same("all", i, all.get()[i], i % 8 == 5 ? 0 : mask);
    same("agree", i, agree.get()[i], i % 8 == 5 ? 0 : 1);
  }
}

__global__ void reductions(unsigned *out) {
  int t = threadIdx.x;
  unsigned mask = t < 13 ? 0x1fff : ~0x1fffu;
  if (t < 13) {
    out[t] = __reduce_add_sync(mask, t + 1);
    out[32 + t] = __reduce_xor_sync(mask, 1u << t);
  } else {
    out[t] = __reduce_min_sync(mask, -t);
    out[32 + t] = __reduce_max_sync(mask, unsigned(t * 7 % 32));
  }
}
void testReductions() {
  Array<unsigned> out(64);
  reductions<<<1, 32>>>(out);
  for (int i = 0; i < 32; ++i) {
    same("first", i, out.get()[i], i < 13 ? 91u : unsigned(-31));
    same("second", i, out.get()[32 + i], i < 13 ? 0x1fffu : 30u);
  }
}

struct alignas(4) Three {
  __half x, y, z, w;
};
__global__ void shuffles(double *d, long long *l, float *h) {
  int t = threadIdx.x;
  d[t] = __shfl_up_sync(~0u, t * 1.5, 3, 8);
  l[t] = __shfl_down_sync(~0u, (long long)t << 40 | 1, 5, 16);
  __half2 pair = __shfl_xor_sync(~0u, __floats2half2_rn(t, -t), 9);
  h[t] = __low2float(pair) * 100 + __high2float(__shfl_sync(~0u, pair, t + 35));
}
void testShuffles() {
  Array<double> d(32);
  Array<long long> l(32);
  Array<float> h(32);
  shuffles<<<1, 32>>>(d, l, h);
  for (int i = 0; i < 32; ++i) {
    same("d", i, d.get()[i], (i % 8 < 3 ? i : i - 3) * 1.5);
    long long source = i % 16 + 5 < 16 ? i + 5 : i;
    same("l", i, l.get()[i] == (source << 40 | 1), true);
    same("h", i, h.get()[i], (i ^ 9) * 100 - (((i + 35) % 32) ^ 9));
  }
}

__global__ void leaving(unsigned *out) {
  unsigned left = ~0u;
  for (int i = 0;; ++i) {
    if (int(threadIdx.x) < i * 5) break;
    left = __ballot_sync(__activemask(), 1);
    out[i * 32 + threadIdx.x] = left;
    if (i == 5) break;
  }
}
void testLeaving() {
  Array<unsigned> out(192);
  leaving<<<1, 32>>>(out);
  for (int i = 0; i < 6; ++i)
    for (int t = 0; t < 32; ++t) same("out", i * 32 + t, out.get()[i * 32 + t], t < i * 5 ? 0 : ~0u << i * 5);
}

// ---- atomics

__global__ void numbers(ull *out, double *d, float *f) {
  __shared__ ull wide;
  __shared__ unsigned word, low;
  __shared__ double sum;
  __shared__ float exchanged;
  __shared__ __half2 pair;
  if (threadIdx.x == 0) wide = 5, word = 0xff, low = 1000, sum = 0, exchanged = -1, pair = __floats2half2_rn(0, 0);
  __syncthreads();
  int t = threadIdx.x;
  atomicMax(&wide, ull(t) << 36);
  atomicAnd(&word, ~(1u << t % 8));
  atomicMin(&low, 500u - t);
  atomicAdd(&sum, 0.5);
  atomicExch(&exchanged, 3.f);
  atomicAdd(&pair, __floats2half2_rn(1, 2));
  __syncthreads();
  if (t) return;
  out[0] = wide, out[1] = word, out[2] = low;
  d[0] = sum, f[0] = exchanged, f[1] = __low2float(pair), f[2] = __high2float(pair);
}
void testNumbers() {
  Array<ull> out(3);
  Array<double> d(1);
  Array<float> f(3);
  numbers<<<1, 70>>>(out, d, f);
  ull expected[] = {69ull << 36, 0, 431};
  for (int i = 0; i < 3; ++i) same("out", i, out.get()[i], expected[i]);
  same("d", 0, d.get()[0], 35.0);
  float floats[] = {3, 70, 140};
  for (int i = 0; i < 3; ++i) same("f", i, f.get()[i], floats[i]);
}

__global__ void scopes(unsigned *out, unsigned short *s, int *local) {
  atomicAdd_system(&out[0], 2u);
  atomicInc(&out[1], 6u);
  atomicDec(&out[2], 9u);
  atomicAdd_block(&local[blockIdx.x], 1);
  unsigned short old = *(volatile unsigned short *)s, seen;
  do {
    seen = old;
    old = atomicCAS(s, seen, (unsigned short)(seen + 3));
  } while (old != seen);
  ull *w = (ull *)(out + 4);
  atomicCAS(w, 0ull, 1ull + threadIdx.x * 0);
  atomicOr(&w[1], 1ull << (threadIdx.x % 64));
  atomicXor(&w[2], ull(threadIdx.x) << 32);
}
void testScopes() {
  Array<unsigned> out(10);
  Array<unsigned short> s(2);
  Array<int> local(3);
  scopes<<<3, 100>>>(out, s, local);
  same("add", 0, out.get()[0], 600);
  same("inc", 0, out.get()[1], 300 % 7);
  same("dec", 0, out.get()[2], (10 - 300 % 10) % 10);
  same("s", 0, s.get()[0], 900);
  for (int i = 0; i < 3; ++i) same("local", i, local.get()[i], 100);
  ull *w = (ull *)(out.get().data() + 4), x = 0;
  for (ull t = 0; t < 100; ++t) x ^= t << 32;
  same("cas", 0, w[0], 1);
  same("or", 0, w[1] == ~0ull, true);
  same("xor", 0, w[2], x);
}

// ---- memories

struct Row {
  int count;
  float values[3];
};
__constant__ Row table[4];
__constant__ int fixed[] = {5, 7, 11};
__global__ void constants(float *out) {
  int t = threadIdx.x;
  const Row &row = table[t % 4];
  float sum = fixed[t % 3];
  for (int i = 0; i < row.count; ++i) sum += row.values[i];
  out[t] = sum;
}
void testConstants() {
  Row rows[4];
  for (int i = 0; i < 4; ++i) rows[i] = {i, {i + .5f, i * 2.f, i * i + .25f}};
  cudaMemcpyToSymbol(table, rows, sizeof rows);
  Array<float> out(40);
  constants<<<1, 40>>>(out);
  for (int i = 0; i < 40; ++i) {
    float sum = (float[]){5, 7, 11}[i % 3];
    for (int j = 0; j < rows[i % 4].count; ++j) sum += rows[i % 4].values[j];
    same("out", i, out.get()[i], sum);
  }
}

__device__ int first = 3, grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ int *where = &grid[1][1];
__device__ int twice(int x) { return 2 * x; }
__device__ int less(int x) { return x - first; }
__device__ int (*const choices[])(int) = {twice, less};
__global__ void variables(int *out) {
  int t = threadIdx.x;
  out[t] = choices[t % 2](grid[t % 2][t % 3]) * 10 + where[t % 2];
  if (t == 0) first = 100;
}
void testVariables() {
  Array<int> out(12);
  int values[2][3] = {{1, 2, 3}, {4, 5, 6}};
  variables<<<1, 12>>>(out);
  for (int i = 0; i < 12; ++i) {
    int x = values[i % 2][i % 3];
    same("out", i, out.get()[i], (i % 2 ? x - 3 : 2 * x) * 10 + (i % 2 ? 6 : 5));
  }
  int now = 0;
  cudaMemcpyFromSymbol(&now, first, sizeof now);
  same("first", 0, now, 100);
}

__global__ void space(int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  int nx = gridDim.x * blockDim.x, ny = gridDim.y * blockDim.y;
  out[(z * ny + y) * nx + x] = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) + 1000 * (blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z);
}
void testSpace() {
  Array<int> out(3 * 5 * 2 * 2 * 7 * 3);
  space<<<dim3(3, 5, 2), dim3(2, 7, 3)>>>(out);
  for (int z = 0; z < 6; ++z)
    for (int y = 0; y < 35; ++y)
      for (int x = 0; x < 6; ++x)
        same("out", (z * 35 + y) * 6 + x, out.get()[(z * 35 + y) * 6 + x], x % 2 + 2 * (y % 7 + 7 * (z % 3)) + 1000 * (x / 2 + 10 * (y / 7) + 100 * (z / 3)));
}

extern __shared__ char arena[];
__global__ void arenas(double *out, int n) {
  double *d = reinterpret_cast<double *>(arena);
  short *s = reinterpret_cast<short *>(d + n);
  char *c = reinterpret_cast<char *>(s + n);
  int t = threadIdx.x;
  d[t] = t * .125, s[t] = -t, c[t] = t;
  __syncthreads();
  int o = n - 1 - t;
  out[t] = d[o] + s[o] * 1000 + c[(o + 1) % n];
}
void testArenas() {
  Array<double> out(75);
  arenas<<<1, 75, 75 * 11>>>(out, 75);
  for (int i = 0; i < 75; ++i) {
    int o = 74 - i;
    same("out", i, out.get()[i], o * .125 - o * 1000 + (o + 1) % 75);
  }
}

__device__ int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
__global__ void recursion(int *out) {
  int stack[9], t = threadIdx.x;
  for (int i = 0; i < 9; ++i) stack[(i * 4 + t) % 9] = i;
  out[t] = ackermann(2, t % 4) * 100 + stack[t % 9];
}
void testRecursion() {
  Array<int> out(20);
  recursion<<<1, 20>>>(out);
  for (int i = 0; i < 20; ++i) {
    int at = 0;
    for (int j = 0; j < 9; ++j) at = (j * 4 + i) % 9 == i % 9 ? j : at;
    same("out", i, out.get()[i], (2 * (i % 4) + 3) * 100 + at);
  }
}

struct Odd {
  char tag;
  float x[3];
  short end;
};
__global__ void copiesOfStructs(const Odd *in, Odd *out, const unsigned char *raw, unsigned *words) {
  int t = threadIdx.x;
  Odd mine = in[t];
  mine.x[t % 3] += 1;
  out[t] = mine;
  memcpy(&words[t], raw + t * 4 + 3, 4);
}
void testStructs() {
  Array<Odd> in(10, [](size_t i) { return Odd{char(i), {i * 1.f, i * 2.f, i * 3.f}, short(-int(i))}; }), out(10);
  Array<unsigned char> raw(50, [](size_t i) { return (unsigned char)(i * 77); });
  Array<unsigned> words(10);
  copiesOfStructs<<<1, 10>>>(in, out, raw, words);
  for (int i = 0; i < 10; ++i) {
    same("tag", i, out.get()[i].tag, i);
    same("x", i, out.get()[i].x[i % 3], i * (i % 3 + 1) + 1);
    same("end", i, out.get()[i].end, -i);
    unsigned word;
    memcpy(&word, raw.host.data() + i * 4 + 3, 4);
    same("word", i, words.get()[i], word);
  }
}

// ---- ends

__global__ void says(int n) {
  if (threadIdx.x == 3) printf("%5d|%-4s|%c|%lld|%08.3f|%x%%|%s\n", n, "ab", 'z', -(1ll << 40), 2.0 / 3, 255u, n > 4 ? "more" : "less");
}
void testSays() { says<<<1, 4>>>(7); }

__global__ void fails(int n) { assert(threadIdx.x != n); }
void testFails() {
  fails<<<1, 32>>>(40);
  fails<<<1, 32>>>(17);
}
__global__ void traps(int *out, int n) {
  if (out[0] == n) __trap();
  out[1] = 1;
}
void testTraps() {
  Array<int> out(2);
  traps<<<1, 1>>>(out, 5);
  same("out", 1, out.get()[1], 1);
  traps<<<1, 1>>>(out, 0);
}

__global__ void whole(int *out) {
  auto grid = cg::this_grid();
  out[grid.thread_rank()] = 1;
  grid.sync();
  if (grid.thread_rank() == 0)
    for (int i = 1; i < int(grid.size()); ++i) out[0] += out[i];
}
void testWhole() {
  Array<int> out(256);
  int *p = out;
  void *arguments[] = {&p};
  cudaLaunchCooperativeKernel((void *)whole, dim3(4), dim3(64), arguments, 0, 0);
  same("out", 0, out.get()[0], 256);
}

using Test = void (*)();
const std::map<std::string, Test> good = {
    {"arenas", testArenas}, {"bytes", testBytes}, {"coalesced", testCoalesced}, {"constants", testConstants}, {"copies", testCopies},
    {"halves", testHalves<16, 16>}, {"hand-over", testHandOver}, {"last-block", testLastBlock}, {"leaving", testLeaving},
    {"load-matrix", testLoadMatrix}, {"matches", testMatches}, {"named", testNamed}, {"numbers", testNumbers},
    {"partitions", testPartitions}, {"products", testProducts}, {"recursion", testRecursion}, {"reductions", testReductions},
    {"says", testSays}, {"scopes", testScopes}, {"shuffles", testShuffles}, {"space", testSpace}, {"structs", testStructs},
    {"tall-halves", testHalves<8, 32>}, {"tiles", testTiles}, {"votes", testVotes}, {"wide-halves", testHalves<32, 8>}};
const std::map<std::string, Test> others = {{"fails", testFails}, {"traps", testTraps}, {"variables", testVariables}, {"whole", testWhole}};

bool run(const std::string &name, Test test) {
  wrong.clear();
  test();
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess && wrong.empty()) wrong = cudaGetErrorString(error);
  printf("%s: %s\n", name.c_str(), wrong.empty() ? "ok" : ("wrong: " + wrong).c_str());
  return wrong.empty();
}

int main(int, char **names) {
  std::string wanted = names[1] ? names[1] : "";
  bool right = true;
  for (const auto *tests : {&good, &others})
    for (const auto &[name, test] : *tests) {
      if (wanted == "list")
        puts(name.c_str());
      else if (wanted.empty() ? tests == &good : wanted == name)
        right &= run(name, test);
    }
  return !right;
}
