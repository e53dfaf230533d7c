#pragma once

#include "analysis/Launch.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace warpwright::reference {

using Shape = std::map<std::string, int64_t>;               ///< scalar parameters by name
using Buffers = std::map<std::string, std::vector<double>>; ///< contents by parameter

enum class Role { In, Out, Zeroed };

struct Buffer {
  std::string name;
  Role role = Role::In;
  std::function<uint64_t(const Shape &)> elements;
  bool isInteger = false; ///< int, and float otherwise
};

/// One of the example kernels, and what it is to compute.
struct Kernel {
  std::string name; ///< of the file, too
  std::vector<Buffer> buffers;
  std::vector<Shape> shapes;
  std::function<Launch(const Shape &)> launch; ///< grid and block
  std::function<void(const Shape &, Buffers &)> compute;
};

const std::vector<Kernel> &exampleKernels();

} // namespace warpwright::reference
