// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --rules host-pointer-argument %s
#include <array>
#include <cstdlib>
#include <string>
#include <vector>
__global__ void scale(float *x, int n) {
  if (threadIdx.x < n)
    x[threadIdx.x] *= 2;
}
__global__ void ignores(float *x) {}
__global__ void count(const char *text, int *found) { *found = text[0]; }
void elsewhere(float *x);
static float table[64];

static void ofHost(int n) {
  float *heap = (float *)malloc(n * sizeof(float));
  scale<<<1, 64>>>(heap, n); // finding: host-pointer-argument: 'x' of 'scale' is given memory of malloc()
  float *made = new float[n];
  float *alias = made + 4;
  scale<<<1, 64>>>(alias, n - 4); // finding: host-pointer-argument: memory of new
  std::vector<float> v(n);
  scale<<<1, 64>>>(v.data(), n); // finding: host-pointer-argument: the elements of the std::vector 'v'
  scale<<<1, 64>>>(&v[2], n - 2); // finding: host-pointer-argument: the elements of the std::vector 'v'
  float local[64] = {};
  scale<<<1, 64>>>(local, 64); // finding: host-pointer-argument: the local array 'local'
  scale<<<1, 64>>>(table + 1, 63); // finding: host-pointer-argument: the host's array 'table'
  std::array<float, 8> small = {};
  scale<<<1, 64>>>(small.data(), 8); // finding: host-pointer-argument: the local variable 'small'
  int found = 0;
  count<<<1, 1>>>("text", &found); // finding: host-pointer-argument: a string literal
  // finding@-1: host-pointer-argument: the local variable 'found'
  free(heap);
  delete[] made;
}

// Of a device, managed, pinned; from elsewhere; changed on some path; handed to what is not seen.
struct Field {
  float *x;
};
static void ofDevice(float *given, const Field &field, int n, bool onHost) {
  float *device, *managed, *pinned, *either = nullptr, *registered = (float *)malloc(256);
  cudaMalloc(&device, 256);
  cudaMallocManaged(&managed, 256);
  cudaMallocHost(&pinned, 256);
  if (onHost)
    either = (float *)malloc(256);
  else
    either = device;
  elsewhere(registered);
  float unused[4] = {};
  scale<<<1, 64>>>(device + 1, n);
  scale<<<1, 64>>>(managed, n);
  scale<<<1, 64>>>(pinned, n);
  scale<<<1, 64>>>(given, n);
  scale<<<1, 64>>>(field.x, n);
  scale<<<1, 64>>>(either, n);
  scale<<<1, 64>>>(registered, n);
  scale<<<1, 64>>>(nullptr, 0);
  ignores<<<1, 1>>>(unused);
}

int main() {
  ofHost(64);
  ofDevice(nullptr, Field(), 64, false);
}
