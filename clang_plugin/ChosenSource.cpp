#include "clang_plugin/ChosenSource.h"

#include "clang_plugin/Emit.h"
#include "feedback/Choose.h"
#include "rewriters/edits/ApplyEdits.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManagerInternals.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// Each edit once: instantiations of one template ask for the same.
llvm::Expected<std::vector<Edit>> chosenEdits(llvm::StringRef text, llvm::ArrayRef<KernelRecord> records) {
  std::vector<Edit> edits;
  for (const KernelRecord &record : records) {
    llvm::Expected<std::vector<Edit>> chosen = fileEdits(text, chosenSet(record));
    if (!chosen)
      return chosen.takeError();
    for (Edit &edit : *chosen)
      if (llvm::none_of(edits, [&](const Edit &known) { return sameChange(known, edit); }))
        edits.push_back(std::move(edit));
  }
  return edits;
}

SourceRegion regionOf(const KernelAnalysis &kernel, const clang::SourceManager &sources) {
  const clang::FunctionDecl *function = kernel.kernel.declaration;
  if (const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern())
    function = pattern;
  clang::SourceLocation begin = function->getOuterLocStart();
  if (const clang::FunctionTemplateDecl *described = function->getDescribedFunctionTemplate())
    begin = described->getBeginLoc();
  return {sources.getFileOffset(sources.getExpansionLoc(begin)),
          sources.getFileOffset(sources.getExpansionLoc(function->getEndLoc())) + 1};
}

/// The file's own `#line` directives, as Clang took them: those that the preprocessor skipped are not among
/// them.
std::vector<LineOrigin> originsIn(clang::SourceManager &sources, const std::string &path) {
  std::vector<LineOrigin> origins;
  if (!sources.hasLineTable())
    return origins;
  clang::LineTableInfo &table = sources.getLineTable();
  llvm::StringRef text = sources.getBufferData(sources.getMainFileID());
  for (const auto &[file, entries] : table) {
    if (file != sources.getMainFileID())
      continue;
    for (const clang::LineEntry &entry : entries) {
      // The entry lies within its directive, and speaks of the line after it.
      size_t next = text.find('\n', entry.FileOffset);
      if (next != llvm::StringRef::npos)
        origins.push_back({static_cast<unsigned>(next + 1), entry.LineNo,
                           entry.FilenameID < 0 ? path : table.getFilename(entry.FilenameID).str()});
    }
  }
  return origins;
}

} // namespace

llvm::Expected<std::optional<std::string>> chosenSource(const FileJob &job, const FileVersions &versions,
                                                        llvm::ArrayRef<KernelRecord> records) {
  EmitRequest request;
  llvm::Expected<std::vector<Edit>> edits = chosenEdits(versions.text(), records);
  if (!edits)
    return edits.takeError();
  request.edits = std::move(*edits);
  if (request.edits.empty())
    return std::nullopt;
  request.original = versions.text().str();
  request.originalPath = job.file;
  request.generatedPath = job.generatedPath;
  const FileAnalysis &file = versions.files.front();
  request.origins = originsIn(file.unit->ast().getSourceManager(), job.file);
  for (const KernelAnalysis &kernel : file.kernels)
    if (kernel.kernel.inMainFile)
      request.definitions.push_back(regionOf(kernel, file.unit->ast().getSourceManager()));
  llvm::Expected<std::string> text = emitSource(request);
  if (!text)
    return text.takeError();
  return std::optional(std::move(*text));
}

} // namespace warpwright
