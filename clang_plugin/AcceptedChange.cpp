#include "clang_plugin/AcceptedChange.h"

#include "clang_plugin/OutputFile.h"
#include "feedback/agents/Ledger.h"
#include "feedback/agents/Submission.h"
#include "feedback/agents/UnifiedDiff.h"
#include "rewriters/edits/ApplyEdits.h"

#include <llvm/Support/MemoryBuffer.h>

namespace warpwright {

using agents::textIn;

std::string patchOf(const nlohmann::ordered_json &record) {
  auto candidates = record.find("candidates");
  auto best = record.find("best");
  if (candidates == record.end() || best == record.end() || !best->is_number_unsigned() ||
      best->get<size_t>() >= candidates->size())
    return {};
  return textIn((*candidates)[best->get<size_t>()], "patch");
}

llvm::Error writeChange(const nlohmann::ordered_json &record) {
  const std::string file = textIn(record, "file"), patch = patchOf(record);
  if (patch.empty())
    return llvm::createStringError("the submission holds no change that could be written");
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return llvm::createStringError("cannot read '" + file + "': " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  if (agents::checksumOf(text) != textIn(record, "original_text"))
    return llvm::createStringError("'" + file +
                                   "' is not as it was when this was judged: submit the change again");
  llvm::Expected<std::vector<Edit>> edits = agents::readDiff(patch, text);
  if (!edits)
    return edits.takeError();
  llvm::Expected<std::string> changed = applyEdits(text, *edits);
  return changed ? writeFile(file, *changed) : changed.takeError();
}

} // namespace warpwright
