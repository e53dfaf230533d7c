#pragma once

#include "analysis/Place.h"
#include "analysis/frontend/TranslationUnit.h"

#include <llvm/Support/Error.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// What to parse. Two requests that differ in file and text alone share a precompiled preamble.
struct ParseRequest {
  std::string file;                        ///< as the user named it
  std::string directory;                   ///< where relative paths start; empty: the current one
  std::string architecture;                ///< "sm_90", "sm_90a", ...
  std::vector<std::string> clangArguments; ///< for Clang's driver, without input, output and -c
  std::optional<std::string> text;         ///< instead of what the file holds on disk
  std::string cudaPath;                    ///< the toolkit's root
  std::string cacheDirectory;              ///< for preambles; empty: no preamble
};

/// Clang could not parse the file: not a fault of the tool, and the original is compiled as it stands.
class ParseFailure : public llvm::ErrorInfo<ParseFailure> {
public:
  static char ID;
  ParseFailure(Place place, std::string message) : place(std::move(place)), message(std::move(message)) {}

  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  Place place;         ///< of the first error
  std::string message; ///< of the first error, in Clang's words
};

/// Parses one file for one architecture into AST and device IR, in process.
/// Fails with ParseFailure when the user's code does not parse, with any other error when the tool cannot
/// work (no such toolkit, unreadable file).
llvm::Expected<std::unique_ptr<TranslationUnit>> parseTranslationUnit(const ParseRequest &request);

} // namespace warpwright
