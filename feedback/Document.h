#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

namespace warpwright {

/// A JSON object read from a file, whose "schema" is the one given. Errors name the file, and say whether it
/// cannot be read, is no JSON (with the place), or is another document.
llvm::Expected<nlohmann::ordered_json> readDocument(llvm::StringRef path, llvm::StringRef schema);

} // namespace warpwright
