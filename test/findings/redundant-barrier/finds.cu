// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-redundant-barrier]'

// Two in a row: one is enough. At the end: nothing follows.
__global__ void twice_and_last(const float *in, float *out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: warning: no access before this barrier can meet one of another thread after it, up to the neighbouring barriers: it orders nothing [warpwright-redundant-barrier]
  // CHECK: note: the barrier after it
  __syncthreads();
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: no access before this barrier can meet one of another thread after it, up to the neighbouring barriers: it orders nothing [warpwright-redundant-barrier]
  __syncthreads();
}

// Between loads of an array that nobody writes meanwhile.
__global__ void between_reads(const float *in, float *out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float a = tile[63 - threadIdx.x];
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: no access before this barrier can meet one of another thread after it, up to the neighbouring barriers: it orders nothing [warpwright-redundant-barrier]
  __syncthreads();
  float b = tile[threadIdx.x ^ 5];
  __syncthreads();
  tile[threadIdx.x] = a + b;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 9];
}

// One array is finished, another begun.
__global__ void other_array(const float *in, float *out) {
  __shared__ float first[64];
  __shared__ float second[64];
  first[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float a = first[63 - threadIdx.x];
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: no access before this barrier can meet one of another thread after it, up to the neighbouring barriers: it orders nothing [warpwright-redundant-barrier]
  __syncthreads();
  second[threadIdx.x] = a;
  __syncthreads();
  out[threadIdx.x] = second[threadIdx.x ^ 9];
}
