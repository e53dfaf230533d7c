#include "clang_plugin/CheckCache.h"

#include "clang_plugin/LockedChoice.h"
#include "clang_plugin/OutputFile.h"
#include "clang_plugin/Version.h"
#include "feedback/gate/Fingerprint.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

/// Time and size of a file, or nothing where there is none.
std::string stampOf(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return {};
  return std::to_string(status.getLastModificationTime().time_since_epoch().count()) + ":" +
         std::to_string(status.getSize());
}

} // namespace

CheckCache::CheckCache(std::string directory, llvm::StringRef program) : directory_(std::move(directory)) {
  if (directory_.empty())
    return;
  directory_ += "/checks";
  identity_ = std::string(WARPWRIGHT_VERSION) + " " + stampOf(program);
  if (llvm::sys::fs::create_directories(directory_))
    directory_.clear();
}

std::string CheckCache::pathOf(const CheckJob &check, bool withFixes) const {
  const FileJob &job = check.job;
  std::string text = identity_;
  auto add = [&](const std::string &part) { text += '\0' + part; };
  add(check.toolkit);
  add(job.toolkit.nvcc);
  add(job.toolkit.root);
  add(job.file);
  add(job.invocation.directory);
  for (const std::string &argument : job.invocation.clangArguments)
    add("c" + argument);
  for (const std::string &argument : job.invocation.deviceArguments)
    add("d" + argument);
  for (const NvccTarget &target : job.invocation.targets)
    add("t" + target.virtualArchitecture + "," + target.architecture + "," + std::to_string(target.form));
  for (const std::string &rewriter : job.policy.forbiddenRewriters)
    add("f" + rewriter);
  if (job.lock)
    add("l" + job.lock->path);
  if (withFixes)
    add("x");
  return directory_ + "/" + shortHash(text) + ".json";
}

std::optional<CheckedFile> CheckCache::find(const CheckJob &check) const {
  if (directory_.empty())
    return std::nullopt;
  std::optional<CheckedFile> kept = read(pathOf(check, /*withFixes=*/true));
  return kept || check.wantFixes ? kept : read(pathOf(check, /*withFixes=*/false));
}

std::optional<CheckedFile> CheckCache::read(const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return std::nullopt;
  llvm::StringRef text = (*buffer)->getBuffer();
  Json document = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || !document["stamps"].is_object())
    return std::nullopt;
  for (const auto &[file, stamp] : document["stamps"].items())
    if (!stamp.is_string() || stamp.get<std::string>().empty() || stampOf(file) != stamp.get<std::string>())
      return std::nullopt;
  return checkedFileFromJson(document["result"]);
}

void CheckCache::keep(const CheckJob &check, const CheckedFile &result, llvm::sys::TimePoint<> start) const {
  if (directory_.empty() || !result.problems.empty())
    return;
  Json stamps = Json::object();
  for (const std::string &path : result.dependencies) {
    llvm::sys::fs::file_status status;
    if (llvm::sys::fs::status(path, status) || status.getLastModificationTime() >= start)
      return;
    stamps[path] = stampOf(path);
  }
  Json document = {{"stamps", std::move(stamps)}, {"result", toJson(result)}};
  llvm::consumeError(writeFile(pathOf(check, check.wantFixes), document.dump() + "\n"));
}

} // namespace warpwright
