// REQUIRES: nvcc
// RUN: %parse_probe %s --print-ir | FileCheck %s
// RUN: not %parse_probe %s -- -DNOT_A_POINTER 2>&1 | FileCheck %s --check-prefix=WRONG
//
// nvcc's scoped atomics are atomic operations in the IR, and loads and stores that are atomic.

// CHECK-LABEL: define {{.*}}@_Z7atomicsPjPf
__global__ void atomics(unsigned *counter, float *sum) {
  // CHECK: atomicrmw add ptr %{{.*}}, i32 1 {{.*}}monotonic
  __nv_atomic_fetch_add(counter, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  // CHECK: atomicrmw fadd ptr %{{.*}}, float 1.000000e+00
  __nv_atomic_add(sum, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  // CHECK: load atomic i32, ptr %{{.*}} acquire
  unsigned seen = __nv_atomic_load_n(counter, __NV_ATOMIC_ACQUIRE);
  // CHECK: cmpxchg ptr
  __nv_atomic_compare_exchange_n(counter, &seen, 7u, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED);
  // CHECK: store atomic i32
  __nv_atomic_store_n(counter, seen, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
  // CHECK: fence
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
#ifdef NOT_A_POINTER
  // WRONG: scoped-atomics.cu:[[@LINE+1]]:{{.*}}error: no matching function for call to '__nv_atomic_add'
  __nv_atomic_add(*counter, 1, __NV_ATOMIC_RELAXED);
#endif
}
