#include "feedback/evaluators/cuda/BundleFolder.h"

#include "feedback/evaluators/cuda/BundleManifest.h"
#include "feedback/evaluators/cuda/runner/Sha256.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <map>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

constexpr const char *script = R"sh(#!/bin/sh
# Measures the jobs of this bundle on the first GPU of this machine. It needs a driver, CMake 3.22 and a C++20 compiler;
# RUNNER names a warpwright-runner that is built already. Arguments go to the runner. A run that was cut short goes on.
set -eu
cd "$(dirname "$0")"
sha256sum --check --quiet SHA256SUMS
if [ -z "${RUNNER:-}" ]; then
  cmake -S runner/feedback/evaluators/cuda/runner -B build -DNLOHMANN_JSON_INCLUDE_DIR="$PWD/runner/include"
  cmake --build build --parallel
  RUNNER=build/warpwright-runner
fi
mkdir -p results
failed=0
for job in jobs/*.json; do
  result="results/$(basename "$job")"
  if [ -e "$result" ]; then continue; fi
  code=0
  "$RUNNER" "$job" --output "$result" "$@" || code=$?
  # 0, 1 and 2 are verdicts on the candidate; anything else is no measurement.
  if [ "$code" -gt 2 ]; then
    rm -f "$result"
    failed=$((failed + 1))
  fi
done
echo "$(ls results | wc -l) results; $failed jobs failed"
[ "$failed" -eq 0 ]
)sh";

llvm::Error cannot(const llvm::Twine &what, std::error_code code) {
  return llvm::createStringError(what + ": " + code.message());
}

llvm::Error writeText(const std::string &file, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream stream(file, code);
  if (!code) {
    stream << text;
    stream.close();
    code = stream.error();
  }
  return code ? cannot("'" + file + "' cannot be written", code) : llvm::Error::success();
}

/// The files below a folder by their paths from it, sorted.
llvm::Expected<std::vector<std::string>> filesBelow(llvm::StringRef folder) {
  std::vector<std::string> files;
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, code), end; entry != end && !code;
       entry.increment(code))
    if (fs::is_regular_file(entry->path()))
      files.push_back(entry->path().substr(folder.size() + 1));
  if (code)
    return cannot("'" + folder + "' cannot be read", code);
  std::sort(files.begin(), files.end());
  return files;
}

llvm::Error copyTree(llvm::StringRef from, llvm::StringRef to) {
  llvm::Expected<std::vector<std::string>> files = filesBelow(from);
  if (!files)
    return files.takeError();
  for (const std::string &file : *files) {
    std::string target = (to + "/" + file).str();
    if (std::error_code code = fs::create_directories(path::parent_path(target)))
      return cannot("'" + target + "' cannot be written", code);
    if (std::error_code code = fs::copy_file(from + "/" + file, target))
      return cannot("'" + target + "' cannot be written", code);
  }
  return llvm::Error::success();
}

/// Removing is bounded by what a bundle holds: single files of known folders.
llvm::Error empty(const std::string &folder) {
  if (!fs::exists(folder) || fs::is_directory(folder)) {
    bool isBundle = fs::exists(folder + "/bundle.json");
    std::error_code code;
    bool isEmpty = !fs::exists(folder) || fs::directory_iterator(folder, code) == fs::directory_iterator();
    if (isBundle || isEmpty) {
      for (llvm::StringRef part : {"cubins", "jobs", "results"}) {
        std::string below = folder + "/" + part.str();
        if (!fs::exists(below))
          continue;
        for (fs::directory_iterator entry(below, code), end; entry != end && !code; entry.increment(code))
          fs::remove(entry->path());
      }
      return llvm::Error::success();
    }
  }
  return llvm::createStringError("'" + folder + "' holds something else than a bundle");
}

} // namespace

llvm::Expected<BundleFolder> BundleFolder::create(llvm::StringRef name, llvm::StringRef runnerSource) {
  llvm::SmallString<256> absolute(name);
  fs::make_absolute(absolute);
  BundleFolder bundle{std::string(absolute)};
  if (!fs::is_directory(runnerSource))
    return llvm::createStringError("the runner's source is not at '" + runnerSource + "'");
  if (llvm::Error error = empty(bundle.path_))
    return std::move(error);
  for (llvm::StringRef part : {"cubins", "jobs", "results", "runner"})
    if (std::error_code code = fs::create_directories(bundle.path_ + "/" + part))
      return cannot("'" + bundle.path_ + "' cannot be made", code);
  if (llvm::Error error = copyTree(runnerSource, bundle.path_ + "/runner"))
    return std::move(error);
  return bundle;
}

std::string BundleFolder::codePath(llvm::StringRef cubin) const {
  return ("../cubins/" + path::filename(cubin)).str();
}

llvm::Expected<std::optional<Json>> BundleFolder::take(const Json &job) {
  std::string text = job.dump(1) + "\n";
  std::string number = std::to_string(++jobs_);
  lastJob_.path = "jobs/" + std::string(4 - std::min<size_t>(number.size(), 4), '0') + number + ".json";
  lastJob_.sha256 = runner::sha256(text);
  lastJob_.originalSha256 = job["original"]["sha256"].get<std::string>();
  lastJob_.candidateSha256 = job["candidate"]["sha256"].get<std::string>();
  if (llvm::Error error = writeText(path_ + "/" + lastJob_.path, text))
    return std::move(error);
  return std::nullopt;
}

llvm::Error BundleFolder::finish() const {
  if (llvm::Error error = writeText(path_ + "/bundle.json", writeManifest(kernels_).dump(1) + "\n"))
    return error;
  if (llvm::Error error = writeText(path_ + "/run.sh", script))
    return error;
  if (std::error_code code =
          fs::setPermissions(path_ + "/run.sh", fs::all_read | fs::all_exe | fs::owner_write))
    return cannot("'run.sh' cannot be made a program", code);
  llvm::Expected<std::vector<std::string>> files = filesBelow(path_);
  if (!files)
    return files.takeError();
  std::string sums;
  for (const std::string &file : *files) {
    bool isNeeded = llvm::StringRef(file).starts_with("cubins/") ||
                    llvm::StringRef(file).starts_with("jobs/") ||
                    llvm::StringRef(file).starts_with("runner/") || file == "bundle.json" || file == "run.sh";
    if (!isNeeded)
      continue;
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
        llvm::MemoryBuffer::getFile(path_ + "/" + file);
    if (!buffer)
      return cannot("'" + file + "' cannot be read", buffer.getError());
    sums += runner::sha256((*buffer)->getBuffer()) + "  " + file + "\n";
  }
  return writeText(path_ + "/SHA256SUMS", sums);
}

std::string findRunnerSource(llvm::StringRef program) {
  llvm::SmallString<256> folder(path::parent_path(program));
  path::append(folder, "..", "share", "warpwright", "runner");
  path::remove_dots(folder, /*remove_dot_dot=*/true);
  return std::string(folder);
} // namespace

} // namespace warpwright
