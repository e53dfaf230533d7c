#include "clang_plugin/Report.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

/// "demote-double, 2 x pad-shared-array", or "-" for a kernel that stays as it is.
std::string changesOf(const Json &kernel) {
  std::vector<std::pair<std::string, unsigned>> counts;
  for (const Json &candidate : kernel.at("candidates")) {
    if (!candidate.at("chosen").get<bool>())
      continue;
    std::string rewriter = candidate.at("rewriter").get<std::string>();
    auto found = llvm::find_if(counts, [&](const auto &count) { return count.first == rewriter; });
    if (found == counts.end())
      counts.emplace_back(rewriter, 1);
    else
      ++found->second;
  }
  std::string text;
  for (const auto &[rewriter, count] : counts)
    text += (text.empty() ? "" : ", ") + (count > 1 ? std::to_string(count) + " x " : "") + rewriter;
  return text.empty() ? "-" : text;
}

/// "-80%", "=" where nothing changes, "?" where it is not known. Whole percents, and never a change that
/// reads as none.
std::string change(double before, double after) {
  if (before == after)
    return "=";
  if (before == 0)
    return "+" + llvm::formatv("{0:F0}", after).str();
  double percent = (after - before) / before * 100;
  if (std::abs(percent) < 1)
    return percent < 0 ? "-<1%" : "+<1%";
  return llvm::formatv("{0}{1:F0}%", percent < 0 ? "" : "+", percent).str();
}

const Json *mainShape(const Json &predictions) {
  if (predictions.empty() || predictions.front().at("shapes").empty())
    return nullptr;
  return &predictions.front().at("shapes").front();
}

const Json *resources(const Json &predictions) {
  if (predictions.empty() || !predictions.front().contains("resources"))
    return nullptr;
  return &predictions.front().at("resources");
}

std::string countChange(const Json &kernel, const char *key) {
  const Json *before = mainShape(kernel.at("before"));
  const Json *after = mainShape(kernel.at("after"));
  if (!before || !after)
    return "?";
  return change(before->value(key, 0.0), after->value(key, 0.0));
}

std::string valueChange(const Json &kernel, const char *key, const char *unit, double scale) {
  const Json *before = resources(kernel.at("before"));
  const Json *after = resources(kernel.at("after"));
  if (!before || !after)
    return "?";
  auto text = [&](const Json &of) { return llvm::formatv("{0:F0}", of.value(key, 0.0) * scale).str(); };
  if (text(*before) == text(*after))
    return text(*before) + unit;
  return text(*before) + " -> " + text(*after) + unit;
}

Row rowOf(const Json &kernel) {
  return {kernel.at("name").get<std::string>(),
          std::to_string(kernel.at("findings").size()),
          changesOf(kernel),
          countChange(kernel, "global_sectors"),
          countChange(kernel, "shared_wavefronts"),
          countChange(kernel, "warp_instructions"),
          valueChange(kernel, "registers", "", 1),
          valueChange(kernel, "occupancy", "%", 100)};
}

/// The first and third columns hold words and start at the left, the others numbers, which end at the right.
void print(llvm::ArrayRef<Row> rows, llvm::raw_ostream &stream) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const Row &row : rows)
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  for (const Row &row : rows) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      bool words = column == 0 || column == 2;
      llvm::FormattedString cell = words ? llvm::left_justify(row[column], widths[column])
                                         : llvm::right_justify(row[column], widths[column]);
      llvm::raw_string_ostream(line) << (column == 0 ? "" : "  ") << cell;
    }
    stream << llvm::StringRef(line).rtrim() << '\n';
  }
}

} // namespace

void printOverview(const Json &kernels, llvm::raw_ostream &stream) {
  if (kernels.empty())
    return;
  std::vector<Row> rows = {
      {"kernel", "found", "changed by", "sectors", "wavefronts", "instructions", "registers", "occupancy"}};
  for (const Json &kernel : kernels)
    rows.push_back(rowOf(kernel));
  stream << '\n';
  print(rows, stream);
}

} // namespace warpwright
