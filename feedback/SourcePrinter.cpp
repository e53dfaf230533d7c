#include "feedback/SourcePrinter.h"

namespace warpwright {

void SourcePrinter::print(llvm::raw_ostream &stream, const Place &place, llvm::SourceMgr::DiagKind kind,
                          const std::string &text) {
  llvm::SMLoc location = locate(place);
  if (location.isValid()) {
    manager_.PrintMessage(stream, location, kind, text);
    return;
  }
  const char *word = kind == llvm::SourceMgr::DK_Warning  ? "warning"
                     : kind == llvm::SourceMgr::DK_Remark ? "remark"
                     : kind == llvm::SourceMgr::DK_Error  ? "error"
                                                          : "note";
  stream << place.file << ':' << place.line << ':' << place.column << ": " << word << ": " << text << '\n';
}

llvm::StringRef SourcePrinter::line(const Place &place) {
  llvm::SMLoc location = locate({place.file, place.line, 1});
  if (!location.isValid())
    return {};
  llvm::StringRef rest = text(place.file);
  rest = rest.drop_front(location.getPointer() - rest.data());
  return rest.take_front(rest.find('\n'));
}

llvm::StringRef SourcePrinter::text(const std::string &file) {
  unsigned buffer = open(file);
  return buffer == 0 ? llvm::StringRef() : manager_.getMemoryBuffer(buffer)->getBuffer();
}

llvm::SMLoc SourcePrinter::locate(const Place &place) {
  unsigned buffer = place.known() ? open(place.file) : 0;
  if (buffer == 0)
    return {};
  return manager_.FindLocForLineAndColumn(buffer, place.line, std::max(place.column, 1u));
}

unsigned SourcePrinter::open(const std::string &file) {
  auto [entry, isNew] = buffers_.try_emplace(file, 0);
  if (isNew)
    if (llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(file))
      entry->second = manager_.AddNewSourceBuffer(std::move(*buffer), {});
  return entry->second;
}

} // namespace warpwright
