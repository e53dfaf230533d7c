// REQUIRES: nvcc
// RUN: %parse_probe %s --print-attempt --print-ir | FileCheck %s
// RUN: %parse_probe %s --print-attempt -- -DNOTHING_TO_MEND | FileCheck %s --check-prefix=PLAIN
// RUN: not %parse_probe %s -- -DBROKEN 2>&1 | FileCheck %s --check-prefix=BROKEN
//
// What nvcc lets pass and no declaration can mend is mended in memory: lines stay, and a file that needs nothing is read as it
// is. When even that does not help, the first error of the text as written is told.

struct Counter {
  int value;
  __device__ Counter() : value(0) {}
};

// PLAIN: attempt: as written
#ifndef NOTHING_TO_MEND
// BROKEN: Inputs/special-registers.h:5:{{[0-9]+}}: error:
#include "Inputs/special-registers.h"

// CHECK: attempt: remapped
// CHECK-NEXT: mend remapped-source.cu at byte {{[0-9]+}}, 4 bytes become 4: {{.*}} literal's suffix
// CHECK: kernel timed
extern "C"__global__ void timed(unsigned long long *out) {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  out[0] = now + smid();
}

// Raw storage in shared memory, as in nvcc: no constructor runs, and the object is seen with its size.
// CHECK: @_ZZ6countsIiEvPT_E17counters__storage = {{.*}}addrspace(3) global %union
template <typename T> __global__ void counts(T *out) {
  __shared__ Counter counters[4];
  counters[threadIdx.x % 4].value = 1;
  __syncthreads();
  out[threadIdx.x] = counters[0].value;
}
template __global__ void counts(int *);
#endif

#ifdef BROKEN
undeclared x;
#endif
