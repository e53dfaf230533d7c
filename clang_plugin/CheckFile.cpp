#include "clang_plugin/CheckFile.h"

#include "analysis/frontend/Dependencies.h"
#include "analysis/host/HostFindings.h"
#include "clang_plugin/FileVersions.h"
#include "clang_plugin/KernelRecords.h"
#include "clang_plugin/LockedChoice.h"
#include "clang_plugin/ProposeCandidates.h"
#include "feedback/SourcePrinter.h"
#include "feedback/gate/AcceptComments.h"
#include "feedback/gate/Fingerprint.h"
#include "rewriters/Rewriter.h"
#include "rewriters/remedies/Remedy.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/Lexer.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <set>

namespace warpwright {
namespace {

/// Which rewriter answers which finding.
struct FixRow {
  llvm::StringLiteral finding;
  llvm::StringLiteral rewriter;
};
constexpr FixRow fixTable[] = {
#define WARPWRIGHT_FIX(finding, rewriter) {finding, rewriter},
#include "clang_plugin/Fixes.def"
};
constexpr llvm::StringLiteral remedied[] = {
#define WARPWRIGHT_REMEDY(finding) finding,
#include "clang_plugin/Fixes.def"
};

/// A loop has no name; a finding in it says where it stands in a note.
bool namesLoop(const Candidate &candidate, const Finding &finding) {
  llvm::StringRef line = candidate.subject;
  return line.consume_front("the loop at line ") && llvm::any_of(finding.notes, [&](const auto &note) {
           return line == std::to_string(note.first.line);
         });
}

/// Whether the edit takes the line's place. `text` is that of the edit's file.
bool covers(const Edit &edit, unsigned line, llvm::StringRef text) {
  unsigned last = edit.place.line + text.substr(edit.offset, edit.length).count('\n');
  return edit.place.line <= line && line <= last;
}

bool answers(const Candidate &candidate, const Finding &finding, llvm::StringRef text) {
  auto isRow = [&](const FixRow &row) {
    return row.finding == finding.id && row.rewriter == candidate.rewriter;
  };
  // A changed launch takes a copy of the kernel, which is more than the edits of a fix.
  if (candidate.clone || llvm::none_of(fixTable, isRow))
    return false;
  bool named = llvm::any_of(llvm::split(candidate.subject, ", "), [&](llvm::StringRef subject) {
    return llvm::StringRef(finding.message).contains(("'" + subject + "'").str());
  });
  return named || namesLoop(candidate, finding) || llvm::any_of(candidate.edits, [&](const Edit &edit) {
           return covers(edit, finding.place.line, text);
         });
}

/// The text of a body, equal for kernels that differ in name, place, spaces and comments alone. Empty where
/// there is too little of it to tell kernels apart.
std::string bodyHash(const clang::FunctionDecl *function, llvm::StringRef name) {
  constexpr size_t leastText = 16;
  const clang::ASTContext &ast = function->getASTContext();
  if (const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern())
    function = pattern;
  const clang::Stmt *body = function->getBody();
  if (!body)
    return {};
  clang::CharSourceRange range = clang::CharSourceRange::getTokenRange(
      ast.getSourceManager().getExpansionRange(body->getSourceRange()).getAsRange());
  std::string text =
      normaliseCode(clang::Lexer::getSourceText(range, ast.getSourceManager(), ast.getLangOpts()));
  if (text.size() < leastText)
    return {};
  return shortHash(text + name.drop_front(std::min(name.find('<'), name.size())).str());
}

/// The first line of the declaration, with its attributes.
unsigned beginLine(const clang::FunctionDecl &function, const Place &place) {
  const clang::SourceManager &sources = function.getASTContext().getSourceManager();
  unsigned line = place.line;
  auto consider = [&](clang::SourceLocation location) {
    clang::PresumedLoc presumed = sources.getPresumedLoc(sources.getExpansionLoc(location));
    if (presumed.isValid() && presumed.getFilename() == place.file)
      line = std::min(line, presumed.getLine());
  };
  consider(function.getOuterLocStart());
  for (const clang::Attr *attribute : function.attrs())
    consider(attribute->getLocation());
  return line;
}

class FileChecker {
public:
  explicit FileChecker(const CheckJob &check) : check_(check), job_(check.job) {
    result_.file = absolutePath(job_.file, job_.invocation.directory);
  }

