#include "feedback/Document.h"

#include <llvm/Support/MemoryBuffer.h>

namespace warpwright {

llvm::Expected<nlohmann::ordered_json> readDocument(llvm::StringRef path, llvm::StringRef schema) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  auto document =
      nlohmann::ordered_json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return llvm::createStringError("'" + path + "' is not JSON");
  if (!document.is_object())
    return llvm::createStringError("'" + path + "' is no " + schema + " document: it is no object");
  auto found = document.find("schema");
  if (found == document.end() || !found->is_string())
    return llvm::createStringError("'" + path + "' is no " + schema + " document: it has no \"schema\"");
  if (found->get<std::string>() != schema)
    return llvm::createStringError("'" + path + "' is no " + schema + " document: its schema is " +
                                   found->dump());
  return document;
}

} // namespace warpwright
