// A program with checks of its own: memory, variables of the device, streams, events, a kernel in an anonymous namespace,
// a struct by value, dynamic shared memory, errors that are asked for.
#include <cstdio>
#include <cstdlib>

__constant__ int factors[4];
__device__ int total;

struct Range {
  const int *begin;
  int count;
  int *copy;
};

namespace {
__global__ void sumUp(Range range) {
  extern __shared__ int parts[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  parts[threadIdx.x] = i < range.count ? range.begin[i] * factors[i % 4] : 0;
  if (i < range.count)
    range.copy[i] = range.begin[i];
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  for (int t = 1; t < blockDim.x; ++t)
    parts[0] += parts[t];
  atomicAdd(&total, parts[0]);
}
} // namespace

void check(bool holds, const char *what) {
  if (holds)
    return;
  std::printf("FAIL: %s\n", what);
  std::exit(1);
}

int main(int argc, char **argv) {
  constexpr int count = 1000;
  int numbers[count], copied[count], weights[4] = {1, 2, 3, 4}, expected = 0;
  for (int i = 0; i < count; ++i) {
    numbers[i] = i * std::atoi(argv[1]);
    expected += numbers[i] * weights[i % 4];
  }
  int *device, *copy;
  check(cudaMalloc(&device, sizeof numbers) == cudaSuccess && cudaMalloc(&copy, sizeof numbers) == cudaSuccess, "cudaMalloc");
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpyAsync(device, numbers, sizeof numbers, cudaMemcpyHostToDevice, stream);
  cudaMemcpyToSymbol(factors, weights, sizeof weights);
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  cudaEventRecord(start, stream);
  sumUp<<<(count + 127) / 128, 128, 128 * sizeof(int), stream>>>({device, count, copy});
  cudaEventRecord(end, stream);
  float milliseconds = -1;
  cudaEventElapsedTime(&milliseconds, start, end);
  int result = 0;
  cudaMemcpyFromSymbol(&result, total, sizeof result);
  cudaMemcpy(copied, copy, sizeof copied, cudaMemcpyDeviceToHost);
  check(cudaGetLastError() == cudaSuccess, "no error");
  check(result == expected && copied[count - 1] == numbers[count - 1] && milliseconds >= 0, "the sum");
  sumUp<<<1, 2048>>>({device, count, copy});
  check(cudaGetLastError() == cudaErrorInvalidConfiguration, "a block that is too large");
  check(cudaGetLastError() == cudaSuccess, "an error is told once");
  std::printf("PASS\n");
  return 0;
}
