#pragma once

#include <string>

namespace warpwright {

/// A position in a source file as a person would look it up: the spelled file name, and line and column
/// from 1. Line 0 means that the compiler left no location behind.
struct Place {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;

  bool known() const { return line != 0; }
  auto operator<=>(const Place &) const = default;
};

} // namespace warpwright
