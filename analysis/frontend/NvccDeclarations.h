// What nvcc declares in every CUDA file and Clang's own CUDA headers do not. Included before the user's first
// line, after those headers. The tool carries this text inside itself;
// `analysis/frontend/CompatibilityText.cpp.in` says where Clang finds it.
//
// Nothing here may hide an access to memory: what nvcc turns into a load or store is the same instruction
// here.
#pragma once

// Headers that nvcc's implicit include of cuda_runtime.h brings along: code relies on time, clock, assert,
// printf and the host's isfinite, isnan and isinf without including anything.
#include <assert.h>
#include <math.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// nvcc gives it the value 1, and code writes `#if __CUDACC__`.
#undef __CUDACC__
#define __CUDACC__ 1

// Code chooses between old and new interfaces by these. The toolkit is the one whose headers are read.
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDA_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDA_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif

// Managed memory is device memory for whoever reads the kernel. nvcc takes the word alone or beside
// __device__.
#undef __managed__
#define __managed__ __attribute__((device))

// Cooperative groups hide the cluster's interface from compilers they do not know; the intrinsics behind it
// are there.
#define _CG_CLUSTER_INTRINSICS_AVAILABLE

// Host code is type-checked with the device code, and calls nvcc's host overloads of the device's min and
// max.
#define WARPWRIGHT_MIN_MAX(result, first, second)                                                            \
  static inline __host__ result min(const first a, const second b) {                                         \
    return (result)a < (result)b ? (result)a : (result)b;                                                    \
  }                                                                                                          \
  static inline __host__ result max(const first a, const second b) {                                         \
    return (result)a > (result)b ? (result)a : (result)b;                                                    \
  }
#define WARPWRIGHT_MIN_MAX_INTEGER(type)                                                                     \
  WARPWRIGHT_MIN_MAX(type, type, type)                                                                       \
  WARPWRIGHT_MIN_MAX(unsigned type, unsigned type, unsigned type)                                            \
  WARPWRIGHT_MIN_MAX(unsigned type, type, unsigned type)                                                     \
  WARPWRIGHT_MIN_MAX(unsigned type, unsigned type, type)
WARPWRIGHT_MIN_MAX_INTEGER(int)
WARPWRIGHT_MIN_MAX_INTEGER(long)
WARPWRIGHT_MIN_MAX_INTEGER(long long)
WARPWRIGHT_MIN_MAX(float, float, float)
WARPWRIGHT_MIN_MAX(double, double, double)
WARPWRIGHT_MIN_MAX(double, float, double)
WARPWRIGHT_MIN_MAX(double, double, float)
#undef WARPWRIGHT_MIN_MAX_INTEGER
#undef WARPWRIGHT_MIN_MAX

// Loads and stores with a cache hint that Clang 22 lacks, as the PTX instructions that nvcc makes of them.
#define WARPWRIGHT_LOAD(name, operation, type, through, constraint)                                          \
  static __device__ inline type name(const type *address) {                                                  \
    through value;                                                                                           \
    asm("ld.global." operation " %0, [%1];" : "=" constraint(value) : "l"(address) : "memory");              \
    return (type)value;                                                                                      \
  }
#define WARPWRIGHT_LOAD2(name, operation, type, through, constraint)                                         \
  static __device__ inline type name(const type *address) {                                                  \
    through x, y;                                                                                            \
    asm("ld.global." operation " {%0,%1}, [%2];"                                                             \
        : "=" constraint(x), "=" constraint(y)                                                               \
        : "l"(address)                                                                                       \
        : "memory");                                                                                         \
    type value;                                                                                              \
    value.x = x, value.y = y;                                                                                \
    return value;                                                                                            \
  }
#define WARPWRIGHT_LOAD4(name, operation, type, through, constraint)                                         \
  static __device__ inline type name(const type *address) {                                                  \
    through x, y, z, w;                                                                                      \
    asm("ld.global." operation " {%0,%1,%2,%3}, [%4];"                                                       \
        : "=" constraint(x), "=" constraint(y), "=" constraint(z), "=" constraint(w)                         \
        : "l"(address)                                                                                       \
        : "memory");                                                                                         \
    type value;                                                                                              \
    value.x = x, value.y = y, value.z = z, value.w = w;                                                      \
    return value;                                                                                            \
  }
#define WARPWRIGHT_STORE(name, operation, type, through, constraint)                                         \
  static __device__ inline void name(type *address, type value) {                                            \
    asm("st.global." operation " [%0], %1;" ::"l"(address), constraint((through)value) : "memory");          \
  }
#define WARPWRIGHT_STORE2(name, operation, type, through, constraint)                                        \
  static __device__ inline void name(type *address, type value) {                                            \
    asm("st.global." operation " [%0], {%1,%2};" ::"l"(address), constraint((through)value.x),               \
        constraint((through)value.y)                                                                         \
        : "memory");                                                                                         \
  }
