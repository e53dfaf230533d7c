#pragma once

#include "clang_plugin/CheckFile.h"

#include <llvm/Support/Chrono.h>

#include <optional>

namespace warpwright {

/// Results of checks, kept with the files that they were made from. A result is the answer again while the
/// tool, the command and the time and size of every one of those files are the same. (A header that is new
/// and stands before another of the same name in the search path goes unseen, as with other compiler caches.)
class CheckCache {
public:
  /// `directory` may be empty: nothing is kept. `program` is this tool, whose change makes all results old.
  CheckCache(std::string directory, llvm::StringRef program);

  /// A result with fixes serves those who want none, too.
  std::optional<CheckedFile> find(const CheckJob &check) const;
  /// Keeps a result that has no problem, of a check that began at `start`: what was written since may not be
  /// what the check read. A failure to keep it costs time later and nothing else.
  void keep(const CheckJob &check, const CheckedFile &result, llvm::sys::TimePoint<> start) const;

private:
  std::string pathOf(const CheckJob &check, bool withFixes) const;
  static std::optional<CheckedFile> read(const std::string &path);

  std::string directory_;
  std::string identity_; ///< of the tool
};

} // namespace warpwright
