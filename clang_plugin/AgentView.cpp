#include "clang_plugin/AgentView.h"

#include "analysis/frontend/FrontEnd.h"
#include "clang_plugin/Facts.h"
#include "clang_plugin/KernelRecords.h"
#include "clang_plugin/ProposeCandidates.h"
#include "clang_plugin/SearchedBefore.h"
#include "feedback/agents/AdmittedText.h"
#include "feedback/agents/Submission.h"
#include "rewriters/Rewriter.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using agents::textIn;

constexpr size_t mostAccesses = 40;
constexpr size_t mostLoops = 20;
constexpr size_t mostWords = 500;       ///< of what was tried
constexpr size_t wordsOfSearches = 200; ///< of them, where a search measured something

Json permissionsOf(const KernelAnalysis &kernel) {
  Json allowed = Json::array();
  if (kernel.annotation)
    for (const AllowClause &clause : kernel.annotation->allowed)
      allowed.push_back(toString(clause.permission).str());
  return allowed;
}

/// Accesses of the main launch as a warp makes them.
Json accessesOf(const KernelAnalysis &kernel) {
  Json list = Json::array();
  if (kernel.launches.empty())
    return list;
  for (const simt::AccessCounters &access : kernel.launches.front().counters.accesses) {
    if (list.size() == mostAccesses)
      break;
    Json entry = {{"line", access.place.line},
                  {"kind", simt::toString(access.kind)},
                  {"space", simt::toString(access.space)},
                  {"bytes_a_lane", access.bytesPerLane},
                  {"requests", access.tally.requests}};
    if (access.space == simt::AccessSpace::Global) {
      entry["sectors"] = access.tally.sectors;
      entry["ideal_sectors"] = access.tally.idealSectors;
    } else if (access.tally.bankConflicts != 0) {
      entry["bank_conflicts"] = access.tally.bankConflicts;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json loopsOf(const KernelAnalysis &kernel) {
  Json list = Json::array();
  for (const LoopFacts &loop : kernel.facts.loops) {
    if (list.size() == mostLoops)
      break;
    list.push_back({{"line", loop.place.place.line},
                    {"depth", loop.depth},
                    {"innermost", loop.innermost},
                    {"barrier_inside", loop.containsBarrier}});
  }
  return list;
}

size_t wordsIn(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words);
  return words.size();
}

/// Submissions of a kernel, what was accepted first, then what failed and why.
std::string submissionsSummary(const agents::Ledger &ledger, const std::string &kernel, size_t most) {
  std::vector<std::string> lines[2];
  for (const Json &record : llvm::reverse(ledger.records())) {
    if (textIn(record, "kernel") != kernel)
      continue;
    auto review = record.find("review");
    std::string line = textIn(record, "id") + " " + textIn(record["submission"], "title") + ": " +
                       textIn(record, "verdict") + " at " + textIn(record, "stage") + ", " +
                       textIn(record, "reason");
    if (review != record.end())
      line += "; a person " + textIn(*review, "decision") + " it: " + textIn(*review, "reason");
    lines[textIn(record, "verdict") != "accepted"].push_back(std::move(line));
  }
  std::string text;
  size_t words = 0;
  for (const std::vector<std::string> &part : lines)
    for (const std::string &line : part) {
      words += wordsIn(line);
      if (words > most)
        return text + "(more is left out)\n";
      text += line + "\n";
    }
  return text;
}

} // namespace

llvm::Error AgentView::refresh() {
  auto buffer = llvm::MemoryBuffer::getFile(job_.file);
  if (!buffer)
    return llvm::createStringError("cannot read '" + job_.file + "': " + buffer.getError().message());
  if (versions_ && (*buffer)->getBuffer() == text_)
    return llvm::Error::success();
  versions_.reset();
  llvm::Expected<FileVersions> versions = openVersions(job_);
  if (!versions)
    return versions.takeError();
  for (size_t i = 0; i < versions->files.size(); ++i)
    if (llvm::Error error = collectFacts(versions->files[i], versions->requests[i], nullptr))
      return error;
  for (FileAnalysis &file : versions->files)
    for (KernelAnalysis &kernel : file.kernels)
      kernel.findings = findAll(kernel);
  records_ = recordKernels(*versions);
  versions_ = std::move(*versions);
  text_ = (*buffer)->getBuffer().str();
  return llvm::Error::success();
}

llvm::Expected<const KernelRecord *> AgentView::find(const std::string &kernel) {
  if (llvm::Error error = refresh())
    return std::move(error);
  std::string names;
  for (const KernelRecord &record : records_) {
    if (record.name == kernel || (kernel.empty() && records_.size() == 1))
      return &record;
    names += (names.empty() ? "" : ", ") + record.name;
  }
  return llvm::createStringError("there is no kernel '" + kernel + "'; there are " + names);
}

llvm::Expected<Json> AgentView::kernels() {
  if (llvm::Error error = refresh())
    return std::move(error);
  Json list = Json::array();
  for (const KernelRecord &record : records_) {
    std::string why = record.annotated ? whyUntouchable(*versions_, record) : "it is not annotated";
    Json entry = {{"kernel", record.name},
                  {"line", record.place.line},
                  {"findings", record.findings.size()},
                  {"may_change", why.empty()}};
    if (!why.empty())
      entry["why_not"] = why;
    list.push_back(std::move(entry));
  }
  return Json{{"file", job_.file}, {"kernels", std::move(list)}, {"next", "read the findings of a kernel"}};
}

llvm::Expected<Json> AgentView::facts(const std::string &kernel) {
  llvm::Expected<const KernelRecord *> record = find(kernel);
  if (!record)
    return record.takeError();
  const KernelAnalysis &analysis = analysisOf(**record);
  Json parameters = Json::array();
  for (const KernelParameter &parameter : analysis.kernel.parameters)
    parameters.push_back(parameter.type + " " + parameter.name);
  Json result = {{"kernel", (*record)->name}, {"parameters", std::move(parameters)}};
  if (analysis.annotation)
    result["annotation"] = analysis.annotation->text;
  for (const Prediction &prediction : (*record)->before)
    result["predictions"].push_back(toJson(prediction));
  result["accesses_of_main_launch"] = accessesOf(analysis);
  result["loops"] = loopsOf(analysis);
  result["barriers"] = llvm::count_if(analysis.facts.synchronisations, [](const Synchronisation &one) {
    return one.kind == Synchronisation::Kind::Barrier;
  });
  result["divergent_branches"] = analysis.facts.branches.size();
  if (!analysis.launchNote.empty())
    result["launch_note"] = analysis.launchNote;
  result["next"] = "read the findings and the feedback of the kernel";
  return result;
}

llvm::Expected<Json> AgentView::findings(const std::string &kernel) {
  llvm::Expected<const KernelRecord *> record = find(kernel);
  if (!record)
    return record.takeError();
  std::vector<Finding> sorted = (*record)->findings;
  llvm::sort(sorted, [](const Finding &left, const Finding &right) {
    return std::tuple(-left.confidence, left.place.line, left.id) <
           std::tuple(-right.confidence, right.place.line, right.id);
  });
  Json list = findingsToJson(sorted);
  for (Json &finding : list) {
    finding.erase("file");
    finding.erase("column");
  }
  return Json{{"kernel", (*record)->name},
              {"findings", std::move(list)},
              {"next", "ask for the capabilities, which say what answers them, then for what was tried"}};
}

llvm::Expected<Json> AgentView::feedback(const std::string &kernel) {
  llvm::Expected<const KernelRecord *> record = find(kernel);
  if (!record)
    return record.takeError();
  const KernelAnalysis &analysis = analysisOf(**record);
  Json shapes = Json::array();
  for (const ShapePrediction &shape : (*record)->before.front().shapes) {
    // The model's rates a cycle and multiprocessor: feedback/CostModel.h.
    const double sectors = double(shape.globalSectors) / 2, wavefronts = double(shape.sharedWavefronts),
                 instructions = double(shape.warpInstructions) / 4;
    const double busiest = std::max({sectors, wavefronts, instructions});
    const char *unit = busiest == 0            ? "unknown"
                       : busiest == sectors    ? "global memory through the L1"
                       : busiest == wavefronts ? "shared memory"
                                               : "instruction issue";
    shapes.push_back({{"shape", shape.shape}, {"busiest_unit", unit}, {"grade", shape.grade}});
  }
  Json result = {
      {"kernel", (*record)->name},
      {"source", "static analysis; no profile was taken here, so that latency and caches are not seen"},
      {"shapes", std::move(shapes)}};
  if (analysis.occupancy) {
    result["occupancy"] = analysis.occupancy->occupancy;
    for (OccupancyLimit limit : analysis.occupancy->limiters)
      result["occupancy_limited_by"].push_back(toString(limit));
  }
  llvm::Expected<std::vector<loop::StoredOutcome>> searched = searchedBefore(knowledge_, (*record)->key);
  if (!searched)
    return searched.takeError();
  if (!searched->empty())
    result["searched"] = searchFeedback(*searched);
  result["next"] = "prefer findings about the busiest unit; measure where a GPU is";
  return result;
}

llvm::Expected<Json> AgentView::capabilities(const std::string &kernel) {
  llvm::Expected<const KernelRecord *> record = find(kernel);
  if (!record)
    return record.takeError();
  KernelRecord proposed = **record;
  if (llvm::Error error = proposeCandidates(*versions_, job_.policy, proposed))
    return std::move(error);
  Json rewriters = Json::object(), declined = Json::object(), claims = Json::object();
  for (const CandidateRecord &candidate : proposed.candidates) {
    Json &points = rewriters[candidate.candidate.rewriter];
    if (points.size() < 12)
      points.push_back(
          {{"steps", candidate.candidate.RewriteStep::name()}, {"subject", candidate.candidate.subject}});
  }
  for (const Decline &decline : proposed.declines)
    if (!declined.contains(decline.rewriter))
      declined[decline.rewriter] = decline.reason;
  for (const ClaimInfo &claim : claimKinds())
    claims[claim.id.str()] = claim.text.str();
  return Json{
      {"kernel", (*record)->name},
      {"proposed", std::move(rewriters)},
      {"declined", std::move(declined)},
      {"claims", std::move(claims)},
      {"next",
       "measure or submit one of the proposed steps, or write the kernel anew; read the constraints first"}};
}

llvm::Expected<Json> AgentView::constraints(const std::string &kernel) {
  llvm::Expected<const KernelRecord *> record = find(kernel);
  if (!record)
    return record.takeError();
  const KernelAnalysis &analysis = analysisOf(**record);
  const agents::AgentPolicy &policy = policy_;
  Json rules = {
      "the kernel keeps its name, parameters and annotation",
      "only the kernel, device functions that it alone uses, and new device functions may change",
      "no includes, macros, host code, inline assembly, device variables, clocks, printf, heap, launches, or "
      "addresses made of numbers",
      "a changed launch is said in 'launch', with expressions of the annotation, never in the text; the tool "
      "writes the host's side",
      "each reason says finding (an id, or none), what, why, expected_gain, risk and check; claims must show "
      "in the facts of the result",
      "parameters stand as @NAME@ in the text, and are swept"};
  Json form = {{"schema", "warpwright/submission/1"},
               {"kernel", (*record)->name},
               {"title", "..."},
               {"change", {{"kernel", "the whole definition, or use 'patch' or 'steps'"}}},
               {"parameters", {{"TILE", {16, 32}}}},
               {"launch", {{"grid", {"ceil_div(n, 32)"}}, {"block", {32}}}},
               {"reasons",
                {{{"finding", "none"},
                  {"what", "..."},
                  {"why", "..."},
                  {"expected_gain", "..."},
                  {"risk", "..."},
                  {"check", "..."},
                  {"claims", {"fewer-sectors"}}}}}};
  Json result = {{"kernel", (*record)->name},
                 {"rules", std::move(rules)},
                 {"permissions", permissionsOf(analysis)},
                 {"launch_may_change",
                  job_.policy.launchChange ||
                      (analysis.annotation && analysis.annotation->allows(Permission::LaunchChange))},
                 {"allowed_by_policy", policy.allowed},
                 {"max_bytes", policy.maxBytes},
                 {"max_points", policy.maxPoints},
                 {"level", toString(policy.level)}};
  unsigned registers = analysis.annotation && analysis.annotation->maxRegisters
                           ? analysis.annotation->maxRegisters->count
                           : job_.policy.maxRegisters;
  if (registers != 0)
    result["max_registers"] = registers;
  result["submission"] = std::move(form);
  result["next"] = "submit a document of this form";
  return result;
}

llvm::Expected<Json> AgentView::source(const std::string &kernel) {
  llvm::Expected<const KernelRecord *> record = find(kernel);
  if (!record)
    return record.takeError();
  agents::AdmittedText text =
      agents::readText({&versions_->files.front().unit->ast(), analysisOf(**record).kernel.declaration});
  const agents::ChangeableFunction *function = text.kernel();
  if (!function)
    return llvm::createStringError("the kernel's definition is not text of the file itself");
  return Json{{"kernel", (*record)->name},
              {"line", (*record)->place.line},
              {"source", versions_->text().slice(function->begin, function->end).str()},
              {"next", "the annotation is part of it, and stays as it is"}};
}

llvm::Expected<Json> AgentView::tried(const agents::Ledger &ledger, const std::string &kernel) {
  llvm::Expected<const KernelRecord *> record = find(kernel);
  if (!record)
    return record.takeError();
  llvm::Expected<std::vector<loop::StoredOutcome>> searched = searchedBefore(knowledge_, (*record)->key);
  if (!searched)
    return searched.takeError();
  std::string text = submissionsSummary(ledger, (*record)->name,
                                        searched->empty() ? mostWords : mostWords - wordsOfSearches);
  if (!searched->empty())
    text += searchSummary((*record)->name, *searched, mostWords - wordsIn(text));
  return Json{{"kernel", (*record)->name},
              {"summary", text.empty() ? "nothing was tried yet\n" : text},
              {"next", "do not submit what is in there: it is refused with its old verdict"}};
}

std::vector<const Json *> searchRecords(const agents::Ledger &ledger, const std::string &words, size_t most) {
  llvm::SmallVector<llvm::StringRef> wanted;
  llvm::SplitString(words, wanted);
  std::vector<const Json *> found;
  for (const Json &record : llvm::reverse(ledger.records())) {
    const std::string text = agents::dump(record);
    if (found.size() < most && llvm::all_of(wanted, [&](llvm::StringRef word) {
          return llvm::StringRef(text).contains_insensitive(word);
        }))
      found.push_back(&record);
  }
  return found;
}

Json briefRecord(const Json &record) {
  Json brief = Json::object();
  for (const char *key :
       {"id", "kernel", "verdict", "stage", "code", "category", "reason", "details", "review"})
    if (record.contains(key))
      brief[key] = record[key];
  brief["title"] = textIn(record["submission"], "title");
  Json candidates = Json::array();
  for (const Json &candidate : record["candidates"]) {
    Json entry = Json::object();
    for (const char *key :
         {"name", "verdict", "stage", "reason", "claims", "cost", "ratio", "gain", "repeats"})
      if (candidate.contains(key))
        entry[key] = candidate[key];
    candidates.push_back(std::move(entry));
  }
  brief["candidates"] = std::move(candidates);
  brief["next"] = textIn(record, "next");
  return brief;
}

} // namespace warpwright
