// REQUIRES: nvcc
// RUN: %parse_probe %s --print-attempt | FileCheck %s
// RUN: not %parse_probe %s -- -DNO_SUCH_MEMBER 2>&1 | FileCheck %s --check-prefix=WRONG
//
// nvcc takes `Cast<T>::run<2>(x)` for a call of a template; the standard asks for `template` before `run`.

template <typename T> struct Cast {
  template <int n> static __device__ T run(T x) { return n * x; }
};

template <typename T> __device__ T twice(T x) {
  // CHECK: attempt: remapped
  // CHECK-NEXT: mend {{.*}} 0 bytes become 9: the name of a template within a dependent type
  // WRONG: dependent-template.cu:[[@LINE+1]]:{{[0-9]+}}: error: no member named 'run' in 'Cast<float>'
  return Cast<T>::run<2>(x);
}

#ifdef NO_SUCH_MEMBER
template <> struct Cast<float> {};
#endif

// CHECK: kernel k
__global__ void k(float *a) {
  *a = twice(*a);
#ifdef NO_SUCH_MEMBER
  *a = twice((int)*a);
#endif
}
