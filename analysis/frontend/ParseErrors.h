#pragma once

#include "analysis/Place.h"

#include <clang/Basic/Diagnostic.h>

#include <map>
#include <string>
#include <vector>

namespace warpwright {

/// What a failed parse leaves behind: enough to report it, and to decide what to try next.
struct ParseErrors {
  /// One error in the user's code.
  struct Site {
    unsigned diagnostic = 0; ///< Clang's id
    std::string file;
    size_t offset = 0; ///< in the text that Clang read
  };

  Place place;              ///< of the first error
  std::string message;      ///< of the first error
  bool asksForNvcc = false; ///< somewhere behind the CUDA headers the code looks at __NVCC__
  bool badPreamble = false; ///< the precompiled preamble is stale or damaged; nothing is known about the code
  std::vector<Site> sites;  ///< those in the user's files, spelled there and not by a macro of somebody else
  std::map<std::string, std::string> texts; ///< of the files named by sites, as Clang read them

  bool has(unsigned diagnostic) const;
};

/// Collects the errors of one parse. Warnings are nvcc's to give: it compiles the same file with the same
/// flags.
class ErrorCollector : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override;
  const ParseErrors &errors() const { return errors_; }

private:
  ParseErrors errors_;
};

} // namespace warpwright
