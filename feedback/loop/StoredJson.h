#pragma once

#include "feedback/loop/Store.h"

#include <nlohmann/json_fwd.hpp>

#include <array>

namespace warpwright::loop {

/// The texts and numbers of an outcome in the order of the store's columns.
std::array<std::string *, 15> textsOf(StoredOutcome &outcome);
std::array<double *, 5> numbersOf(StoredOutcome &outcome);

nlohmann::ordered_json toJson(const StoredOutcome &outcome);
/// Of an export; an error names the line.
llvm::Expected<std::vector<StoredOutcome>> readLines(const std::string &text);

} // namespace warpwright::loop
