// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --rules unsigned-wrap %s

// With zero, always or never: a difference, a variable that holds one, a loop that counts down.
__global__ void zero(float *y, int i) {
  if (i - blockDim.x < 0) // finding: unsigned-wrap: 'i - blockDim.x' is unsigned and never below zero: this comparison is always false
    y[0] = 1;
  unsigned left = threadIdx.x - 1;
  if (0 <= left) // finding: unsigned-wrap: 'left' is unsigned and never below zero: this comparison is always true
    y[1] = 1;
  for (unsigned s = blockDim.x / 2; s >= 0; --s) { // finding: unsigned-wrap: the loop does not end by it
    if (y[s] > 0)
      break;
  }
}

// A signed number that is negative in the first thread.
__global__ void mixed(float *y) {
  int left = threadIdx.x - 2;
  if (left < blockDim.x) // finding: unsigned-wrap: 'left' is -2 in the first thread, and is compared with the unsigned 'blockDim.x' as 4294967294
    y[threadIdx.x] = 1;
}

// Signed, counted to one, bounded from above as well, asked for zero before, in a template, and of what nothing is subtracted.
template <typename T> __global__ void fine(float *y, T given, int n) {
  T after = given - 1;
  if (after >= 0)
    y[0] = 1;
}
template __global__ void fine<unsigned>(float *, unsigned, int);
__global__ void right(float *y, int i, int n) {
  if (i - int(blockDim.x) < 0 || blockIdx.x >= 0)
    y[0] = 1;
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x - 3;
  if (x >= 0 && x < n)
    y[x] = 1;
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1)
    y[s] = 1;
  for (unsigned s = 8; s-- > 0;)
    y[s] = 2;
  int left = threadIdx.x - 1;
  if (left >= 0 && left < blockDim.x)
    y[left] = 1;
  int other = threadIdx.x - 1;
  if (threadIdx.x > 0 && other < blockDim.x)
    y[other] = 1;
}
