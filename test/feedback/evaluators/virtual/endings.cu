// REQUIRES: nvcc
// Launches that end badly say so, with line, block and thread; the same kernels mended are silent.
//
// RUN: echo '[{"name": "trapped", "grid": [2], "block": [64], "args": {"n": 37}}, {"name": "asserted", "grid": [1], "block": [32], "args": {"n": 3}},' > %t.json
// RUN: echo ' {"name": "endless", "grid": [1], "block": [2], "args": {"n": 1}}, {"name": "stuck", "grid": [1], "block": [64], "args": {"n": 32}},' >> %t.json
// RUN: echo ' {"name": "two_barriers", "grid": [1], "block": [64], "args": {"n": 32}},' >> %t.json
// RUN: echo ' {"name": "two_counts", "grid": [1], "block": [64], "args": {"n": 32}},' >> %t.json
// RUN: echo ' {"name": "lying_mask", "grid": [1], "block": [32], "args": {"n": 16}},' >> %t.json
// RUN: echo ' {"name": "foreign_mask", "grid": [1], "block": [32], "args": {"n": 15}}]' >> %t.json
// RUN: not %warpwright run %s --launches %t.json --output %t.out -- -arch=sm_90 2>&1 | FileCheck %s
//
// RUN: echo '[{"name": "trapped", "grid": [2], "block": [64], "args": {"n": 64}}, {"name": "asserted", "grid": [1], "block": [32], "args": {"n": 32}},' > %t.good.json
// RUN: echo ' {"name": "endless", "grid": [1], "block": [2], "args": {"n": 0}}, {"name": "stuck", "grid": [1], "block": [64], "args": {"n": 64}},' >> %t.good.json
// RUN: echo ' {"name": "two_barriers", "grid": [1], "block": [64], "args": {"n": 64}},' >> %t.good.json
// RUN: echo ' {"name": "two_counts", "grid": [1], "block": [64], "args": {"n": 64}},' >> %t.good.json
// RUN: echo ' {"name": "lying_mask", "grid": [1], "block": [32], "args": {"n": 32}},' >> %t.good.json
// RUN: echo ' {"name": "foreign_mask", "grid": [1], "block": [32], "args": {"n": 32}}]' >> %t.good.json
// RUN: %warpwright run %s --launches %t.good.json --output %t.out -- -arch=sm_90 2>&1 | count 0

#include <cassert>

// CHECK: endings.cu:[[@LINE+2]]:{{[0-9]+}}: error: thread (37,0,0) of block ({{[01]}},0,0) executes a trap [trap]
__global__ void trapped(int n) {
  if (threadIdx.x == n) __trap();
}

// CHECK: endings.cu:[[@LINE+2]]:{{[0-9]+}}: error: thread (3,0,0) of block (0,0,0) finds threadIdx.x != n false [assert-failed]
__global__ void asserted(int n) {
  assert(threadIdx.x != n);
}

__device__ volatile int flag;

// CHECK: endings.cu:[[@LINE+2]]:{{[0-9]+}}: error: thread ({{[01]}},0,0) of block (0,0,0) is still in a loop {{.*}}[step-limit]
__global__ void endless(int n) {
  while (flag != n) continue;
}

// CHECK: endings.cu:[[@LINE+2]]:{{[0-9]+}}: error: thread (0,0,0) of block (0,0,0) waits at a barrier of 64 threads, to which 32 came [deadlock]
__global__ void stuck(int n) {
  if (threadIdx.x < n) asm volatile("bar.sync 1, 64;");
}

// CHECK: endings.cu:[[@LINE+4]]:{{[0-9]+}}: error: thread (32,0,0) of block (0,0,0) waits at a barrier [divergent-barrier]
// CHECK: endings.cu:[[@LINE+2]]:{{[0-9]+}}: note: thread (0,0,0) of block (0,0,0) waits at another
__global__ void two_barriers(int n) {
  if (threadIdx.x < n) __syncthreads();
  else __syncthreads();
}

// CHECK: endings.cu:[[@LINE+3]]:{{[0-9]+}}: error: thread (32,0,0) of block (0,0,0) waits at barrier 1 of 32 threads [divergent-barrier]
// CHECK: endings.cu:[[@LINE+2]]:{{[0-9]+}}: note: thread (0,0,0) of block (0,0,0) waits at barrier 1 of 64 threads
__global__ void two_counts(int n) {
  asm volatile("bar.sync 1, %0;" ::"r"(threadIdx.x < n ? 64 : 32));
}

__device__ int results[32];

// CHECK: endings.cu:[[@LINE+2]]:{{[0-9]+}}: error: thread ({{[0-9]+}},0,0) of block (0,0,0) {{.*}}[wrong-warp-mask]
__global__ void lying_mask(int n) {
  if (threadIdx.x < n) results[threadIdx.x] = __shfl_down_sync(0xffffffffu, threadIdx.x, 8);
}

// CHECK: endings.cu:[[@LINE+3]]:{{[0-9]+}}: error: thread (16,0,0) of block (0,0,0) calls a warp collective whose mask lacks its own lane [wrong-warp-mask]
__global__ void foreign_mask(int n) {
  unsigned mask = threadIdx.x < n ? 0xffffu : n == 32 ? 0xffff0000u : 0xffff;
  if (n == 32) __syncwarp(); else __syncwarp(mask);
}
