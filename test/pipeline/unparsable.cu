// REQUIRES: nvcc
// A file that Clang cannot parse is a remark with the first error; the original is compiled and its own errors are nvcc's.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %source_dir/test/cli/Inputs/exit-code.py 2 %warpwright analyze %s -- -arch=sm_90 -DBROKEN 2>&1 | FileCheck %s
// RUN: %warpwright cc -- %nvcc -arch=sm_90 -DONLY_CLANG -c %s -o %t/object.o 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: ls %t/object.o
// RUN: not %warpwright cc --strict -- %nvcc -arch=sm_90 -DONLY_CLANG -c %s -o %t/strict.o
// RUN: not %warpwright cc -- %nvcc -arch=sm_90 -DBROKEN -c %s -o %t/broken.o
// RUN: not ls %t/broken.o
//
// CHECK: unparsable.cu:[[#]]:[[#]]: error: use of undeclared identifier 'nothing'
// REMARK: remark: not analysed: use of undeclared identifier 'only_here'
extern "C" __global__ void f(int *p) {
#ifdef BROKEN
  *p = nothing;
#endif
#if defined(ONLY_CLANG) && defined(__WARPWRIGHT__)
  *p = only_here;
#endif
}
