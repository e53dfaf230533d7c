// `warpwright report`: the evidence that a build left behind, as one table, or what rules read in a profile,
// or how analysis held against counters.

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/Report.h"
#include "feedback/Calibration.h"
#include "feedback/Document.h"
#include "feedback/rules/ReadProfile.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr llvm::StringLiteral suffix = ".warpwright.json"; // behind the object's name

bool isEvidence(llvm::StringRef path) {
  return path.ends_with(suffix);
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

/// Why evidence beside an object says nothing of it any more; empty when it does. It is written after its
/// object.
std::string whyStale(llvm::StringRef evidence) {
  llvm::StringRef object = evidence;
  if (!object.consume_back(suffix))
    return {};
  llvm::sys::fs::file_status objectStatus, evidenceStatus;
  if (llvm::sys::fs::status(object, objectStatus))
    return "its object is gone";
  if (!llvm::sys::fs::status(evidence, evidenceStatus) &&
      objectStatus.getLastModificationTime() > evidenceStatus.getLastModificationTime())
    return "its object was made again without it";
  return {};
}

/// What the rules read in a profile.
llvm::Expected<std::string> readingOfProfile(const Json &document, bool asJson) {
  llvm::Expected<Profile> profile = readProfile(document);
  if (!profile)
    return profile.takeError();
  ProfileReading reading = diagnose(*profile);
  if (asJson)
    return toJson(reading).dump(2) + "\n";
  std::string text;
  llvm::raw_string_ostream stream(text);
  printReading(reading, stream);
  return text;
}

llvm::Expected<std::string> readingOfCalibration(const Json &document, bool asJson) {
  llvm::Expected<Calibration> calibration = Calibration::read(document);
  if (!calibration)
    return calibration.takeError();
  if (asJson)
    return calibration->toJson().dump(2) + "\n";
  std::string text;
  llvm::raw_string_ostream stream(text);
  printCalibration(calibration->kernels(), stream);
  return text;
}

/// What a single document that is no evidence says; nothing where it is none of these.
std::optional<llvm::Expected<std::string>> readingOfOne(llvm::ArrayRef<std::string> files, bool asJson) {
  if (files.size() != 1)
    return std::nullopt;
  llvm::Expected<Json> profile = readDocument(files.front(), "warpwright/profile/1");
  if (profile)
    return readingOfProfile(*profile, asJson);
  llvm::consumeError(profile.takeError());
  llvm::Expected<Json> calibration = readDocument(files.front(), "warpwright/calibration/1");
  if (calibration)
    return readingOfCalibration(*calibration, asJson);
  llvm::consumeError(calibration.takeError());
  return std::nullopt;
}

} // namespace

ExitCode runReport(const Options &options) {
  auto fail = [](llvm::Error error) {
    llvm::errs() << "warpwright: error: " << llvm::toString(std::move(error)) << '\n';
    return ExitCode::BadUsage;
  };
  if (options.operands.empty())
    return fail(llvm::createStringError("report needs a build folder or evidence files"));
  llvm::Expected<std::vector<std::string>> files = findEvidence(options.operands);
  if (!files)
    return fail(files.takeError());
  if (std::optional<llvm::Expected<std::string>> reading = readingOfOne(*files, options.format == "json")) {
    if (!*reading)
      return fail(reading->takeError());
    if (llvm::Error error = writeOutput(options, **reading))
      return fail(std::move(error));
    return ExitCode::Clean;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  Json documents = Json::array();
  Json all = Json::array();
  unsigned improved = 0;
  for (const std::string &file : *files) {
    if (std::string why = whyStale(file); !why.empty()) {
      llvm::errs() << "warpwright: remark: '" << file << "' is left out: " << why << '\n';
      continue;
    }
    llvm::Expected<Json> document = readDocument(file, "warpwright/evidence/1");
    if (!document)
      return fail(document.takeError());
    for (const Json &kernel : document->at("kernels")) {
      improved += kernel.at("choice") != "original";
      all.push_back(kernel);
    }
    printEvidence(*document, stream);
    documents.push_back(std::move(*document));
  }
  printOverview(all, stream);
  stream << '\n'
         << improved << " of " << all.size() << " kernels improved by facts alone, " << documents.size()
         << " files\n";
  if (llvm::Error error = writeOutput(options, options.format == "json" ? documents.dump(2) + "\n" : text))
    return fail(std::move(error));
  return ExitCode::Clean;
}

} // namespace warpwright
