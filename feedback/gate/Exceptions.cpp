#include "feedback/gate/Exceptions.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// A comment speaks of what is placed on its line; of a kernel as a whole, anywhere in its declaration.
bool speaksOf(const AcceptComment &comment, const CheckedKernel &kernel, const Place &place) {
  if (comment.place.file != place.file)
    return false;
  if (comment.line == place.line)
    return true;
  bool ofKernel = place.line == kernel.place.line && place.file == kernel.place.file;
  return ofKernel && kernel.beginLine != 0 && comment.line >= kernel.beginLine &&
         comment.line <= kernel.place.line;
}

} // namespace

Exceptions::Exceptions(const GateRequest &request)
    : request_(request), policyUsed_(request.policy->exceptions.size()) {
  // A header is read once for each file that includes it.
  for (const CheckedFile &file : request.files)
    for (const AcceptComment &comment : file.accepts)
      if (llvm::none_of(comments_, [&](const Comment &known) { return known.comment == comment; }))
        comments_.push_back({comment, {}});
}

std::optional<Exceptions::Use> Exceptions::accept(llvm::StringRef rule, const CheckedKernel &kernel,
                                                  const Place &place) {
  std::optional<Use> use;
  for (Comment &entry : comments_) {
    const AcceptComment &comment = entry.comment;
    if (isOver(comment.expires) || !llvm::is_contained(comment.rules, rule) ||
        !speaksOf(comment, kernel, place))
      continue;
    entry.used.push_back(rule.str());
    use = Use{comment.reason, true};
  }
  std::string file = request_.relative(place.file);
  const std::vector<PolicyException> &rows = request_.policy->exceptions;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (isOver(rows[i].expires) || rows[i].rule != rule || !matchesGlob(rows[i].kernels, kernel.name) ||
        !matchesGlob(rows[i].files, file))
      continue;
    policyUsed_[i] = true;
    if (!use)
      use = Use{rows[i].reason, false};
  }
  return use;
}

bool Exceptions::wasChecked(const PolicyException &exception) const {
  if (request_.whole)
    return true;
  return exception.files.find_first_of("*?") == std::string::npos &&
         llvm::any_of(request_.files, [&](const CheckedFile &file) {
           return request_.relative(file.file) == exception.files;
         });
}

std::vector<GateUnused> Exceptions::unused() const {
  std::vector<GateUnused> result;
  for (const Comment &entry : comments_) {
    const AcceptComment &comment = entry.comment;
    for (const std::string &rule : comment.rules) {
      if (isOver(comment.expires))
        result.push_back({comment.place, "the exception of " + rule + " was for the time until " +
                                             comment.expires + " (" + comment.reason + ")"});
      else if (!llvm::is_contained(entry.used, rule))
        result.push_back({comment.place, "nothing here is " + rule + " any more; the exception is unused"});
    }
  }
  const std::vector<PolicyException> &rows = request_.policy->exceptions;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string what =
        "the exception of " + rows[i].rule + " for '" + rows[i].kernels + "' in '" + rows[i].files + "' ";
    if (isOver(rows[i].expires))
      result.push_back({{request_.policyFile, 1, 1}, what + "was for the time until " + rows[i].expires});
    else if (!policyUsed_[i] && wasChecked(rows[i]))
      result.push_back({{request_.policyFile, 1, 1}, what + "is unused"});
  }
  return result;
}

} // namespace warpwright