#define WARPWRIGHT_STORE4(name, operation, type, through, constraint)                                        \
  static __device__ inline void name(type *address, type value) {                                            \
    asm("st.global." operation " [%0], {%1,%2,%3,%4};" ::"l"(address), constraint((through)value.x),         \
        constraint((through)value.y), constraint((through)value.z), constraint((through)value.w)             \
        : "memory");                                                                                         \
  }
#define WARPWRIGHT_HINTED(form, name, hint)                                                                  \
  form(name, hint ".s8", char, int, "r");                                                                    \
  form(name, hint ".s8", signed char, int, "r");                                                             \
  form(name, hint ".u8", unsigned char, unsigned, "r");                                                      \
  form(name, hint ".s16", short, short, "h");                                                                \
  form(name, hint ".u16", unsigned short, unsigned short, "h");                                              \
  form(name, hint ".s32", int, int, "r");                                                                    \
  form(name, hint ".u32", unsigned, unsigned, "r");                                                          \
  form(name, hint ".s64", long, long, "l");                                                                  \
  form(name, hint ".u64", unsigned long, unsigned long, "l");                                                \
  form(name, hint ".s64", long long, long long, "l");                                                        \
  form(name, hint ".u64", unsigned long long, unsigned long long, "l");                                      \
  form(name, hint ".f32", float, float, "f");                                                                \
  form(name, hint ".f64", double, double, "d")
#define WARPWRIGHT_HINTED2(form, name, hint)                                                                 \
  form(name, hint ".v2.s8", char2, int, "r");                                                                \
  form(name, hint ".v2.u8", uchar2, unsigned, "r");                                                          \
  form(name, hint ".v2.s16", short2, short, "h");                                                            \
  form(name, hint ".v2.u16", ushort2, unsigned short, "h");                                                  \
  form(name, hint ".v2.s32", int2, int, "r");                                                                \
  form(name, hint ".v2.u32", uint2, unsigned, "r");                                                          \
  form(name, hint ".v2.s64", longlong2, long long, "l");                                                     \
  form(name, hint ".v2.u64", ulonglong2, unsigned long long, "l");                                           \
  form(name, hint ".v2.f32", float2, float, "f");                                                            \
  form(name, hint ".v2.f64", double2, double, "d")
#define WARPWRIGHT_HINTED4(form, name, hint)                                                                 \
  form(name, hint ".v4.s8", char4, int, "r");                                                                \
  form(name, hint ".v4.u8", uchar4, unsigned, "r");                                                          \
  form(name, hint ".v4.s16", short4, short, "h");                                                            \
  form(name, hint ".v4.u16", ushort4, unsigned short, "h");                                                  \
  form(name, hint ".v4.s32", int4, int, "r");                                                                \
  form(name, hint ".v4.u32", uint4, unsigned, "r");                                                          \
  form(name, hint ".v4.f32", float4, float, "f")
#define WARPWRIGHT_HINTED_STORES(name, hint)                                                                 \
  WARPWRIGHT_HINTED(WARPWRIGHT_STORE, name, hint);                                                           \
  WARPWRIGHT_HINTED2(WARPWRIGHT_STORE2, name, hint);                                                         \
  WARPWRIGHT_HINTED4(WARPWRIGHT_STORE4, name, hint)
WARPWRIGHT_HINTED(WARPWRIGHT_LOAD, __ldlu, "lu");
WARPWRIGHT_HINTED2(WARPWRIGHT_LOAD2, __ldlu, "lu");
WARPWRIGHT_HINTED4(WARPWRIGHT_LOAD4, __ldlu, "lu");
WARPWRIGHT_HINTED(WARPWRIGHT_LOAD, __ldca, "ca");
WARPWRIGHT_HINTED2(WARPWRIGHT_LOAD2, __ldca, "ca");
WARPWRIGHT_HINTED4(WARPWRIGHT_LOAD4, __ldca, "ca");
WARPWRIGHT_HINTED_STORES(__stcg, "cg");
WARPWRIGHT_HINTED_STORES(__stcs, "cs");
WARPWRIGHT_HINTED_STORES(__stwb, "wb");
static __device__ inline void __stwt(long *address, long value) {
  __stwt((long long *)address, (long long)value);
}
static __device__ inline void __stwt(unsigned long *address, unsigned long value) {
  __stwt((unsigned long long *)address, (unsigned long long)value);
}
#undef WARPWRIGHT_HINTED_STORES
#undef WARPWRIGHT_HINTED4
#undef WARPWRIGHT_HINTED2
#undef WARPWRIGHT_HINTED
#undef WARPWRIGHT_STORE4
#undef WARPWRIGHT_STORE2
#undef WARPWRIGHT_STORE
#undef WARPWRIGHT_LOAD4
#undef WARPWRIGHT_LOAD2
#undef WARPWRIGHT_LOAD

