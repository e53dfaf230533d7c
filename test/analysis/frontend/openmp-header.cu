// REQUIRES: nvcc
// RUN: %parse_probe %s | FileCheck %s
// RUN: not %parse_probe %s -- -DNO_SUCH_HEADER 2>&1 | FileCheck %s --check-prefix=MISSING
//
// omp.h lies among gcc's own headers, which come behind all others: what Clang has itself still comes from Clang.
#include <immintrin.h>
#include <omp.h>
#ifdef NO_SUCH_HEADER
// MISSING: openmp-header.cu:[[@LINE+1]]:{{.*}}error: 'no_such_header.h' file not found
#include <no_such_header.h>
#endif

// CHECK: kernel one
__global__ void one(int *a) { *a = 1; }
int host() { return omp_get_max_threads(); }
