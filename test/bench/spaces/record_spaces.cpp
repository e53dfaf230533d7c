// record_spaces FOLDER POINTS OUTPUT SECONDS: compiles each point of list_points.py with nvrtc in processes of its own,
// runs it beside a check of its results, and writes a line a point: space, id, status, registers, local bytes, shared
// bytes, resident blocks, and the median microseconds of each shape. Originals must come first: they are the reference.
#include <cuda.h>
#include <nvrtc.h>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

void require(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  const char *name = "?";
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "%s: %s\n", what, name);
  std::exit(1);
}
#define CHECK(call) require((call), #call)

struct Point {
  std::string space;
  int id = 0;
  unsigned blockX = 1, blockY = 1;
  unsigned grid[3][2] = {};
  std::vector<std::string> defines;
};

struct Shape {
  std::vector<int> scalars;
  size_t in0, in1, out; // elements; in1 may be 0
};

const std::map<std::string, std::vector<Shape>> &shapes() {
  static const auto gemm = [](int m, int n, int k) {
    return Shape{{m, n, k}, size_t(m) * k, size_t(k) * n, size_t(m) * n};
  };
  static const auto plane = [](int r, int c) { return Shape{{r, c}, size_t(r) * c, 0, size_t(r) * c}; };
  static const std::map<std::string, std::vector<Shape>> all = {
      {"gemm", {gemm(2048, 2048, 2048), gemm(512, 512, 512), gemm(64, 4096, 1024)}},
      {"transpose", {plane(4096, 4096), plane(1000, 4004), plane(8192, 512)}},
      {"reduction", {{{1 << 26}, 1 << 26, 0, 1}, {{1 << 20}, 1 << 20, 0, 1}, {{100004}, 100004, 0, 1}}},
      {"softmax", {plane(4096, 4096), plane(1024, 8192), plane(32768, 256)}},
  };
  return all;
}

std::vector<Point> readPoints(const char *path) {
  std::ifstream stream(path);
  std::vector<Point> points;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    Point point;
    words >> point.space >> point.id >> point.blockX >> point.blockY;
    for (auto &grid : point.grid)
      words >> grid[0] >> grid[1];
    std::string all;
    words >> all;
    std::istringstream defines(all);
    for (std::string define; std::getline(defines, define, ',');)
      point.defines.push_back(define);
    points.push_back(point);
  }
  return points;
}

std::string cubinOf(size_t index) { return "/dev/shm/points/" + std::to_string(index); }

void compileAll(const std::string &folder, const std::vector<Point> &points, size_t first, size_t step) {
  std::map<std::string, std::string> sources;
  for (size_t i = first; i < points.size(); i += step) {
    const Point &point = points[i];
    std::string &source = sources[point.space];
    if (source.empty()) {
      std::ifstream stream(folder + "/" + point.space + ".cu");
      source.assign(std::istreambuf_iterator<char>(stream), {});
    }
    nvrtcProgram program;
    nvrtcCreateProgram(&program, source.c_str(), point.space.c_str(), 0, nullptr, nullptr);
    std::vector<const char *> options = {"-arch=sm_90", "-std=c++17"};
    for (const std::string &define : point.defines)
      options.push_back(define.c_str());
    std::string bytes;
    if (nvrtcCompileProgram(program, int(options.size()), options.data()) == NVRTC_SUCCESS) {
      size_t size = 0;
      nvrtcGetCUBINSize(program, &size);
      bytes.resize(size);
      nvrtcGetCUBIN(program, bytes.data());
    } else {
      size_t size = 0;
      nvrtcGetProgramLogSize(program, &size);
      std::string log(size, 0);
      nvrtcGetProgramLog(program, log.data());
      std::fprintf(stderr, "%s %d: %.300s\n", point.space.c_str(), point.id, log.c_str());
    }
    nvrtcDestroyProgram(&program);
    std::string path = cubinOf(i);
    { std::ofstream(path + ".part", std::ios::binary) << bytes; }
    std::rename((path + ".part").c_str(), path.c_str());
  }
}

struct Space {
  CUdeviceptr in0 = 0, in1 = 0, out = 0;
  std::vector<std::vector<float>> reference; // of each shape, sampled
};

CUdeviceptr filled(size_t count, unsigned state, float low) {
  std::vector<float> host(count);
  for (float &value : host) {
    state = state * 1664525u + 1013904223u;
    value = low + (1.0f - low) * float(state >> 8) / float(1 << 24);
  }
  CUdeviceptr device = 0;
  CHECK(cuMemAlloc(&device, count * 4));
  CHECK(cuMemcpyHtoD(device, host.data(), count * 4));
  return device;
}

class Recorder {
public:
  Recorder(FILE *output) : output_(output) {
    CHECK(cuEventCreate(&begin_, 0));
    CHECK(cuEventCreate(&end_, 0));
    for (const auto &[name, all] : shapes()) {
      size_t in0 = 0, in1 = 0, out = 0;
      for (const Shape &shape : all) {
        in0 = std::max(in0, shape.in0);
        in1 = std::max(in1, shape.in1);
        out = std::max(out, shape.out);
      }
      Space space;
      space.in0 = filled(in0, 1, name == "reduction" ? 0.0f : -1.0f);
      if (in1)
        space.in1 = filled(in1, 2, -1.0f);
      CHECK(cuMemAlloc(&space.out, out * 4));
      spaces_[name] = space;
    }
  }