// nvcc's fast hyperbolic tangent is one instruction.
static __device__ inline float __tanhf(float x) {
  float result;
  asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// What a shared object becomes whose type has constructors: nvcc runs none of them.
template <typename Type> union __warpwright_storage {
  Type value;
  __device__ __warpwright_storage() {}
  __device__ ~__warpwright_storage() {}
};

// nvcc's scoped atomics are Clang's under other names. The orders have C++'s values; the scopes are numbered
// otherwise.
#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD __MEMORY_SCOPE_SINGLE
#define __NV_THREAD_SCOPE_BLOCK __MEMORY_SCOPE_WRKGRP
#define __NV_THREAD_SCOPE_CLUSTER __MEMORY_SCOPE_CLUSTR
#define __NV_THREAD_SCOPE_DEVICE __MEMORY_SCOPE_DEVICE
#define __NV_THREAD_SCOPE_SYSTEM __MEMORY_SCOPE_SYSTEM
template <typename Type> struct __warpwright_identity {
  using type = Type;
};
#define WARPWRIGHT_ATOMIC template <typename Type> static __device__ __attribute__((always_inline)) inline
#define WARPWRIGHT_VALUE typename __warpwright_identity<Type>::type value
#define WARPWRIGHT_SCOPE int order, int scope = __NV_THREAD_SCOPE_SYSTEM
WARPWRIGHT_ATOMIC Type __nv_atomic_load_n(const Type *address, WARPWRIGHT_SCOPE) {
  return __scoped_atomic_load_n(address, order, scope);
}
WARPWRIGHT_ATOMIC void __nv_atomic_load(const Type *address, Type *result, WARPWRIGHT_SCOPE) {
  __scoped_atomic_load(address, result, order, scope);
}
WARPWRIGHT_ATOMIC void __nv_atomic_store_n(Type *address, WARPWRIGHT_VALUE, WARPWRIGHT_SCOPE) {
  __scoped_atomic_store_n(address, value, order, scope);
}
WARPWRIGHT_ATOMIC void __nv_atomic_store(Type *address, Type *value, WARPWRIGHT_SCOPE) {
  __scoped_atomic_store(address, value, order, scope);
}
WARPWRIGHT_ATOMIC Type __nv_atomic_exchange_n(Type *address, WARPWRIGHT_VALUE, WARPWRIGHT_SCOPE) {
  return __scoped_atomic_exchange_n(address, value, order, scope);
}
WARPWRIGHT_ATOMIC void __nv_atomic_exchange(Type *address, Type *value, Type *result, WARPWRIGHT_SCOPE) {
  __scoped_atomic_exchange(address, value, result, order, scope);
}
WARPWRIGHT_ATOMIC bool __nv_atomic_compare_exchange_n(Type *address, Type *expected,
                                                      typename __warpwright_identity<Type>::type desired,
                                                      bool weak, int success, int failure,
                                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __scoped_atomic_compare_exchange_n(address, expected, desired, weak, success, failure, scope);
}
WARPWRIGHT_ATOMIC bool __nv_atomic_compare_exchange(Type *address, Type *expected, Type *desired, bool weak,
                                                    int success, int failure,
                                                    int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __scoped_atomic_compare_exchange(address, expected, desired, weak, success, failure, scope);
}
#define WARPWRIGHT_FETCH(operation)                                                                          \
  WARPWRIGHT_ATOMIC Type __nv_atomic_fetch_##operation(Type *address, WARPWRIGHT_VALUE, WARPWRIGHT_SCOPE) {  \
    return __scoped_atomic_fetch_##operation(address, value, order, scope);                                  \
  }                                                                                                          \
  WARPWRIGHT_ATOMIC void __nv_atomic_##operation(Type *address, WARPWRIGHT_VALUE, WARPWRIGHT_SCOPE) {        \
    (void)__scoped_atomic_fetch_##operation(address, value, order, scope);                                   \
  }
WARPWRIGHT_FETCH(add)
WARPWRIGHT_FETCH(sub)
WARPWRIGHT_FETCH(and)
WARPWRIGHT_FETCH(or)
WARPWRIGHT_FETCH(xor)
WARPWRIGHT_FETCH(min)
WARPWRIGHT_FETCH(max)
#undef WARPWRIGHT_FETCH
#undef WARPWRIGHT_SCOPE
#undef WARPWRIGHT_VALUE
#undef WARPWRIGHT_ATOMIC
static __device__ __attribute__((always_inline)) inline void
__nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __scoped_atomic_thread_fence(order, scope);
}
