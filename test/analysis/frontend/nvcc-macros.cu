// REQUIRES: nvcc
// RUN: %parse_probe %s --print-ir | FileCheck %s
// RUN: not %parse_probe %s -- -DPLAIN_GLOBAL 2>&1 | FileCheck %s --check-prefix=PLAIN
//
// The words that nvcc predefines mean here what they mean there.

#if !__CUDACC__
#error "__CUDACC__ has a value"
#endif
#if __CUDACC_VER_MAJOR__ < 11 || __CUDACC_VER_MINOR__ > 9
#error "the compiler's version is the toolkit's"
#endif

// CHECK: @managed = {{.*}}addrspace(1)
__managed__ int managed;
// CHECK: @both = {{.*}}addrspace(1)
__device__ __managed__ int both;
#ifdef PLAIN_GLOBAL
int plain;
#endif

__global__ void use() {
  managed += both;
#ifdef PLAIN_GLOBAL
  // PLAIN: nvcc-macros.cu:[[@LINE+1]]:{{.*}}error: reference to __host__ variable 'plain'
  managed += plain;
#endif
}

// Narrowing and `register` are errors of Clang by default and warnings of nvcc.
int narrow(double x) {
  register int y = 3;
  int a[] = {x};
  return a[0] + y;
}
