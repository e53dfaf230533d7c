#include "analysis/frontend/ParseErrors.h"

#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

bool speaksOfPreamble(unsigned diagnostic) {
  return diagnostic >= clang::diag::DIAG_START_SERIALIZATION && diagnostic < clang::diag::DIAG_START_LEX;
}

void addSite(ParseErrors &errors, unsigned diagnostic, const clang::SourceManager &sources,
             clang::SourceLocation location) {
  auto [file, offset] = sources.getDecomposedLoc(sources.getSpellingLoc(location));
  clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
  if (!entry || sources.isInSystemHeader(location))
    return;
  std::string name = entry->getName().str();
  errors.texts.try_emplace(name, sources.getBufferData(file));
  errors.sites.push_back({diagnostic, std::move(name), offset});
}

} // namespace

bool ParseErrors::has(unsigned diagnostic) const {
  return llvm::any_of(sites, [&](const Site &site) { return site.diagnostic == diagnostic; });
}

void ErrorCollector::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  if (level < clang::DiagnosticsEngine::Error)
    return;
  errors_.badPreamble |= speaksOfPreamble(info.getID());
  bool located = info.hasSourceManager() && info.getLocation().isValid();
  if (errors_.message.empty()) {
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    errors_.message = std::string(text);
    clang::PresumedLoc location =
        located ? info.getSourceManager().getPresumedLoc(info.getLocation()) : clang::PresumedLoc();
    if (location.isValid())
      errors_.place = {location.getFilename(), location.getLine(), location.getColumn()};
  }
  if (located)
    addSite(errors_, info.getID(), info.getSourceManager(), info.getLocation());
}

} // namespace warpwright
