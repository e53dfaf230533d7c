#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>

#include <optional>
#include <set>

namespace warpwright {
namespace {

/// The copy with the edits that lie in what it copies; those are taken out of `edits`.
llvm::Expected<Edit> copyOf(const Candidate &candidate, llvm::StringRef original, std::vector<Edit> &edits) {
  const KernelClone &clone = *candidate.clone;
  std::vector<Edit> inside = clone.identity;
  llvm::erase_if(edits, [&](const Edit &edit) {
    bool isInside = edit.offset >= clone.begin && edit.offset + edit.length <= clone.end;
    if (isInside)
      inside.push_back(edit);
    return isInside;
  });
  for (Edit &edit : inside)
    edit.offset -= clone.begin;
  llvm::Expected<std::string> copy = applyEdits(original.slice(clone.begin, clone.end), inside);
  if (!copy)
    return copy.takeError();
  Edit edit = clone.identity.front();
  edit.offset = clone.at;
  edit.length = 0;
  bool startsLine = clone.at != 0 && original[clone.at - 1] == '\n';
  edit.text = std::string(startsLine ? "\n" : "\n\n") + "// '" + clone.original +
              "' as it is launched in this file" +
              (candidate.plan && candidate.plan->guard ? " where " + candidate.plan->guard->str() : "") +
              ": " + candidate.name() + ".\n" + *copy + (startsLine ? "\n" : "");
  edit.reason = "a copy of the kernel, launched otherwise";
  return edit;
}

} // namespace

bool editsMeet(const Edit &left, const Edit &right) {
  if (left.offset == right.offset)
    return true;
  const Edit &earlier = left.offset < right.offset ? left : right;
  return earlier.offset + earlier.length > std::max(left.offset, right.offset);
}

/// Copies that stand side by side, each with the edits of its own candidate: one insertion, in their order.
static llvm::Expected<std::vector<Edit>> chainEdits(llvm::StringRef original,
                                                    llvm::ArrayRef<const Candidate *> chain) {
  std::optional<Edit> copies;
  std::vector<Edit> edits;
  std::set<std::string> names;
  for (const Candidate *variant : chain) {
    if (!variant->clone || !names.insert(variant->clone->name).second)
      return llvm::createStringError("two candidates change the launch");
    std::vector<Edit> own = variant->edits;
    llvm::Expected<Edit> copy = copyOf(*variant, original, own);
    if (!copy)
      return copy.takeError();
    llvm::append_range(edits, own);
    llvm::append_range(edits, variant->clone->redirects);
    if (copies)
      copies->text += copy->text;
    else
      copies = std::move(*copy);
  }
  edits.push_back(std::move(*copies));
  return edits;
}

llvm::Expected<std::vector<Edit>> fileEdits(llvm::StringRef original, llvm::ArrayRef<const Candidate *> set) {
  auto hasClone = [](const Candidate *candidate) { return candidate->clone.has_value(); };
  const auto clones = llvm::count_if(set, hasClone);
  if (clones > 1)
    return chainEdits(original, set);
  std::vector<Edit> edits;
  for (const Candidate *candidate : set)
    llvm::append_range(edits, candidate->edits);
  if (clones == 0)
    return edits;
  const Candidate &changing = **llvm::find_if(set, hasClone);
  llvm::Expected<Edit> copy = copyOf(changing, original, edits);
  if (!copy)
    return copy.takeError();
  edits.push_back(std::move(*copy));
  llvm::append_range(edits, changing.clone->redirects);
  return edits;
}

llvm::Expected<std::string> applyCandidates(llvm::StringRef original, llvm::ArrayRef<const Candidate *> set) {
  llvm::Expected<std::vector<Edit>> edits = fileEdits(original, set);
  if (!edits)
    return edits.takeError();
  return applyEdits(original, *edits);
}

llvm::Expected<std::string> applyEdits(llvm::StringRef text, llvm::ArrayRef<Edit> edits) {
  std::vector<const Edit *> ordered;
  for (const Edit &edit : edits)
    ordered.push_back(&edit);
  llvm::sort(ordered, [](const Edit *left, const Edit *right) {
    return std::tie(left->offset, left->length, left->text) <
           std::tie(right->offset, right->length, right->text);
  });

  std::string result;
  size_t copied = 0;
  for (size_t i = 0; i < ordered.size(); ++i) {
    const Edit &edit = *ordered[i];
    if (i != 0 && editsMeet(*ordered[i - 1], edit))
      return llvm::createStringError("two edits meet at offset " + llvm::Twine(edit.offset) + ": '" +
                                     ordered[i - 1]->reason + "' and '" + edit.reason + "'");
    if (size_t(edit.offset) + edit.length > text.size())
      return llvm::createStringError("an edit at offset " + llvm::Twine(edit.offset) +
                                     " lies outside the file");
    result += text.slice(copied, edit.offset);
    result += edit.text;
    copied = edit.offset + edit.length;
  }
  result += text.substr(copied);
  return result;
}

} // namespace warpwright
