// The loops of virtual_device.cu as one writes them for a host; prints the seconds of one run, the best of several.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

void gemm(const float *a, const float *b, float *c, int n) {
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
      c[row * n + column] = sum;
    }
}

void transpose(const float *in, float *out, int n) {
  for (int by = 0; by < n; by += 32)
    for (int bx = 0; bx < n; bx += 32) {
      float tile[32][33];
      for (int y = 0; y < 32; ++y)
        for (int x = 0; x < 32; ++x) tile[y][x] = in[(by + y) * n + bx + x];
      for (int y = 0; y < 32; ++y)
        for (int x = 0; x < 32; ++x) out[(bx + y) * n + by + x] = tile[x][y];
    }
}

} // namespace

double processorSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 3) return 3;
  int n = std::atoi(argv[2]);
  std::vector<float> a(n * n, 1.5f), b(n * n, 0.5f), c(n * n);
  double best = 1e9;
  for (int run = 0; run < 7; ++run) {
    double start = processorSeconds();
    if (!std::strcmp(argv[1], "gemm")) gemm(a.data(), b.data(), c.data(), n);
    else transpose(a.data(), c.data(), n);
    best = std::min(best, processorSeconds() - start);
  }
  std::printf("%.9f %g\n", best, double(c[n]));
}
