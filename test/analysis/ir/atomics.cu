// RUN: %warpwright analyze --no-ptxas --format json %s -- -arch=sm_90 | FileCheck %s

// CHECK: "source_name": "atomics"
__global__ void atomics(int *bins, const int *in, float *sum, unsigned *seen) {
  __shared__ int local[16];
  // Which bin is hit, data decide.
  // CHECK: "kind": "atomic",
  // CHECK-NEXT: "combine": "sum",
  // CHECK-NEXT: "result_used": false,
  // CHECK: "index": "bins[in[threadIdx.x]]",
  // CHECK: "uniform": {
  // CHECK-NEXT: "grade": "unknown",
  // CHECK: "data_dependent": true,
  atomicAdd(&bins[in[threadIdx.x]], 1);
  // CHECK: "combine": "sum",
  // CHECK: "element_type": "float",
  // CHECK: "index": "sum[0]",
  // CHECK: "uniform": {
  // CHECK-NEXT: "grade": "proved",
  // CHECK-NEXT: "value": true
  atomicAdd(sum, 1.0f);
  // CHECK: "space": "shared",
  // CHECK-NEXT: "kind": "atomic",
  // CHECK-NEXT: "combine": "max",
  // CHECK: "index": "{{.*}}local[threadIdx.x % 16]",
  // CHECK: "data_dependent": false,
  atomicMax(&local[threadIdx.x % 16], 3);
  // CHECK: "combine": "compare-exchange",
  // CHECK-NEXT: "result_used": true,
  seen[threadIdx.x] = atomicCAS(seen, 0u, 1u);
}

// A plain update is a read and a write, no atomic.
// CHECK: "source_name": "plain"
// CHECK-NOT: "kind": "atomic"
// CHECK: "reductions": []
__global__ void plain(int *bins, const int *in) {
  bins[in[threadIdx.x]] += 1;
}