  CheckedFile run() {
    if (!llvm::sys::fs::exists(result_.file)) {
      problem(CheckProblem::Kind::BadInput, {result_.file, 0, 0}, "there is no such file");
      return std::move(result_);
    }
    llvm::Expected<FileVersions> versions = openVersions(job_);
    return versions ? run(*versions) : run(versions.takeError());
  }

  CheckedFile run(FileVersions &versions) {
    if (llvm::Error error = check(versions))
      return run(std::move(error));
    return std::move(result_);
  }

  CheckedFile run(llvm::Error error) {
    llvm::handleAllErrors(
        std::move(error),
        [&](const ParseFailure &failure) {
          problem(CheckProblem::Kind::NotChecked, absolute(failure.place), "not checked: " + failure.message);
        },
        [&](const llvm::ErrorInfoBase &other) {
          problem(CheckProblem::Kind::NotChecked, {result_.file, 0, 0}, "not checked: " + other.message());
        });
    return std::move(result_);
  }

private:
  void problem(CheckProblem::Kind kind, Place place, std::string message) {
    if (place.file.empty())
      place.file = result_.file;
    result_.problems.push_back({kind, std::move(place), std::move(message)});
  }

  /// Facts and debug information spell names differently; here they all become absolute.
  Place absolute(Place place) const {
    if (!place.file.empty())
      place.file = absolutePath(place.file, job_.invocation.directory);
    if (llvm::sys::path::filename(place.file) == llvm::sys::path::filename(result_.file) &&
        !llvm::sys::fs::exists(place.file))
      place.file = result_.file;
    return place;
  }

  llvm::Error check(FileVersions &versions) {
    for (size_t i = 0; i < versions.files.size(); ++i)
      if (llvm::Error error = readFacts(versions, i))
        return error;
    std::vector<KernelRecord> records = recordKernels(versions);
    for (KernelRecord &record : records)
      if (check_.wantFixes)
        if (llvm::Error error = proposeFixes(versions, record))
          return error;
    const bool mayEdit = check_.wantFixes && !isRewritten(versions);
    for (size_t i = 0; i < versions.files.size(); ++i)
      for (KernelAnalysis &kernel : versions.files[i].kernels)
        take(kernel, records, versions.requests[i].target, mayEdit);
    // Code of the host is the same for all of them.
    HostAnalysis host(versions.files.front().unit->ast());
    for (const HostFindings &function : findInHostCode(host))
      take(function, mayEdit ? &host.code : nullptr);
    takeComments(versions);
    return llvm::Error::success();
  }

  /// Asks those rewriters that answer a finding of the kernel; candidates of others would be thrown away.
  llvm::Error proposeFixes(FileVersions &versions, KernelRecord &record) const {
    std::set<llvm::StringRef> wanted;
    for (const KernelAnalysis *kernel : versions.of(record.key))
      for (const Finding &finding : kernel->findings)
        for (const FixRow &row : fixTable)
          if (row.finding == finding.id)
            wanted.insert(row.rewriter);
    if (wanted.empty())
      return llvm::Error::success();
    Policy policy = job_.policy;
    policy.forbiddenRewriters.push_back("dispatch-by-shape");
    for (const RewriterInfo &rewriter : rewriters())
      if (!wanted.contains(rewriter.id))
        policy.forbiddenRewriters.push_back(rewriter.id.str());
    return proposeCandidates(versions, policy, record);
  }

