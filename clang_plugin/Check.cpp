// `warpwright check`: the gate. What is worse than the committed baseline says fails; what could not be
// looked at is said, and is never clean.

#include "clang_plugin/ChangedFiles.h"
#include "clang_plugin/CheckCache.h"
#include "clang_plugin/CheckPlan.h"
#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/LockedChoice.h"
#include "clang_plugin/OutputFile.h"
#include "clang_plugin/Pages.h"
#include "clang_plugin/Version.h"
#include "clang_plugin/WorkFolder.h"
#include "clang_plugin/Workers.h"
#include "feedback/gate/GateOutput.h"

#include "analysis/frontend/Dependencies.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Path.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <thread>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *startingPolicy = R"({
  "schema": "warpwright/policy/1",
  "fail_on": "warning",
  "severity": {"default": "warning"},
  "limits": [
    {"kernels": "*", "spill_bytes": 0}
  ],
  "allowed_change": {"registers": 16},
  "exceptions": []
}
)";

std::string today() {
  auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  std::chrono::year_month_day date(day);
  return llvm::formatv("{0:D4}-{1:D2}-{2:D2}", int(date.year()), unsigned(date.month()), unsigned(date.day()))
      .str();
}

bool isFormat(llvm::StringRef format) {
  return llvm::is_contained({"text", "json", "sarif", "junit", "markdown"}, format);
}

class Checker : private ExitTally {
public:
  explicit Checker(const Options &options) : options_(options) {}

  ExitCode run() {
    root_ = options_.baseline.empty()
                ? findProjectRoot()
                : llvm::sys::path::parent_path(absolutePath(options_.baseline, {})).str();
    if (options_.init)
      return init();
    if (llvm::Error error = readInputs())
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    llvm::Expected<CheckPlan> plan = planCheck(options_, policy_);
    if (!plan)
      return fail(ExitCode::BadUsage, llvm::toString(plan.takeError()));
    if (llvm::Error error = takeLock(*plan))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    llvm::Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create();
    if (!folder)
      return fail(ExitCode::Undecided, llvm::toString(folder.takeError()));
    for (CheckJob &check : plan->jobs) {
      check.job.temporaryDirectory = (*folder)->path();
      check.wantFixes = showsFixes();
    }
    cache_.emplace(cacheDirectory(options_), options_.program);
    if (!options_.diff.empty())
      if (llvm::Error error = keepTouched(*plan))
        return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    files_ = std::move(plan->impossible);
    checkAll(plan->jobs);
    for (const CheckedFile &file : files_)
      llvm::errs() << file.diagnostics;
    return options_.writeBaseline ? writeBaseline(plan->whole) : report(plan->whole);
  }

private:
  std::string inRoot(llvm::StringRef name) const {
    llvm::SmallString<256> path(root_);
    llvm::sys::path::append(path, name);
    return std::string(path);
  }

  /// A path from the root; one that lies outside stays absolute.
  std::string relative(llvm::StringRef path) const {
    if (path.starts_with(root_) && path.drop_front(root_.size()).starts_with("/"))
      return path.drop_front(root_.size() + 1).str();
    return path.str();
  }

  std::string display(const std::string &path) const {
    std::string absolute = absolutePath(path, root_);
    llvm::SmallString<256> current;
    if (!llvm::sys::fs::current_path(current) && llvm::StringRef(absolute).starts_with(current.str()) &&
        llvm::StringRef(absolute).drop_front(current.size()).starts_with("/"))
      return absolute.substr(current.size() + 1);
    return absolute;
  }

  ExitCode init() {
    std::string path = options_.policy.empty() ? inRoot("warpwright.json") : options_.policy;
    if (llvm::sys::fs::exists(path))
      return fail(ExitCode::BadUsage, "'" + path + "' is there already, and stays as it is");
    if (llvm::Error error = writeFile(path, startingPolicy))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    llvm::outs() << "wrote '" << display(path) << "'\n";
    return ExitCode::Clean;
  }

