#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>

namespace warpwright::vdevice {

/// What stands in the place of a fat binary in a program for the virtual device: this, followed by the device
/// IR as bitcode. Written by `warpwright-device-image`, read when the program starts.
struct DeviceImage {
  static constexpr uint64_t magicNumber = 0x31676d6957705257; ///< "WRpWimg1"
  enum : uint64_t { FlushDenormals = 1, NoContraction = 2, ApproximateRoots = 4 };

  uint64_t magic = magicNumber;
  uint64_t options = 0;
  uint64_t bytes = 0; ///< of the bitcode

  llvm::StringRef bitcode() const { return {reinterpret_cast<const char *>(this + 1), bytes}; }
};

} // namespace warpwright::vdevice
