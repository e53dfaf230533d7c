// REQUIRES: nvcc
// A kernel that parses, but that ptxas refuses: too much shared memory, assembly that is none. The build fails with what
// ptxas says and its exit code; `analyze` counts what it can, says so, and goes on.
//
// RUN: rm -rf %t && mkdir %t
// RUN: not %warpwright cc -- %nvcc -arch=sm_90 -DWORDS=32768 -I%source_dir/include -c %s -o %t/large.o 2>&1 | FileCheck --check-prefix=LARGE %s
// RUN: not ls %t/large.o
// RUN: not %warpwright cc -- %nvcc -arch=sm_90 -DWORDS=32 -DASSEMBLY -I%source_dir/include -c %s -o %t/assembly.o 2>&1 | FileCheck --check-prefix=ASSEMBLY %s
// RUN: %warpwright analyze %s -- -arch=sm_90 -DWORDS=32768 -I%source_dir/include | FileCheck --check-prefix=ANALYZE %s
// RUN: %warpwright cc -- %nvcc -arch=sm_90 -DWORDS=32 -I%source_dir/include -c %s -o %t/object.o 2>&1 | FileCheck --check-prefix=FINE %s
// RUN: ls %t/object.o
//
// LARGE: uses too much shared data
// ASSEMBLY: Not a name of any known instruction: 'nosuch'
// ANALYZE: large (n = 1): {{.*}}nvcc failed: ptxas error{{.*}}uses too much shared data{{.*}}{{$}}
// FINE-NOT: error
// FINE: 'large' stays as it is
#include <warpwright/annotate.h>
KERNEL_OPTIMIZE(grid(1), block(32), out(out[32]), shape(n = 1))
__global__ void large(int *out, int n) {
  __shared__ int words[WORDS];
  words[threadIdx.x] = n;
  __syncthreads();
#ifdef ASSEMBLY
  asm volatile("nosuch;");
#endif
  out[threadIdx.x] = words[31 - threadIdx.x];
}
