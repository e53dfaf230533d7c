// REQUIRES: nvcc
// What keeps an expression double, one kernel a reason.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t -- -arch=sm_90 -std=c++17 -I%source_dir/include \
// RUN:   | FileCheck --implicit-check-not='changed   demote-double' %s
#include <cstdio>
#include <warpwright/annotate.h>

#define ANNOTATE KERNEL_OPTIMIZE(grid(1), block(32), in(x[32]), out(y[32]), shape(n = 1), tolerance(rel = 1e-3))
#define I threadIdx.x

// CHECK-LABEL: has_to_be_exact
// CHECK: declined  demote-double: line [[#]]: the results have to be exact
KERNEL_OPTIMIZE(grid(1), block(32), in(x[32]), out(y[32]), shape(n = 1))
__global__ void has_to_be_exact(const float *x, float *y, int n) { y[I] = 0.3 * x[I]; }

// CHECK-LABEL: integers_have_to_be_exact
// CHECK: declined  demote-double: line [[#]]: 'z' has to be exact
KERNEL_OPTIMIZE(grid(1), block(32), in(x[32]), out(y[32]), out(z[32]), shape(n = 1), allow(reassociate))
__global__ void integers_have_to_be_exact(const float *x, float *y, int *z, int n) {
  float v = 0.3 * x[I];
  y[I] = v;
  z[I] = v > 0;
}

// CHECK-LABEL: integers_may_not_change_by_one
// CHECK: declined  demote-double: line [[#]]: 'z' holds integers, which tolerance(abs = 1) would let change by one
KERNEL_OPTIMIZE(grid(1), block(32), in(x[32]), out(z[32]), shape(n = 1), tolerance(rel = 1e-3))
__global__ void integers_may_not_change_by_one(const float *x, int *z, int n) {
  float v = 0.3 * x[I];
  z[I] = v > 0;
}

// CHECK-LABEL: double_parameter
// CHECK: declined  demote-double: line [[#]]: 'a' is a double
KERNEL_OPTIMIZE(grid(1), block(32), in(x[32]), out(y[32]), shape(n = 1, a = 0.5), tolerance(rel = 1e-3))
__global__ void double_parameter(const float *x, float *y, double a, int n) { y[I] = a * x[I] * 0.3; }

// CHECK-LABEL: double_element
// CHECK: declined  demote-double: line [[#]]: 'd[I]' is a double
ANNOTATE __global__ void double_element(const float *x, float *y, const double *d, int n) { y[I] = 0.3 * x[I] + d[I]; }

// CHECK-LABEL: double_accumulator
// CHECK: declined  demote-double: line [[#]]: it is kept in the double 'sum'
ANNOTATE __global__ void double_accumulator(const float *x, float *y, int n) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k)
    sum += 0.3 * x[k];
  y[I] = sum;
}

// CHECK-LABEL: double_variable
// CHECK: declined  demote-double: line [[#]]: it initialises the double 't'
ANNOTATE __global__ void double_variable(const float *x, float *y, int n) {
  double t = 0.3 * x[I];
  y[I] = t;
}

// CHECK-LABEL: deduced
// CHECK: declined  demote-double: line [[#]]: it gives its type to 't'
ANNOTATE __global__ void deduced(const float *x, float *y, int n) {
  auto t = 0.3 * x[I];
  y[I] = t;
}

// CHECK-LABEL: long_double
// CHECK: declined  demote-double: line [[#]]: '0.3L * x[I]' is a long double
ANNOTATE __global__ void long_double(const float *x, float *y, int n) { y[I] = 0.3L * x[I]; }

// CHECK-LABEL: printed
// CHECK: declined  demote-double: line [[#]]: it is passed as a double to '{{.*}}printf', whose arguments have no types
ANNOTATE __global__ void printed(const float *x, float *y, int n) { printf("%f", 0.3 * x[I]); }

// CHECK-LABEL: observed_by_sizeof
// CHECK: declined  demote-double: line [[#]]: its size is asked for
ANNOTATE __global__ void observed_by_sizeof(const float *x, float *y, int n) { y[I] = sizeof(0.3 * x[I]); }

// CHECK-LABEL: observed_by_decltype
// CHECK: declined  demote-double: line [[#]]: its type is used
ANNOTATE __global__ void observed_by_decltype(const float *x, float *y, int n) { decltype(0.3 * x[I]) t = x[I]; y[I] = t; }

template <typename T> __device__ float deduce(T x) { return sizeof(x) * float(x); }
// CHECK-LABEL: deduced_template_argument
// CHECK: declined  demote-double: line [[#]]: it is passed as a double to 'deduce'
ANNOTATE __global__ void deduced_template_argument(const float *x, float *y, int n) { y[I] = deduce(0.3 * x[I]); }

__device__ float pick(float x, float) { return x; }
__device__ float pick(float x, const char *) { return -x; }
// CHECK-LABEL: overloaded
// CHECK: declined  demote-double: line [[#]]: it is passed to 'pick', which is overloaded
ANNOTATE __global__ void overloaded(const float *x, float *y, int n) { y[I] = pick(0.3 * x[I], 1.0f); }

