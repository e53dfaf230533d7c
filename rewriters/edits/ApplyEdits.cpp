#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

bool conflict(const Edit &earlier, const Edit &later) {
  if (earlier.offset == later.offset)
    return true;
  return earlier.offset + earlier.length > later.offset;
}

} // namespace

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
    if (i != 0 && conflict(*ordered[i - 1], edit))
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
