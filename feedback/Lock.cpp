#include "feedback/Lock.h"

#include "feedback/Document.h"

namespace warpwright {

llvm::Expected<Lock> readLock(llvm::StringRef path) {
  llvm::Expected<nlohmann::ordered_json> document = readDocument(path, "warpwright/lock/1");
  if (!document)
    return document.takeError();
  auto entries = document->find("entries");
  if (entries == document->end() || !entries->is_array())
    return llvm::createStringError("'" + path +
                                   "' is no warpwright/lock/1 document: it has no array \"entries\"");
  return Lock{entries->size()};
}

} // namespace warpwright
