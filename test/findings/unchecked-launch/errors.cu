// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --rules unchecked-launch %s
#include <cstdlib>
#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
#define LAUNCH(kernel, ...) do { kernel<<<1, 32>>>(__VA_ARGS__); CHECK(cudaGetLastError()); } while (0)
void elsewhere();
__global__ void clear(float *x) { x[threadIdx.x] = 0; }
template <typename T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value; }

// Nobody asks: not in the function, not in its only caller; nor after the last launch of a loop's last round.
static void launches(float *x) {
  clear<<<1, 32>>>(x); // finding: unchecked-launch: nothing after this launch of 'clear' reads its error
}
template <typename T> void fills(T *x) {
  fill<<<1, 32>>>(x, T(1)); // finding: unchecked-launch: launch of 'fill<float>'
}
// Who calls this is not known, nor whether they ask.
void exported(float *x) {
  clear<<<1, 32>>>(x); // finding: unchecked-launch: the error of this launch of 'clear' is left to callers
}

// Asked at once, by a macro, later, in the next round, by the caller, by who synchronises.
static void callee(float *x) { clear<<<1, 32>>>(x); }
static void checked(float *x) {
  clear<<<1, 32>>>(x);
  CHECK(cudaGetLastError());
  LAUNCH(clear, x);
  for (int i = 0; i < 4; ++i) {
    CHECK(cudaPeekAtLastError());
    clear<<<1, 32>>>(x);
  }
  callee(x);
  auto again = [x] { clear<<<1, 32>>>(x); };
  again();
  CHECK(cudaDeviceSynchronize());
}
static void unknown(float *x) {
  clear<<<1, 32>>>(x);
  elsewhere();
}

int main() {
  float *x = nullptr;
  CHECK(cudaMalloc(&x, 128));
  unknown(x);
  checked(x);
  launches(x);
  fills(x);
}