  void record(const Point &point, const std::string &cubin) {
    std::fprintf(output_, "%s,%d,", point.space.c_str(), point.id);
    CUmodule module;
    if (cubin.empty() || cuModuleLoadData(&module, cubin.data()) != CUDA_SUCCESS) {
      std::fprintf(output_, "compile\n");
      return;
    }
    CUfunction kernel;
    CHECK(cuModuleGetFunction(&kernel, module, "kernel"));
    int registers, local, shared, blocks = 0;
    CHECK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel));
    CHECK(cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel));
    CHECK(cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel));
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, int(point.blockX * point.blockY), 0));
    std::string status = blocks == 0 ? "launch" : "ok", times;
    for (size_t i = 0; i < 3 && status == "ok"; ++i) {
      status = check(point, kernel, i);
      if (status == "ok") {
        char text[32];
        std::snprintf(text, sizeof text, ",%.2f", time(point, kernel, i));
        times += text;
      }
    }
    std::fprintf(output_, "%s,%d,%d,%d,%d%s\n", status.c_str(), registers, local, shared, blocks, times.c_str());
    CHECK(cuModuleUnload(module));
  }

private:
  CUresult launch(const Point &point, CUfunction kernel, size_t i) {
    Space &space = spaces_[point.space];
    std::vector<int> scalars = shapes().at(point.space)[i].scalars;
    std::vector<void *> arguments = {&space.in0};
    if (space.in1)
      arguments.push_back(&space.in1);
    arguments.push_back(&space.out);
    for (int &scalar : scalars)
      arguments.push_back(&scalar);
    return cuLaunchKernel(kernel, point.grid[i][0], point.grid[i][1], 1, point.blockX, point.blockY, 1, 0, nullptr,
                          arguments.data(), nullptr);
  }

  std::string check(const Point &point, CUfunction kernel, size_t i) {
    Space &space = spaces_[point.space];
    const Shape &shape = shapes().at(point.space)[i];
    CHECK(cuMemsetD8(space.out, point.space == "reduction" ? 0 : 0xff, shape.out * 4));
    if (launch(point, kernel, i) != CUDA_SUCCESS)
      return "launch";
    CHECK(cuCtxSynchronize());
    std::vector<float> sample(std::min<size_t>(shape.out, 4096));
    size_t size = sample.size();
    // The end and the beginning: edges are where guards fail.
    CHECK(cuMemcpyDtoH(sample.data(), space.out + (shape.out - size / 2 - size % 2) * 4, (size / 2 + size % 2) * 4));
    if (size / 2)
      CHECK(cuMemcpyDtoH(sample.data() + size / 2 + size % 2, space.out + shape.out / 3 * 4, size / 2 * 4));
    if (point.id == 0) {
      space.reference.push_back(sample);
      return "ok";
    }
    for (size_t at = 0; at < sample.size(); ++at) {
      float expected = space.reference[i][at];
      if (!(std::fabs(sample[at] - expected) <= 1e-3f * std::fabs(expected) + (point.space == "gemm" ? 1e-2f : 1e-9f)))
        return "wrong";
    }
    return "ok";
  }

  float elapsed(const Point &point, CUfunction kernel, size_t i, int batch) {
    CHECK(cuEventRecord(begin_, nullptr));
    for (int b = 0; b < batch; ++b)
      CHECK(launch(point, kernel, i));
    CHECK(cuEventRecord(end_, nullptr));
    CHECK(cuEventSynchronize(end_));
    float milliseconds = 0;
    CHECK(cuEventElapsedTime(&milliseconds, begin_, end_));
    return milliseconds * 1000 / float(batch);
  }

  /// The median of 15 batches of at least 40 us, fewer for what takes long.
  double time(const Point &point, CUfunction kernel, size_t i) {
    float once = elapsed(point, kernel, i, 3);
    int batch = std::clamp(int(40 / once), 1, 16), samples = once > 4000 ? 3 : once > 500 ? 7 : 15;
    if (once < 500)
      elapsed(point, kernel, i, 3 * batch);
    std::vector<float> times;
    for (int s = 0; s < samples; ++s)
      times.push_back(elapsed(point, kernel, i, batch));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

  FILE *output_;
  CUevent begin_, end_;
  std::map<std::string, Space> spaces_;
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 5)
    return 3;
  auto start = std::chrono::steady_clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::vector<Point> points = readPoints(argv[2]);
  (void)std::system("rm -rf /dev/shm/points && mkdir -p /dev/shm/points");
  const size_t workers = std::max(2u, std::thread::hardware_concurrency()) - 1;
  std::vector<pid_t> children;
  for (size_t w = 0; w < workers; ++w)
    if (pid_t child = fork(); child == 0) {
      compileAll(argv[1], points, w, workers);
      _exit(0);
    } else {
      children.push_back(child);
    }
  FILE *output = std::fopen(argv[3], "w");
  if (argc > 5) { // compile alone, where no device is
    for (pid_t child : children)
      waitpid(child, nullptr, 0);
    std::printf("%zu points in %.1f s\n", points.size(), seconds());
    return 0;
  }
  CHECK(cuInit(0));
  CUdevice device;
  CUcontext context;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  Recorder recorder(output);
  size_t done = 0;
  double measuring = 0;
  for (size_t i = 0; i < points.size() && seconds() < std::atof(argv[4]); ++i, ++done) {
    while (access(cubinOf(i).c_str(), R_OK) != 0 && seconds() < std::atof(argv[4]))
      usleep(2000);
    std::ifstream stream(cubinOf(i), std::ios::binary);
    if (!stream)
      break;
    std::string cubin(std::istreambuf_iterator<char>(stream), {});
    double before = seconds();
    recorder.record(points[i], cubin);
    measuring += seconds() - before;
    std::fflush(output);
    unlink(cubinOf(i).c_str());
  }
  for (pid_t child : children)
    kill(child, SIGKILL);
  std::printf("%zu of %zu points in %.1f s, %.1f s of them on the device\n", done, points.size(), seconds(), measuring);
}
