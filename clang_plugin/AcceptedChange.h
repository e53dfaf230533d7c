#pragma once

#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <string>

namespace warpwright {

/// The patch of the candidate of a record that leads; empty where there is none.
std::string patchOf(const nlohmann::ordered_json &record);

/// Writes the leading candidate of a record into the source it was made for. Errors: the file is not what it
/// was when the candidate was judged, so that the verdict says nothing of it; it cannot be written.
llvm::Error writeChange(const nlohmann::ordered_json &record);

} // namespace warpwright
