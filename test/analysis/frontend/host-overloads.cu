// REQUIRES: nvcc
// RUN: %parse_probe %s | FileCheck %s
// RUN: not %parse_probe %s -- -DDEVICE_ONLY 2>&1 | FileCheck %s --check-prefix=DEVICE
//
// Host code of a CUDA file calls what nvcc declares on the host without any include. A device function stays out of its reach.

__device__ float twice(float x) { return 2 * x; }

// CHECK: kernel fill
__global__ void fill(float *a, int n) { a[min(n, 3)] = max(1.0f, a[0]) + isfinite(a[1]); }

int host(int n, unsigned m, float x, double y) {
  int ints = min(n, 3) + max(n, 4) + min(m, n) + (int)max(1ll, 2ll);
  double reals = max(x, 1.0f) + min(x, y);
  bool classes = isfinite(x) || isnan(y) || isinf(x);
  assert(n > 0);
#ifdef DEVICE_ONLY
  // DEVICE: host-overloads.cu:[[@LINE+1]]:{{.*}}error: no matching function for call to 'twice'
  reals += twice(x);
#endif
  long started = (long)time(nullptr) + (long)clock();
  return ints + (int)reals + classes + (int)started;
}
