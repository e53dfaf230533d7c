// `warpwright explain` and `warpwright list`: the documentation that is built into the binary.

#include "analysis/Finding.h"
#include "clang_plugin/CommandLine.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/Pages.h"
#include "rewriters/Rewriter.h"

#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

/// The known id that is nearest in spelling, or an empty string.
std::string nearestId(llvm::StringRef id) {
  std::string nearest;
  unsigned distance = 5;
  for (const Page &page : pages())
    if (unsigned d = id.edit_distance(page.id, true, distance); d < distance) {
      distance = d;
      nearest = page.id.str();
    }
  return nearest;
}

ExitCode deliver(const Options &options, llvm::StringRef text) {
  llvm::Error error = writeOutput(options, text);
  if (!error)
    return ExitCode::Clean;
  llvm::errs() << "warpwright: error: " << llvm::toString(std::move(error)) << '\n';
  return ExitCode::BadUsage;
}

template <typename Rows> void addList(llvm::raw_ostream &stream, const char *title, const Rows &rows) {
  stream << title << '\n';
  for (const auto &row : rows) {
    stream << "  ";
    stream << llvm::left_justify(row.id, 30);
    stream << row.summary << '\n';
  }
}

template <typename Rows> nlohmann::ordered_json listToJson(const Rows &rows) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const auto &row : rows)
    array.push_back({{"id", row.id.str()}, {"summary", row.summary.str()}});
  return array;
}

} // namespace

ExitCode runExplain(const Options &options) {
  if (options.operands.size() != 1) {
    llvm::errs() << "warpwright: error: explain takes one id; `warpwright list` names them\n";
    return ExitCode::BadUsage;
  }
  const std::string &id = options.operands.front();
  const Page *page = findPage(id);
  if (!page) {
    std::string nearest = nearestId(id);
    llvm::errs() << "warpwright: error: there is no page '" << id << "'"
                 << (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") << '\n';
    return ExitCode::BadUsage;
  }
  return deliver(options, page->text);
}

ExitCode runList(const Options &options) {
  if (options.format == "json") {
    nlohmann::ordered_json document = {{"schema", "warpwright/list/1"},
                                       {"findings", listToJson(findingRules())},
                                       {"rewriters", listToJson(rewriters())}};
    return deliver(options, document.dump(2) + "\n");
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  addList(stream, "findings", findingRules());
  addList(stream, "rewriters", rewriters());
  return deliver(options, text);
}

} // namespace warpwright
