#pragma once

#include "analysis/frontend/ParseErrors.h"

#include <llvm/ADT/StringRef.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// One replacement made in memory before Clang reads the text.
struct Mend {
  size_t offset = 0; ///< bytes from the start of the original text
  size_t length = 0; ///< bytes replaced there
  std::string replacement;
  std::string reason;

  bool keepsColumns() const { return replacement.size() == length; }
};

/// A text as it lies on disk and what was changed in it. Lines are the same in both; columns are, too, but
/// for what stands behind a mend of another length on its line. Whoever edits the original must map offsets
/// and keep away from mends.
class RemappedSource {
public:
  explicit RemappedSource(llvm::StringRef original) : original_(original) {}

  /// Refuses a mend that overlaps an earlier one or would change the number of lines, and says so with false.
  bool add(Mend mend);

  const std::string &original() const { return original_; }
  const std::vector<Mend> &mends() const { return mends_; } ///< by offset
  std::string text() const;

  /// The original's offset of an offset in text(); nothing inside of a replacement.
  std::optional<size_t> toOriginal(size_t offset) const;
  /// Some mend changes bytes of the original's [begin, end), or inserts at one of them.
  bool touches(size_t begin, size_t end) const;

private:
  std::string original_;
  std::vector<Mend> mends_;
};

/// What a declaration cannot mend and a text alone shows: `extern "C"__global__`, which C++11 reads as a
/// literal's suffix, and special registers in inline PTX with one % instead of two, which nvcc lets pass.
std::vector<Mend> findMends(llvm::StringRef text);

/// Turns the function-local `__shared__ T name[n];` whose name stands at the offset into raw storage and a
/// reference: nvcc runs no constructor for an object in shared memory, and Clang refuses one that has any.
/// Nothing for other forms of declaration.
std::vector<Mend> mendSharedObject(llvm::StringRef text, size_t nameOffset);

/// Puts `template` into `A<T>::f<n>(...)` at the offset, where f depends on T: nvcc takes the first `<` for a
/// bracket, Clang for a comparison. Nothing where no such name stands.
std::vector<Mend> mendDependentTemplate(llvm::StringRef text, size_t offset);

/// The files of one translation unit that are read otherwise than they lie on disk.
class Remapping {
public:
  /// Mends what the errors of a failed parse point at; false when nothing new could be mended.
  bool learn(const ParseErrors &errors);

  bool empty() const { return files_.empty(); }
  const std::map<std::string, RemappedSource> &files() const {
    return files_;
  } ///< by the name Clang knows them by

private:
  std::map<std::string, RemappedSource> files_;
};

} // namespace warpwright
