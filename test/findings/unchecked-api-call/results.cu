// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --rules unchecked-api-call %s
#include <cstdio>
#include <cstdlib>
#define CHECK(call) check(call, __LINE__)
#define QUIET(call) call
static void check(cudaError_t error, int line) {
  if (error == cudaSuccess)
    return;
  printf("%d: %s\n", line, cudaGetErrorString(error));
  exit(1);
}
void elsewhere();
struct Buffer {
  ~Buffer() { cudaFree(x); }
  float *x = nullptr;
};

// Dropped, kept and never read, dropped in one branch.
static void drops(float *host, bool now) {
  Buffer buffer;
  cudaMalloc(&buffer.x, 64); // finding: unchecked-api-call: what 'cudaMalloc' returns is dropped
  cudaError_t error = cudaMemcpy(buffer.x, host, 64, cudaMemcpyDefault); // finding: unchecked-api-call: 'error' keeps what 'cudaMemcpy' returns
  if (now)
    cudaDeviceSynchronize(); // finding: unchecked-api-call: 'cudaDeviceSynchronize'
  for (int i = 0; i < 2; cudaMemset(buffer.x, i, 64), ++i) // finding: unchecked-api-call: 'cudaMemset'
    ;
  cudaFree(buffer.x); // finding: unchecked-api-call: 'cudaFree'
}

// Checked, by all means; on purpose; where nothing depends on it.
static cudaError_t looks(float *host, bool now) {
  float *x = nullptr;
  CHECK(cudaMalloc(&x, 64));
  QUIET(cudaMemset(x, 0, 64));
  cudaError_t error = cudaMemcpy(x, host, 64, cudaMemcpyDefault);
  if (error != cudaSuccess || (error = cudaDeviceSynchronize()) != cudaSuccess)
    return error;
  (void)cudaStreamSynchronize(nullptr);
  cudaMemPrefetchAsync(x, 64, cudaMemLocation{}, 0, nullptr);
  return now ? cudaFree(x) : cudaSuccess;
}

// The last error is read behind them: in a loop, in a function, by the caller.
static void lastError() { CHECK(cudaGetLastError()); }
static void readLater(float *x) { cudaMemset(x, 0, 64); }
static void readsLater(float *x) {
  for (int i = 0; i < 4; ++i) {
    lastError();
    cudaMemset(x, 0, 64);
  }
  readLater(x);
  CHECK(cudaPeekAtLastError());
}

// What is called afterwards is not seen.
static void unknownAfter(float *x) {
  cudaMemset(x, 0, 64);
  elsewhere();
}

// What the wait would say of work before it, the next call says as well.
static void waits(float *x) {
  cudaDeviceSynchronize();
  CHECK(cudaMemset(x, 0, 64));
}

// Callers may be elsewhere.
void exported(float *x) {
  cudaMemset(x, 0, 64); // finding: unchecked-api-call: and seen to fail only by a caller that reads the last error
}

int main() {
  float host[16] = {};
  unknownAfter(host);
  readsLater(host);
  waits(host);
  CHECK(looks(host, true));
  drops(host, false);
}