  llvm::Error readInputs() {
    if (!options_.format.empty() && !isFormat(options_.format))
      return llvm::createStringError("there is no format '" + options_.format +
                                     "'; there are text, json, sarif, junit and markdown");
    for (const std::string &also : options_.also) {
      auto [format, file] = llvm::StringRef(also).split('=');
      if (!isFormat(format) || file.empty())
        return llvm::createStringError("--also takes FORMAT=FILE, not '" + also + "'");
    }
    policyFile_ = options_.policy.empty() ? inRoot("warpwright.json") : absolutePath(options_.policy, {});
    if (!options_.policy.empty() || llvm::sys::fs::exists(policyFile_)) {
      llvm::Expected<Policy> policy = readPolicy(policyFile_);
      if (!policy)
        return policy.takeError();
      policy_ = std::move(*policy);
    }
    baselineFile_ =
        options_.baseline.empty() ? inRoot("warpwright.baseline.json") : absolutePath(options_.baseline, {});
    bool given = !options_.baseline.empty() && !options_.writeBaseline;
    if (!given && !llvm::sys::fs::exists(baselineFile_))
      return llvm::Error::success();
    llvm::Expected<Baseline> baseline = readBaseline(baselineFile_);
    if (!baseline)
      return baseline.takeError();
    baseline_ = std::move(*baseline);
    return llvm::Error::success();
  }

  llvm::Error takeLock(CheckPlan &plan) const {
    if (options_.lock.empty())
      return llvm::Error::success();
    llvm::Expected<Lock> lock = Lock::read(options_.lock);
    if (!lock)
      return lock.takeError();
    auto file = std::make_shared<const LockFile>(LockFile{absolutePath(options_.lock, {}), std::move(*lock)});
    for (CheckJob &check : plan.jobs)
      check.job.lock = file;
    return llvm::Error::success();
  }

  unsigned atOnce() const {
    return options_.jobs != 0 ? options_.jobs : std::max(std::thread::hardware_concurrency(), 1u);
  }

  /// SARIF alone has a place for them.
  bool showsFixes() const {
    return !options_.writeBaseline &&
           (options_.format == "sarif" ||
            llvm::any_of(options_.also, [](llvm::StringRef also) { return also.starts_with("sarif="); }));
  }

  /// Drops the jobs that the change does not reach. What the preprocessor cannot follow is looked at.
  llvm::Error keepTouched(CheckPlan &plan) {
    llvm::Expected<ChangedFiles> changed = ChangedFiles::since(options_.diff, root_);
    if (!changed)
      return changed.takeError();
    plan.whole = false;
    std::vector<CheckJob> touched, unknown;
    for (CheckJob &check : plan.jobs) {
      std::string file = absolutePath(check.job.file, check.job.invocation.directory);
      if (changed->touches(file)) {
        touched.push_back(std::move(check));
        continue;
      }
      std::optional<CheckedFile> kept = cache_->find(check);
      if (!kept)
        unknown.push_back(std::move(check));
      else if (changed->touches(kept->dependencies))
        touched.push_back(std::move(check));
    }
    if (changed->empty())
      unknown.clear();
    std::vector<TaskResult> scans = runInProcesses(unknown.size(), atOnce(), [&](size_t i) {
      return reaches(*changed, unknown[i]) ? std::string("touched") : std::string();
    });
    for (size_t i = 0; i < unknown.size(); ++i)
      if (scans[i].output == "touched" || !scans[i].failure.empty())
        touched.push_back(std::move(unknown[i]));
    plan.jobs = std::move(touched);
    return llvm::Error::success();
  }

  static bool reaches(const ChangedFiles &changed, const CheckJob &check) {
    for (const NvccTarget &target : analysisTargets(check.job.invocation)) {
      llvm::Expected<std::vector<std::string>> files = scanDependencies(parseRequestOf(check.job, target));
      if (!files) {
        llvm::consumeError(files.takeError());
        return true;
      }
      if (changed.touches(*files))
        return true;
    }
    return false;
  }

  void checkAll(llvm::ArrayRef<CheckJob> jobs) {
    std::vector<CheckJob> open;
    for (const CheckJob &check : jobs)
      if (std::optional<CheckedFile> kept = cache_->find(check))
        files_.push_back(std::move(*kept));
      else
        open.push_back(check);
    std::vector<TaskResult> results = runInProcesses(open.size(), atOnce(), [&](size_t i) {
      auto start =
          std::chrono::time_point_cast<llvm::sys::TimePoint<>::duration>(std::chrono::system_clock::now());
      CheckedFile result = checkFile(open[i]);
      cache_->keep(open[i], result, start);
      return toJson(result).dump(-1, ' ', false, Json::error_handler_t::replace);
    });
    for (size_t i = 0; i < open.size(); ++i)
      files_.push_back(resultOf(open[i], results[i]));
  }

