// `warpwright knowledge`: what was tried, what came of it, and what is believed to pay.

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "feedback/loop/Store.h"
#include "feedback/loop/StrategyWeights.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/MemoryBuffer.h>

namespace warpwright {
namespace {

constexpr unsigned mostFound = 20;

class KnowledgeVerb : private ExitTally {
public:
  explicit KnowledgeVerb(const Options &options) : options_(options) {}

  ExitCode run() {
    if (options_.operands.empty() || options_.knowledge.empty())
      return fail(ExitCode::BadUsage,
                  "knowledge needs --knowledge FILE and one of search WORDS, summary KERNEL, "
                  "weights, export, import FILE, reset");
    const std::string &what = options_.operands.front();
    if (what != "import" && !llvm::sys::fs::exists(options_.knowledge))
      return fail(ExitCode::BadUsage, "there is no knowledge '" + options_.knowledge + "'");
    llvm::Expected<std::unique_ptr<loop::Store>> store = loop::Store::open(options_.knowledge);
    if (!store)
      return fail(ExitCode::BadUsage, llvm::toString(store.takeError()));
    llvm::Expected<std::string> text = answer(**store, what);
    if (!text)
      return fail(ExitCode::BadUsage, llvm::toString(text.takeError()));
    if (llvm::Error error = writeOutput(options_, *text))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return ExitCode::Clean;
  }

private:
  llvm::Expected<std::string> answer(loop::Store &store, const std::string &what) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    const std::string rest = llvm::join(llvm::ArrayRef(options_.operands).drop_front(), " ");
    if (what == "search")
      return search(store, rest);
    if (what == "summary")
      return summary(store, rest);
    if (what == "weights")
      return weights(store);
    if (what == "import")
      return import(store, rest);
    if (what == "export") {
      if (llvm::Error error = store.exportLines(stream))
        return std::move(error);
      return text;
    }
    if (what == "reset") {
      if (llvm::Error error = store.resetWeights())
        return std::move(error);
      return std::string("what was learnt so far counts no more\n");
    }
    return llvm::createStringError("knowledge knows no '" + what + "'");
  }

  static llvm::Expected<std::string> search(loop::Store &store, const std::string &words) {
    llvm::Expected<std::vector<loop::StoredOutcome>> found = store.search(words, mostFound);
    if (!found)
      return found.takeError();
    std::string text;
    for (const loop::StoredOutcome &outcome : *found)
      text += llvm::formatv(
          "{0} on {1}: {2}: {3}{4}; {5}\n", outcome.kernel, outcome.architecture, outcome.name,
          outcome.ratio > 0 ? llvm::formatv("{0:F3} of the original's time, ", outcome.ratio).str() : "",
          outcome.verdict + (outcome.why.empty() ? "" : " (" + outcome.why + ")"), outcome.reason);
    return text.empty() ? "nothing of that is known\n" : text;
  }

  llvm::Expected<std::string> summary(loop::Store &store, const std::string &kernel) const {
    llvm::Expected<std::string> text = store.summary(kernel, options_.architecture);
    if (text && text->empty())
      return "no search of '" + kernel + "' on '" + options_.architecture + "' is known\n";
    return text;
  }

  static llvm::Expected<std::string> weights(loop::Store &store) {
    llvm::Expected<std::vector<loop::StoredOutcome>> outcomes = store.all();
    if (!outcomes)
      return outcomes.takeError();
    loop::StrategyWeights weights;
    for (const loop::StoredOutcome &outcome : *outcomes)
      weights.learn(outcome);
    std::string text;
    llvm::raw_string_ostream stream(text);
    weights.print(stream);
    return text;
  }

  static llvm::Expected<std::string> import(loop::Store &store, const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
    llvm::Expected<unsigned> added = store.importLines((*buffer)->getBuffer().str());
    if (!added)
      return added.takeError();
    return std::to_string(*added) + " outcomes are new\n";
  }

  const Options &options_;
};

} // namespace

ExitCode runKnowledge(const Options &options) {
  return KnowledgeVerb(options).run();
}

} // namespace warpwright
