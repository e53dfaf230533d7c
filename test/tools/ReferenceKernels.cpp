#include "test/tools/ReferenceKernels.h"

#include <cmath>

namespace warpwright::reference {
namespace {

using Dimensions = std::vector<uint64_t>;

Launch launchOf(Dimensions grid, Dimensions block) {
  grid.resize(3, 1);
  block.resize(3, 1);
  Launch launch;
  launch.grid = {grid[0], grid[1], grid[2]};
  launch.block = {block[0], block[1], block[2]};
  return launch;
}

uint64_t blocks(int64_t count, int64_t size) {
  return static_cast<uint64_t>((count + size - 1) / size);
}

/// The product of scalars, times a factor.
std::function<uint64_t(const Shape &)> product(std::vector<std::string> names, uint64_t factor = 1) {
  return [=](const Shape &shape) {
    uint64_t count = factor;
    for (const std::string &name : names)
      count *= static_cast<uint64_t>(shape.at(name));
    return count;
  };
}

Kernel gemm() {
  return {"gemm",
          {{"a", Role::In, product({"m", "k"})},
           {"b", Role::In, product({"k", "n"})},
           {"c", Role::Out, product({"m", "n"})}},
          {{{"m", 64}, {"n", 32}, {"k", 48}},
           {{"m", 17}, {"n", 31}, {"k", 5}},
           {{"m", 1}, {"n", 1}, {"k", 1}},
           {{"m", 3}, {"n", 40}, {"k", 0}}},
          [](const Shape &s) { return launchOf({blocks(s.at("n"), 16), blocks(s.at("m"), 16)}, {16, 16}); },
          [](const Shape &s, Buffers &b) {
            int64_t n = s.at("n"), k = s.at("k");
            for (int64_t row = 0; row < s.at("m"); ++row)
              for (int64_t column = 0; column < n; ++column) {
                double sum = 0;
                for (int64_t i = 0; i < k; ++i)
                  sum += b["a"][row * k + i] * b["b"][i * n + column];
                b["c"][row * n + column] = sum;
              }
          }};
}

Kernel attention() {
  auto all = product({"heads", "seq"}, 64);
  return {"attention",
          {{"q", Role::In, all}, {"k", Role::In, all}, {"v", Role::In, all}, {"o", Role::Out, all}},
          {{{"heads", 2}, {"seq", 64}}, {{"heads", 1}, {"seq", 32}}},
          [](const Shape &s) {
            return launchOf({blocks(s.at("seq"), 32), static_cast<uint64_t>(s.at("heads"))}, {32, 8});
          },
          [](const Shape &s, Buffers &b) {
            constexpr int64_t width = 64;
            int64_t seq = s.at("seq");
            for (int64_t row = 0; row < s.at("heads") * seq; ++row) {
              int64_t first = row / seq * seq;
              std::vector<double> weights(seq), sums(width);
              double total = 0;
              for (int64_t other = 0; other < seq; ++other) {
                double score = 0;
                for (int64_t d = 0; d < width; ++d)
                  score += b["q"][row * width + d] * b["k"][(first + other) * width + d];
                total += weights[other] = std::exp(score / 8);
              }
              for (int64_t d = 0; d < width; ++d) {
                for (int64_t other = 0; other < seq; ++other)
                  sums[d] += weights[other] * b["v"][(first + other) * width + d];
                b["o"][row * width + d] = sums[d] / total;
              }
            }
          }};
}

Kernel biasGelu() {
  return {"bias_gelu",
          {{"x", Role::In, product({"rows", "cols"})},
           {"bias", Role::In, product({"cols"})},
           {"y", Role::Out, product({"rows", "cols"})}},
          {{{"rows", 7}, {"cols", 33}}, {{"rows", 4}, {"cols", 64}}, {{"rows", 1}, {"cols", 1}}},
          [](const Shape &s) { return launchOf({blocks(s.at("rows") * s.at("cols"), 128)}, {128}); },
          [](const Shape &s, Buffers &b) {
            for (size_t i = 0; i < b["x"].size(); ++i) {
              double v = b["x"][i] + b["bias"][i % static_cast<size_t>(s.at("cols"))];
              b["y"][i] = 0.5 * v * (1 + std::erf(v / std::sqrt(2.0)));
            }
          }};
}

Kernel conv2d() {
  return {"conv2d",
          {{"x", Role::In, product({"batch", "channels", "h", "w"})},
           {"weight", Role::In, product({"outputs", "channels"}, 9)},
           {"y", Role::Out, product({"batch", "outputs", "h", "w"})}},
          {{{"batch", 2}, {"channels", 3}, {"outputs", 4}, {"h", 18}, {"w", 33}},
           {{"batch", 1}, {"channels", 2}, {"outputs", 3}, {"h", 5}, {"w", 7}},
           {{"batch", 1}, {"channels", 1}, {"outputs", 1}, {"h", 1}, {"w", 1}}},
          [](const Shape &s) {
            return launchOf({blocks(s.at("w"), 16), blocks(s.at("h"), 16),
                             static_cast<uint64_t>(s.at("batch") * s.at("outputs"))},
                            {16, 16});
          },
          [](const Shape &s, Buffers &b) {
            int64_t h = s.at("h"), w = s.at("w"), channels = s.at("channels"), outputs = s.at("outputs");
            for (int64_t i = 0; i < static_cast<int64_t>(b["y"].size()); ++i) {
              int64_t column = i % w, row = i / w % h, o = i / w / h % outputs, image = i / w / h / outputs;
              double sum = 0;
              for (int64_t tap = 0; tap < channels * 9; ++tap) {
                int64_t c = tap / 9, y = row + tap / 3 % 3 - 1, x = column + tap % 3 - 1;
                if (y >= 0 && y < h && x >= 0 && x < w)
                  sum += b["x"][((image * channels + c) * h + y) * w + x] *
                         b["weight"][(o * channels) * 9 + tap];
              }
              b["y"][i] = sum;
            }
          }};
}

Kernel histogram() {
  return {"histogram",
          {{"data", Role::In, product({"n"}), true}, {"bins", Role::Zeroed, product({}, 256), true}},
          {{{"n", 1000}}, {{"n", 256}}, {{"n", 13}}, {{"n", 1}}},
          [](const Shape &s) { return launchOf({blocks(s.at("n"), 256)}, {256}); },
          [](const Shape &, Buffers &b) {
            for (double value : b["data"])
              ++b["bins"][static_cast<size_t>(value) & 255];
          }};
}

Kernel layernorm() {
  return {"layernorm",
          {{"x", Role::In, product({"rows", "cols"})},
           {"gain", Role::In, product({"cols"})},
           {"bias", Role::In, product({"cols"})},
           {"y", Role::Out, product({"rows", "cols"})}},
          {{{"rows", 3}, {"cols", 1000}}, {{"rows", 4}, {"cols", 256}}, {{"rows", 2}, {"cols", 7}}},
          [](const Shape &s) { return launchOf({static_cast<uint64_t>(s.at("rows"))}, {256}); },
          [](const Shape &s, Buffers &b) {
            int64_t columns = s.at("cols");
            for (int64_t row = 0; row < s.at("rows"); ++row) {
              double sum = 0, squares = 0;
              for (int64_t c = 0; c < columns; ++c) {
                sum += b["x"][row * columns + c];
                squares += b["x"][row * columns + c] * b["x"][row * columns + c];
              }
              double mean = sum / static_cast<double>(columns);
              double scale = 1 / std::sqrt(squares / static_cast<double>(columns) - mean * mean + 1e-5);
              for (int64_t c = 0; c < columns; ++c)
                b["y"][row * columns + c] =
                    (b["x"][row * columns + c] - mean) * scale * b["gain"][c] + b["bias"][c];
            }
          }};
}

Kernel matvec() {
  return {"matvec",
          {{"a", Role::In, product({"rows", "cols"})},
           {"x", Role::In, product({"cols"})},
           {"y", Role::Out, product({"rows"})}},
          {{{"rows", 130}, {"cols", 70}}, {{"rows", 9}, {"cols", 5}}, {{"rows", 1}, {"cols", 1}}},
          [](const Shape &s) { return launchOf({blocks(s.at("rows"), 128)}, {128}); },
          [](const Shape &s, Buffers &b) {
            for (int64_t row = 0; row < s.at("rows"); ++row) {
              b["y"][row] = 0;
              for (int64_t c = 0; c < s.at("cols"); ++c)
                b["y"][row] += b["a"][row * s.at("cols") + c] * b["x"][c];
            }
          }};
}

Kernel reduceSum() {
  return {"reduce_sum",
          {{"in", Role::In, product({"n"})}, {"out", Role::Zeroed, product({}, 1)}},
          {{{"n", 1000}}, {{"n", 512}}, {{"n", 7}}, {{"n", 1}}},
          [](const Shape &s) { return launchOf({blocks(s.at("n"), 256)}, {256}); },
          [](const Shape &, Buffers &b) {
            for (double value : b["in"])
              b["out"][0] += value;
          }};
}

Kernel softmaxRows() {
  return {"softmax_rows",
          {{"in", Role::In, product({"rows", "cols"})}, {"out", Role::Out, product({"rows", "cols"})}},
          {{{"rows", 130}, {"cols", 20}}, {{"rows", 5}, {"cols", 3}}, {{"rows", 1}, {"cols", 1}}},
          [](const Shape &s) { return launchOf({blocks(s.at("rows"), 128)}, {128}); },
          [](const Shape &s, Buffers &b) {
            int64_t columns = s.at("cols");
            for (int64_t row = 0; row < s.at("rows"); ++row) {
              double total = 0;
              for (int64_t c = 0; c < columns; ++c)
                total += std::exp(b["in"][row * columns + c]);
              for (int64_t c = 0; c < columns; ++c)
                b["out"][row * columns + c] = std::exp(b["in"][row * columns + c]) / total;
            }
          }};
}

Kernel stencil2d() {
  return {"stencil2d",
          {{"in", Role::In, product({"n", "n"})}, {"out", Role::Zeroed, product({"n", "n"})}},
          {{{"n", 33}}, {{"n", 16}}, {{"n", 5}}, {{"n", 2}}, {{"n", 1}}},
          [](const Shape &s) { return launchOf({blocks(s.at("n"), 16), blocks(s.at("n"), 16)}, {16, 16}); },
          [](const Shape &s, Buffers &b) {
            int64_t n = s.at("n");
            auto in = [&](int64_t row, int64_t column) { return b["in"][row * n + column]; };
            for (int64_t row = 1; row < n - 1; ++row)
              for (int64_t column = 1; column < n - 1; ++column)
                b["out"][row * n + column] =
                    0.2 * (in(row, column) + in(row - 1, column) + in(row + 1, column) + in(row, column - 1) +
                           in(row, column + 1));
          }};
}

Kernel transposed(std::string name, std::vector<Buffer> buffers, std::vector<Shape> shapes, std::string rows,
                  std::string columns, std::function<Launch(const Shape &)> launch) {
  return {std::move(name), std::move(buffers), std::move(shapes), std::move(launch),
          [=](const Shape &s, Buffers &b) {
            for (int64_t row = 0; row < s.at(rows); ++row)
              for (int64_t column = 0; column < s.at(columns); ++column)
                b["out"][column * s.at(rows) + row] = b["in"][row * s.at(columns) + column];
          }};
}

} // namespace

const std::vector<Kernel> &exampleKernels() {
  auto area = product({"rows", "cols"}), square = product({"n", "n"});
  static const std::vector<Kernel> kernels = {
      attention(),
      biasGelu(),
      conv2d(),
      gemm(),
      histogram(),
      layernorm(),
      matvec(),
      reduceSum(),
      softmaxRows(),
      stencil2d(),
      transposed("transpose", {{"in", Role::In, area}, {"out", Role::Out, area}},
                 {{{"rows", 33}, {"cols", 31}}, {{"rows", 64}, {"cols", 32}}, {{"rows", 1}, {"cols", 1}}},
                 "rows", "cols",
                 [](const Shape &s) {
                   return launchOf({blocks(s.at("cols"), 32), blocks(s.at("rows"), 8)}, {32, 8});
                 }),
      transposed("transpose_tile", {{"in", Role::In, square}, {"out", Role::Out, square}},
                 {{{"n", 96}}, {{"n", 32}}}, "n", "n", [](const Shape &s) {
                   return launchOf({blocks(s.at("n"), 32), blocks(s.at("n"), 32)}, {32, 8});
                 })};
  return kernels;
}

} // namespace warpwright::reference
