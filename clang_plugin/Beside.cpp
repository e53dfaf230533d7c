#include "clang_plugin/Beside.h"

#include "analysis/AdoptUnit.h"
#include "analysis/frontend/ParseBeside.h"
#include "clang_plugin/CheckFile.h"
#include "clang_plugin/FileVersions.h"
#include "feedback/gate/Exceptions.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// Drops what is accepted beside the code and what is not sure enough.
void dropQuiet(CheckedFile &file, double minConfidence) {
  GatePolicy policy;
  GateRequest request;
  request.policy = &policy;
  request.relative = [](llvm::StringRef path) { return path.str(); };
  request.files = {file};
  // A compiler's user has the day's date only by accident: an exception holds until the gate says otherwise.
  Exceptions exceptions(request);
  for (CheckedKernel &kernel : file.kernels)
    llvm::erase_if(kernel.findings, [&](const CheckedFinding &checked) {
      return checked.finding.confidence < minConfidence ||
             exceptions.accept(checked.finding.id, kernel, checked.finding.place).has_value();
    });
}

CheckedFile checkUnit(const std::string &file, const std::string &directory,
                      llvm::Expected<std::unique_ptr<TranslationUnit>> unit, double minConfidence) {
  CheckJob check;
  check.job.mode = "check";
  check.job.file = file;
  check.job.invocation.directory = directory;
  check.job.invocation.relocatable = true; // there are no resources, and none are missed
  if (!unit)
    return problemOf(check, unit.takeError());
  FileRequest request;
  request.file = file;
  request.invocation = check.job.invocation;
  request.wantResources = false;
  request.target.virtualArchitecture = (*unit)->architecture().drop_front(3).str(); // "sm_"
  request.target.architecture = request.target.virtualArchitecture;
  FileVersions versions;
  versions.files.push_back(adoptUnit(std::move(*unit), request));
  versions.requests.push_back(std::move(request));
  CheckedFile result = checkVersions(check, versions);
  dropQuiet(result, minConfidence);
  return result;
}

} // namespace

CheckedFile checkBeside(const clang::CompilerInvocation &other, double minConfidence) {
  return checkUnit(other.getFrontendOpts().Inputs.front().getFile().str(),
                   other.getFileSystemOpts().WorkingDir, parseBeside(other), minConfidence);
}

CheckedFile checkRequest(const ParseRequest &request, double minConfidence) {
  return checkUnit(request.file, request.directory, parseTranslationUnit(request), minConfidence);
}

clang::SourceLocation locate(const Place &place, const clang::SourceManager &sources) {
  if (!place.known())
    return {};
  clang::OptionalFileEntryRef file = sources.getFileManager().getOptionalFileRef(place.file);
  return file ? sources.translateFileLineCol(*file, place.line, std::max(place.column, 1u))
              : clang::SourceLocation();
}

std::vector<clang::FixItHint> fixItHints(const SuggestedFix &fix, const clang::SourceManager &sources) {
  std::vector<clang::FixItHint> hints;
  for (const Edit &edit : fix.edits) {
    clang::SourceLocation begin = locate({edit.file, 1, 1}, sources);
    if (begin.isInvalid())
      return {};
    begin = begin.getLocWithOffset(edit.offset);
    clang::SourceLocation end = begin.getLocWithOffset(edit.length);
    hints.push_back(edit.length == 0 ? clang::FixItHint::CreateInsertion(begin, edit.text)
                                     : clang::FixItHint::CreateReplacement(
                                           clang::CharSourceRange::getCharRange(begin, end), edit.text));
  }
  return hints;
}

} // namespace warpwright
