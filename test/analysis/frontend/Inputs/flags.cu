#include <cstdio>
#ifndef _OPENMP
#error "-fopenmp is lost"
#endif
#ifndef __CUDACC_RDC__
#error "-rdc=true is lost"
#endif
#ifndef __CUDACC_EXTENDED_LAMBDA__
#error "--extended-lambda is lost"
#endif
#ifdef __cpp_exceptions
#error "-fno-exceptions is lost"
#endif
static_assert(__cplusplus == 202002L, "-std=c++20 is lost");
static_assert(sizeof(NAME) == 4, "quotes are lost");

__global__ void scale(float *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = __sinf(values[i]) / COUNT;
}