  static CheckedFile resultOf(const CheckJob &check, const TaskResult &result) {
    if (result.failure.empty())
      if (std::optional<CheckedFile> file =
              checkedFileFromJson(Json::parse(result.output, nullptr, /*allow_exceptions=*/false)))
        return std::move(*file);
    CheckedFile file;
    file.file = absolutePath(check.job.file, check.job.invocation.directory);
    file.problems.push_back({CheckProblem::Kind::ToolFault,
                             {file.file, 0, 0},
                             "not checked, by a fault of this tool: the process that checked it " +
                                 (result.failure.empty() ? "gave no whole answer" : result.failure)});
    return file;
  }

  void noteProblems(llvm::ArrayRef<CheckProblem> problems) {
    for (const CheckProblem &problem : problems)
      note(problem.kind == CheckProblem::Kind::NotChecked ? ExitCode::Undecided
           : problem.kind == CheckProblem::Kind::BadInput ? ExitCode::BadUsage
                                                          : ExitCode::ToolFault);
  }

  GateReport judgeAll(bool whole) const {
    GateRequest request;
    request.files = files_;
    request.baseline = baseline_;
    request.baselineFile = relative(baselineFile_);
    request.policy = &policy_.gate;
    request.policyFile = policyFile_;
    request.today = today();
    request.whole = whole;
    request.relative = [this](llvm::StringRef path) { return relative(path); };
    request.exists = [this](llvm::StringRef path) {
      return llvm::sys::fs::exists(absolutePath(path, root_));
    };
    return judge(request);
  }

  ExitCode report(bool whole) {
    GateReport report = judgeAll(whole);
    if (report.fails())
      note(ExitCode::Findings);
    noteProblems(report.problems);
    if (llvm::Error error = writeOutput(options_, print(report, options_.format)))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    for (const std::string &also : options_.also) {
      auto [format, file] = llvm::StringRef(also).split('=');
      if (llvm::Error error = writeFile(file, print(report, format)))
        fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    }
    return worst_;
  }

  std::string print(const GateReport &report, llvm::StringRef format) const {
    GateContext context;
    context.version = WARPWRIGHT_VERSION;
    context.root = root_;
    context.docsUrl = WARPWRIGHT_DOCS_URL;
    context.display = [this](const std::string &path) { return display(path); };
    context.pageOf = [](llvm::StringRef id) {
      const Page *page = findPage(id);
      return page ? llvm::StringRef(page->text) : llvm::StringRef();
    };
    auto dump = [](const Json &document) {
      return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    };
    if (format == "json")
      return dump(gateToJson(report));
    if (format == "sarif")
      return dump(gateToSarif(report, context));
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (format == "junit")
      printGateJunit(report, stream);
    else if (format == "markdown")
      printGateMarkdown(report, stream);
    else
      printGateText(report, context, stream);
    return text;
  }

  /// Files that could not be checked keep what the old baseline says of them.
  ExitCode writeBaseline(bool whole) {
    std::vector<std::string> checked;
    bool complete = true;
    for (const CheckedFile &file : files_) {
      noteProblems(file.problems);
      for (const CheckProblem &problem : file.problems)
        llvm::errs() << display(problem.place.file) << ": error: " << problem.message << '\n';
      if (file.problems.empty())
        checked.push_back(relative(file.file));
      complete &= file.problems.empty();
    }
    auto relativeName = [this](llvm::StringRef path) { return relative(path); };
    Baseline baseline = baselineOf(files_, relativeName);
    // Of a whole project nothing old is left; else what was not looked at stays.
    if (baseline_ && !(whole && complete))
      baseline = mergeBaselines(*baseline_, std::move(baseline), checked);
    if (llvm::Error error = writeFile(baselineFile_, printBaseline(baseline)))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    llvm::outs() << "wrote '" << display(baselineFile_) << "': " << baseline.kernels.size() << " kernels of "
                 << files_.size() << " files\n";
    return worst_;
  }

  const Options &options_;
  std::string root_;
  Policy policy_;
  std::string policyFile_;
  std::optional<Baseline> baseline_;
  std::string baselineFile_;
  std::optional<CheckCache> cache_;
  std::vector<CheckedFile> files_;
};

} // namespace

ExitCode runCheck(const Options &options) {
  return Checker(options).run();
}

} // namespace warpwright
