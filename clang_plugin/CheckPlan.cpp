#include "clang_plugin/CheckPlan.h"

#include "clang_plugin/Jobs.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <map>

namespace warpwright {
namespace {

class Planner {
public:
  Planner(const Options &options, const Policy &policy) : options_(options), policy_(policy) {}

  llvm::Expected<CheckPlan> plan() {
    if (options_.database.empty())
      return fromOperands();
    if (!options_.compiler.empty())
      return llvm::createStringError("nvcc's flags come from the compile database, or follow '--', not both");
    llvm::Expected<CompileDatabase> database = CompileDatabase::load(options_.database);
    if (!database)
      return database.takeError();
    std::vector<std::string> files = options_.operands;
    plan_.whole = files.empty();
    if (plan_.whole)
      files = database->cudaFiles();
    if (files.empty())
      return llvm::createStringError("the compile database '" + options_.database +
                                     "' compiles no CUDA source");
    for (const std::string &file : files)
      if (llvm::Expected<std::vector<FileJob>> jobs = makeJobs(file, options_, *database))
        for (FileJob &job : *jobs)
          add(std::move(job));
      else
        refuse(file, jobs.takeError());
    return std::move(plan_);
  }

private:
  llvm::Expected<CheckPlan> fromOperands() {
    if (options_.operands.empty())
      return llvm::createStringError("check needs files, or a compile database (-p)");
    for (const std::string &file : options_.operands)
      if (llvm::Expected<FileJob> job = makeJob(file, options_))
        add(std::move(*job));
      else
        refuse(file, job.takeError());
    return std::move(plan_);
  }

  void add(FileJob job) {
    job.mode = "check";
    job.policy = policy_;
    auto [version, isNew] = versions_.try_emplace(job.toolkit.nvcc);
    if (isNew)
      version->second = toolkitVersion(job.toolkit);
    plan_.jobs.push_back({std::move(job), version->second});
  }

  void refuse(const std::string &file, llvm::Error error) {
    CheckedFile result;
    result.file = absolutePath(file, {});
    result.problems.push_back({CheckProblem::Kind::BadInput,
                               {result.file, 0, 0},
                               "not checked: " + llvm::toString(std::move(error))});
    plan_.impossible.push_back(std::move(result));
  }

  const Options &options_;
  const Policy &policy_;
  CheckPlan plan_;
  std::map<std::string, std::string> versions_; ///< by nvcc
};

bool holds(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return llvm::sys::fs::exists(path);
}

std::string nearestHolding(llvm::StringRef start, llvm::ArrayRef<llvm::StringRef> names) {
  for (llvm::StringRef folder = start; !folder.empty(); folder = llvm::sys::path::parent_path(folder))
    if (llvm::any_of(names, [&](llvm::StringRef name) { return holds(folder, name); }))
      return folder.str();
  return {};
}

} // namespace

std::string findProjectRoot() {
  llvm::SmallString<256> current;
  if (llvm::sys::fs::current_path(current))
    return ".";
  std::string root = nearestHolding(current, {"warpwright.json", "warpwright.baseline.json"});
  if (root.empty())
    root = nearestHolding(current, {".git"});
  return root.empty() ? std::string(current) : root;
}

llvm::Expected<CheckPlan> planCheck(const Options &options, const Policy &policy) {
  return Planner(options, policy).plan();
}

} // namespace warpwright