  llvm::Error readFacts(FileVersions &versions, size_t i) {
    llvm::raw_string_ostream stream(result_.diagnostics);
    clang::DiagnosticOptions options;
    clang::TextDiagnosticPrinter printer(stream, options);
    FileAnalysis &file = versions.files[i];
    if (llvm::Error error = collectFacts(file, versions.requests[i], i == 0 ? &printer : nullptr))
      return error;
    if (printer.getNumWarnings() + printer.getNumErrors() != 0)
      problem(CheckProblem::Kind::BadInput, {result_.file, 0, 0},
              "an annotation is wrong, as was said at its place");
    // Before a device link there are no resources; otherwise nvcc failed, and nothing is known of them.
    if (!file.resourcesNote.empty() && !job_.invocation.relocatable)
      problem(CheckProblem::Kind::NotChecked, {result_.file, 0, 0},
              "nvcc made no code for sm_" + versions.requests[i].target.architecture + ": " +
                  file.resourcesNote);
    for (KernelAnalysis &kernel : file.kernels)
      kernel.findings = findAll(kernel);
    return llvm::Error::success();
  }

  /// A lock is an answer of a measurement to a question that the code asks; where the code changed, nobody
  /// has asked since. A GPU is needed to ask again, so that this is a note where the policy does not say
  /// more.
  void takeLock(const KernelAnalysis &analysis, const NvccTarget &target, CheckedKernel &kernel) {
    const LockEntry *entry =
        job_.lock ? job_.lock->lock.find(job_.lock->nameOf(job_), kernel.key, kernel.architecture) : nullptr;
    if (!entry)
      return;
    std::optional<std::string> stale = whyStale(*entry, conditionsOf(job_, analysis, target, check_.toolkit));
    if (!stale) {
      if (!entry->measured.empty())
        kernel.metrics[Metric::MeasuredMicroseconds] = entry->measured.front().chosenMicroseconds;
      return;
    }
    constexpr double isNote = 0.4;
    Finding finding;
    finding.id = staleLockRule;
    finding.place = kernel.place;
    finding.message = "the lock's entry for '" + kernel.name + "' on " + kernel.architecture +
                      " is stale, and the static choice is built: " + *stale;
    finding.confidence = isNote;
    finding.advice = "measure it again";
    kernel.findings.push_back({std::move(finding), {}, {}});
  }

  /// Clang read another text than the file has, so that places in it are none of the file.
  static bool isRewritten(const FileVersions &versions) {
    return llvm::any_of(versions.files, [](const FileAnalysis &file) { return file.unit->remapped(); });
  }

  void take(const KernelAnalysis &analysis, llvm::ArrayRef<KernelRecord> records, const NvccTarget &target,
            bool mayEdit) {
    CheckedKernel kernel;
    kernel.key = analysis.kernel.key;
    kernel.name = analysis.kernel.name;
    kernel.place = absolute(analysis.kernel.place);
    kernel.beginLine = beginLine(*analysis.kernel.declaration, analysis.kernel.place);
    kernel.body = bodyHash(analysis.kernel.declaration, analysis.kernel.name);
    kernel.architecture = analysis.architecture;
    kernel.toolkit = check_.toolkit;
    if (!analysis.launches.empty())
      kernel.launch = analysis.launches.front().label;
    kernel.metrics = measureMetrics(analysis);
    kernel.resourcesNote = analysis.resourcesNote;
    for (const Finding &finding : analysis.findings) {
      kernel.findings.push_back(take(finding, analysis.kernel.key, records));
      if (mayEdit && llvm::is_contained(remedied, finding.id))
        if (std::optional<Remedy> remedy = remedyOf(finding, analysis))
          addFix(remedy->description, std::move(remedy->edits), kernel.findings.back());
    }
    takeLock(analysis, target, kernel);
    fingerprintFindings(kernel, [&](const Place &place) { return sources_.line(place); });
    result_.kernels.push_back(std::move(kernel));
  }

