// REQUIRES: nvcc
// RUN: %parse_probe %s --print-attempt | FileCheck %s
// RUN: %parse_probe %s --print-attempt -- -DPORTABLE | FileCheck %s --check-prefix=PORTABLE
// RUN: not %parse_probe %s -- -DBROKEN 2>&1 | FileCheck %s --check-prefix=BROKEN
//
// Code that compiles only where __NVCC__ is defined gets it, and no other: it would be sent down paths that Clang cannot follow.

// PORTABLE: attempt: as written
// CHECK: attempt: with __NVCC__
#if !defined(__NVCC__) && !defined(PORTABLE)
#error "this file is for nvcc"
#endif
#if defined(__NVCC__) && defined(PORTABLE)
int array[-1];
#endif

#ifdef BROKEN
// BROKEN: nvcc-macro.cu:11:2: error: "this file is for nvcc"
undeclared x;
#endif

// CHECK: kernel k
// PORTABLE: kernel k
__global__ void k(float *a) { *a = 1; }
