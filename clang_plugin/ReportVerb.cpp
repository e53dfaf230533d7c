// `warpwright report`: the evidence that a build left behind, as one table.

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/Report.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

bool isEvidence(llvm::StringRef path) {
  return path.ends_with(".warpwright.json");
}

/// The evidence files among and below the paths, sorted by name.
llvm::Expected<std::vector<std::string>> findEvidence(llvm::ArrayRef<std::string> paths) {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    if (!llvm::sys::fs::exists(path))
      return llvm::createStringError("there is nothing at '" + path + "'");
    if (!llvm::sys::fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::error_code code;
    for (llvm::sys::fs::recursive_directory_iterator entry(path, code), end; entry != end && !code;
         entry.increment(code))
      if (isEvidence(entry->path()))
        files.push_back(entry->path());
    if (code)
      return llvm::createStringError("cannot look into '" + path + "': " + code.message());
  }
  llvm::sort(files);
  return files;
}

llvm::Expected<Json> readEvidence(const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  Json document = Json::parse((*buffer)->getBuffer().begin(), (*buffer)->getBuffer().end(), nullptr, false);
  if (document.is_discarded() || document.value("schema", "") != "warpwright/evidence/1")
    return llvm::createStringError("'" + path + "' is no warpwright/evidence/1 document");
  return document;
}

} // namespace

ExitCode runReport(const Options &options) {
  auto fail = [](llvm::Error error) {
    llvm::errs() << "warpwright: error: " << llvm::toString(std::move(error)) << '\n';
    return ExitCode::BadUsage;
  };
  llvm::Expected<std::vector<std::string>> files = findEvidence(options.operands);
  if (!files)
    return fail(files.takeError());
  std::string text;
  llvm::raw_string_ostream stream(text);
  Json documents = Json::array();
  unsigned kernels = 0, improved = 0;
  for (const std::string &file : *files) {
    llvm::Expected<Json> document = readEvidence(file);
    if (!document)
      return fail(document.takeError());
    for (const Json &kernel : document->at("kernels")) {
      ++kernels;
      improved += kernel.at("choice") != "original";
    }
    printEvidence(*document, stream);
    documents.push_back(std::move(*document));
  }
  stream << '\n'
         << improved << " of " << kernels << " kernels improved by facts alone, " << files->size()
         << " files\n";
  if (llvm::Error error = writeOutput(options, options.format == "json" ? documents.dump(2) + "\n" : text))
    return fail(std::move(error));
  return ExitCode::Clean;
}

} // namespace warpwright