__device__ double wide(float x) { return x / 3.0; }
// CHECK-LABEL: helper_returns_double
// CHECK: declined  demote-double: line [[#]]: 'wide' computes in double, and other kernels may call it
ANNOTATE __global__ void helper_returns_double(const float *x, float *y, int n) { y[I] = 0.3 * wide(x[I]); }

__device__ float inner(float x) { return 0.3 * x; }
// CHECK-LABEL: helper_computes_in_double
// CHECK: declined  demote-double: line [[#]]: 'inner' computes in double, and other kernels may call it
ANNOTATE __global__ void helper_computes_in_double(const float *x, float *y, int n) { y[I] = inner(x[I]); }

// CHECK-LABEL: out_of_range
// CHECK-DAG: declined  demote-double: line [[#]]: '1e300' is outside the range of float
// CHECK-DAG: declined  demote-double: line [[#]]: '1e-60' is outside the range of float
// CHECK-DAG: declined  demote-double: line [[#]]: '1e30 * 1e20' is outside the range of float
ANNOTATE __global__ void out_of_range(const float *x, float *y, int n) {
  y[I] = x[I] * 1e300;
  y[I] += x[I] + 1e-60;
  y[I] += x[I] * (1e30 * 1e20 / 1e25);
}

// CHECK-LABEL: large_integer
// CHECK: declined  demote-double: line [[#]]: the integer 'n' may pass 2^24
ANNOTATE __global__ void large_integer(const float *x, float *y, int n) { y[I] = x[I] * 0.3 * n; }

// CHECK-LABEL: compared
// CHECK: declined  demote-double: line [[#]]: rounded to float, its operands may compare otherwise
ANNOTATE __global__ void compared(const float *x, float *y, int n) { y[I] = x[I] < 0.1 ? 1.f : 2.f; }

// CHECK-LABEL: becomes_an_integer
// CHECK: declined  demote-double: line [[#]]: it is converted to an integer, which rounding may move by one
ANNOTATE __global__ void becomes_an_integer(const float *x, float *y, int n) { y[int(x[I] * 25.3)] = x[I]; }

// CHECK-LABEL: magnified
// CHECK-DAG: declined  demote-double: line [[#]]: 'floor' jumps where its rounded argument crosses a step
// CHECK-DAG: declined  demote-double: line [[#]]: 'cos' magnifies the rounding of a large argument
// CHECK-DAG: declined  demote-double: line [[#]]: 'acos' fails where rounding pushes its argument out of its domain
ANNOTATE __global__ void magnified(const float *x, float *y, int n) {
  y[I] = floor(x[I] * 0.1);
  y[I] += cos(x[I] * 0.1);
  y[I] += acos(x[I] * 0.1);
}

#define SCALED(v) ((v) * 0.3)
#define SUM(a, b) ((a) + (b))
// CHECK-LABEL: literal_in_a_macro
// CHECK: declined  demote-double: lines [[#]], [[#]]: the literal '0.3' comes out of a macro
ANNOTATE __global__ void literal_in_a_macro(const float *x, float *y, int n) {
  y[I] = SCALED(x[I]);
  y[I] += SUM(0.3, x[I]);
}

typedef double real;
// CHECK-LABEL: cast_to_an_alias
// CHECK: declined  demote-double: line [[#]]: the cast names its type 'real', which other code may define
ANNOTATE __global__ void cast_to_an_alias(const float *x, float *y, int n) { y[I] = (real)x[I] * 0.3; }

// CHECK-LABEL: hidden_name
// CHECK: declined  demote-double: line [[#]]: the name 'expf' means something else here
ANNOTATE __global__ void hidden_name(const float *x, float *y, int n) {
  float expf = x[I];
  y[I] = exp(expf * 0.3);
}

// CHECK-LABEL: dependent<float>
// CHECK: declined  demote-double: line [[#]]: its type depends on a template argument
template <typename T> ANNOTATE __global__ void dependent(const T *x, T *y, int n) { y[I] = x[I] * 0.3; }
template __global__ void dependent<float>(const float *, float *, int);

// CHECK-LABEL: two<1>
// CHECK: declined  demote-double: line [[#]]: the template has several instantiations
template <int N> ANNOTATE __global__ void two(const float *x, float *y, int n) { y[I] = x[I] * 0.3 * N; }
template __global__ void two<1>(const float *, float *, int);
template __global__ void two<2>(const float *, float *, int);

// A kernel that computes in double throughout, and one without any: nothing is said.
// CHECK-LABEL: all_double
// CHECK-NOT: demote-double
ANNOTATE __global__ void all_double(const double *x, double *y, int n) { y[I] = 0.3 * x[I]; }
// CHECK-LABEL: all_float
// CHECK-NOT: demote-double
ANNOTATE __global__ void all_float(const float *x, float *y, int n) { y[I] = 0.3f * x[I]; }
