#pragma once

// The annotation of a kernel, read by Warpwright: docs/annotation.md describes every clause.
//
//   KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(x[n]), out(y[n]), shape(n = 1 << 24))
//   __global__ void scale(const float *x, float *y, int n);
//
// It stands after `template <...>` and before `__global__` (and after `extern "C"`, where there is one). Its arguments
// are never compiled: where Clang compiles CUDA they become the text of an `annotate` attribute, which generates no
// code; for nvcc, gcc and MSVC the whole macro is nothing. An object built with this header equals one built without.
//
// __WARPWRIGHT__ says that Warpwright itself is reading. It is asked first, because Warpwright defines __NVCC__, too,
// for sources that demand it. nvcc, even with Clang as its host compiler, defines __NVCC__ and gets nothing.
// A vendored copy of this file and the installed one may meet in one translation unit: the first one wins.
#ifndef KERNEL_OPTIMIZE
#if defined(__WARPWRIGHT__) || (defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__))
#define KERNEL_OPTIMIZE(...) __attribute__((annotate("warpwright::kernel_optimize", #__VA_ARGS__)))
#else
#define KERNEL_OPTIMIZE(...)
#endif
#endif
