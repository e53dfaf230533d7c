#include "clang_plugin/WarningSelection.h"

#include "analysis/Finding.h"

namespace warpwright {

std::pair<bool, std::string> WarningSelection::apply(llvm::StringRef option) {
  const std::string whole = option.str();
  if (option == "error" || option == "no-error") {
    everyWarning_ = option == "error";
    return {false, {}};
  }
  bool forError = false, value = true;
  if (option.consume_front("no-error="))
    forError = true, value = false;
  else if (option.consume_front("error="))
    forError = true;
  else if (option.consume_front("no-"))
    value = false;
  if (!option.consume_front("warpwright"))
    return {false, {}};
  if (option.empty()) {
    set({}, forError, value);
    return {true, {}};
  }
  if (!option.consume_front("-") || !findFindingRule(option))
    return {true, "there is no finding for '-W" + whole + "'; `warpwright list` names them"};
  set(option, forError, value);
  return {true, {}};
}

/// As Clang does: an option about all of them goes over what was said of some before.
void WarningSelection::set(llvm::StringRef id, bool forError, bool value) {
  auto change = [&](Choice &choice) {
    if (forError)
      choice.error = value;
    if (!forError || value)
      choice.on = value;
  };
  if (!id.empty()) {
    change(byId_.try_emplace(id.str(), all_).first->second);
    return;
  }
  change(all_);
  for (auto &[known, choice] : byId_)
    change(choice);
}

WarningSelection::Level WarningSelection::of(llvm::StringRef id) const {
  auto found = byId_.find(id.str());
  const Choice &choice = found == byId_.end() ? all_ : found->second;
  return !choice.on ? Level::Off : choice.error.value_or(everyWarning_) ? Level::Error : Level::Warning;
}

} // namespace warpwright
