#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <vector>

namespace warpwright::vdevice {

/// A function that lowered code calls by name.
struct RuntimeFunction {
  const char *name;
  void *address;
};

template <typename Result, typename... Parameters> void *addressOf(Result (*function)(Parameters...)) {
  return reinterpret_cast<void *>(function);
}

/// All of them: meeting points, hooks, ends of launches, and arithmetic that LLVM has no instruction for.
std::vector<RuntimeFunction> runtimeFunctions();

/// The part that is arithmetic.
void addRuntimeArithmetic(std::vector<RuntimeFunction> &functions);
void addShortFloats(std::vector<RuntimeFunction> &functions);

/// The part that keeps doubles beside the numbers in memory.
void addShadowRuntime(std::vector<RuntimeFunction> &functions);

} // namespace warpwright::vdevice
