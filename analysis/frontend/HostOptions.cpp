#include "analysis/frontend/HostOptions.h"

#include <clang/Basic/DiagnosticIDs.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

using namespace warpwright;

namespace {

enum class HostOptionForm { Exact, Joined, Separate, Either };

struct HostOption {
  llvm::StringRef spelling;
  HostOptionForm form;
  llvm::StringRef clangArgument;
  llvm::StringRef reason;

  bool fits(llvm::StringRef word) const {
    bool mayBeJoined = form == HostOptionForm::Joined || form == HostOptionForm::Either;
    return mayBeJoined ? word.starts_with(spelling) : word == spelling;
  }
  bool takesNext(llvm::StringRef word) const {
    return form == HostOptionForm::Separate || (form == HostOptionForm::Either && word == spelling);
  }
};

constexpr HostOption hostOptionTable[] = {
#define WARPWRIGHT_HOST_OPTION(spelling, form, clangArgument, reason)                                        \
  {spelling, HostOptionForm::form, clangArgument, reason},
#include "analysis/frontend/HostOptions.def"
};

const HostOption *findHostOption(llvm::StringRef word) {
  const HostOption *longest = nullptr;
  for (const HostOption &option : hostOptionTable) {
    if (option.fits(word) && (!longest || option.spelling.size() > longest->spelling.size()))
      longest = &option;
  }
  return longest;
}

/// gcc and Clang do not have the same warnings, and Clang warns of one that it does not know.
bool isWarningOfClang(llvm::StringRef word) {
  if (!word.consume_front("-W") || word.empty() || word.starts_with("p,"))
    return true;
  word.consume_front("no-");
  return clang::DiagnosticIDs::getGroupForWarningOption(word).has_value();
}

} // namespace

HostOptions warpwright::adjustHostOptions(llvm::ArrayRef<std::string> words) {
  HostOptions result;
  for (size_t next = 0; next != words.size();) {
    std::vector<std::string> own = {words[next++]};
    const HostOption *option = findHostOption(own.front());
    if (option && option->takesNext(own.front())) {
      if (next == words.size()) {
        result.dropped.push_back({own.front(), "its argument is missing"});
        continue;
      }
      own.push_back(words[next++]);
    }
    std::string spelled = llvm::join(own, " ");
    if (!llvm::StringRef(spelled).starts_with("-"))
      result.dropped.push_back({spelled, "an input of the host compiler"});
    else if (!option)
      result.dropped.push_back(
          {spelled, "an option of the host compiler that does not change how the source reads"});
    else if (option->clangArgument.empty())
      result.dropped.push_back({spelled, option->reason.str()});
    else if (option->clangArgument != "=")
      result.clangArguments.push_back(option->clangArgument.str());
    else if (!isWarningOfClang(own.front()))
      result.dropped.push_back({spelled, "Clang knows no such warning"});
    else
      result.clangArguments.insert(result.clangArguments.end(), own.begin(), own.end());
  }
  return result;
}