  void take(const HostFindings &function, const HostCode *code) {
    CheckedKernel entry;
    entry.key = function.key;
    entry.name = function.name;
    entry.place = absolute(function.place);
    entry.beginLine = beginLine(*function.declaration, function.place);
    entry.body = bodyHash(function.declaration, function.name);
    entry.architecture = CheckedKernel::host;
    for (const Finding &finding : function.findings) {
      entry.findings.push_back(take(finding, function.key, {}));
      if (code && llvm::is_contained(remedied, finding.id))
        if (std::optional<Remedy> remedy = remedyOf(finding, *code))
          addFix(remedy->description, std::move(remedy->edits), entry.findings.back());
    }
    fingerprintFindings(entry, [&](const Place &place) { return sources_.line(place); });
    result_.kernels.push_back(std::move(entry));
  }

  CheckedFinding take(const Finding &finding, const std::string &key, llvm::ArrayRef<KernelRecord> records) {
    CheckedFinding checked;
    checked.finding = finding;
    checked.finding.place = absolute(finding.place);
    for (auto &[place, text] : checked.finding.notes)
      place = absolute(place);
    for (const KernelRecord &record : records)
      if (record.key == key)
        addFixes(record, finding, checked);
    return checked;
  }

  /// Of several points of one change, the first.
  void addFixes(const KernelRecord &record, const Finding &finding, CheckedFinding &checked) {
    const llvm::StringRef text = record.candidates.empty() ? llvm::StringRef() : sources_.text(result_.file);
    std::vector<const Candidate *> taken;
    for (const CandidateRecord &entry : record.candidates) {
      const Candidate &candidate = entry.candidate;
      // A changed launch is more than its edits.
      if (candidate.edits.empty() || candidate.clone || !answers(candidate, finding, text) ||
          llvm::any_of(taken, [&](const Candidate *known) {
            return known->rewriter == candidate.rewriter && known->subject == candidate.subject;
          }))
        continue;
      taken.push_back(&candidate);
      addFix(candidate.name() + ": " + candidate.edits.front().reason, candidate.edits, checked);
    }
  }

  void addFix(std::string description, std::vector<Edit> edits, CheckedFinding &checked) const {
    for (Edit &edit : edits) {
      edit.file = absolutePath(edit.file, job_.invocation.directory);
      edit.place = absolute(edit.place);
    }
    checked.fixes.push_back({std::move(description), std::move(edits)});
  }

  /// Exceptions stand beside the code, also in headers; the toolkit's hold none of ours.
  void takeComments(FileVersions &versions) {
    std::vector<std::string> all;
    for (FileAnalysis &file : versions.files)
      llvm::append_range(all, dependenciesOf(*file.unit));
    llvm::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (std::string &path : all) {
      if (!job_.toolkit.root.empty() && llvm::StringRef(path).starts_with(job_.toolkit.root + "/"))
        continue;
      llvm::append_range(result_.accepts, readAcceptComments(path, sources_.text(path), result_.problems));
      result_.dependencies.push_back(std::move(path));
    }
    if (job_.lock)
      result_.dependencies.push_back(job_.lock->path);
  }

  const CheckJob &check_;
  const FileJob &job_;
  CheckedFile result_;
  SourcePrinter sources_;
};

} // namespace

std::string absolutePath(llvm::StringRef path, llvm::StringRef directory) {
  llvm::SmallString<256> result(path);
  if (!directory.empty())
    llvm::sys::path::make_absolute(directory, result);
  llvm::sys::fs::make_absolute(result);
  llvm::sys::path::remove_dots(result, /*remove_dot_dot=*/true);
  return std::string(result);
}

ParseRequest parseRequestOf(const FileJob &job, const NvccTarget &target) {
  ParseRequest parse;
  parse.file = job.file;
  parse.directory = job.invocation.directory;
  parse.architecture = "sm_" + target.virtualArchitecture;
  parse.clangArguments = job.invocation.clangArguments;
  parse.cudaPath = job.toolkit.root;
  parse.cacheDirectory = job.cacheDirectory;
  return parse;
}

CheckedFile checkFile(const CheckJob &check) {
  return FileChecker(check).run();
}

CheckedFile checkVersions(const CheckJob &check, FileVersions &versions) {
  return FileChecker(check).run(versions);
}

CheckedFile problemOf(const CheckJob &check, llvm::Error error) {
  return FileChecker(check).run(std::move(error));
}

} // namespace warpwright
