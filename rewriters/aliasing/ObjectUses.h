#pragma once

#include "analysis/KernelAnalysis.h"

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace warpwright {

/// What the kernel does with the memory behind one pointer, or with one variable.
struct ObjectUse {
  MemoryObject object;
  bool read = false;
  bool written = false;
  bool isVolatile = false;
  SourcePlace place; ///< of the first write, or else of the first access
};

/// For messages: the name in single quotes, the number of the line.
std::string inQuotes(llvm::StringRef name);
std::string lineOf(const SourcePlace &access);
/// For messages: "'p'", "the device variable 'v'", "memory behind a pointer inside 'p'".
std::string describe(const ObjectUse &use);

/// The accesses of a kernel to global memory by object, for one architecture. Shared and local objects are
/// left out: no global pointer leads to them.
class ObjectUses {
public:
  explicit ObjectUses(const KernelFacts &facts);

  /// Why some accesses are not among them (a call, unknown inline assembly, an address without an object);
  /// empty when all are.
  const std::string &hidden() const { return hidden_; }
  const std::vector<ObjectUse> &all() const { return uses_; }
  /// The use of what the parameter points to, or null where it is not accessed.
  const ObjectUse *find(llvm::StringRef parameter) const;

private:
  void add(const MemoryAccess &access);
  void hide(std::string why);

  std::vector<ObjectUse> uses_;
  std::string hidden_;
};

} // namespace warpwright
