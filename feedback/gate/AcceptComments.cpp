#include "feedback/gate/AcceptComments.h"

#include <llvm/ADT/StringExtras.h>

#include <chrono>

namespace warpwright {
namespace {

constexpr llvm::StringLiteral mark = "warpwright:";

/// Reads what stands behind the mark. Answers what is wrong, or nothing.
std::string readAccept(llvm::StringRef text, AcceptComment &comment) {
  if (!text.consume_front("accept"))
    return "there is nothing but 'accept(<rule>) <reason>' to say here";
  text = text.ltrim();
  size_t end = text.find(')');
  if (!text.consume_front("(") || end == llvm::StringRef::npos)
    return "'accept' needs a rule in parentheses";
  llvm::StringRef inside = text.take_front(end - 1);
  comment.reason = text.drop_front(end).trim().str();
  if (size_t until = inside.find(" until "); until != llvm::StringRef::npos) {
    comment.expires = inside.drop_front(until + 7).trim().str();
    if (!isDate(comment.expires))
      return "'" + comment.expires + "' is no date; one is written as 2027-01-31";
    inside = inside.take_front(until);
  }
  llvm::SmallVector<llvm::StringRef, 4> rules;
  inside.split(rules, ',');
  for (llvm::StringRef rule : rules) {
    if (!isAcceptableRule(rule.trim()))
      return "there is no rule '" + rule.trim().str() + "'; `warpwright list` names them";
    comment.rules.push_back(rule.trim().str());
  }
  if (comment.reason.empty())
    return "an exception needs a reason behind the parenthesis";
  return {};
}

bool isComment(llvm::StringRef line) {
  return line.trim().starts_with("//");
}

} // namespace

bool isDate(llvm::StringRef text) {
  unsigned year = 0, month = 0, day = 0;
  if (text.size() != 10 || text[4] != '-' || text[7] != '-' || text.take_front(4).getAsInteger(10, year) ||
      text.substr(5, 2).getAsInteger(10, month) || text.substr(8).getAsInteger(10, day))
    return false;
  return std::chrono::year_month_day(std::chrono::year(int(year)), std::chrono::month(month),
                                     std::chrono::day(day))
      .ok();
}

std::string limitRule(Metric metric) {
  std::string name = "limit-" + metrics()[static_cast<unsigned>(metric)].name.str();
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool isAcceptableRule(llvm::StringRef id) {
  return findFindingRule(id) || id == staleLockRule ||
         llvm::any_of(metrics(), [&](const MetricInfo &info) { return limitRule(info.metric) == id; });
}

std::vector<AcceptComment> readAcceptComments(const std::string &path, llvm::StringRef text,
                                              std::vector<CheckProblem> &problems) {
  std::vector<AcceptComment> comments;
  if (!text.contains(mark))
    return comments;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  text.split(lines, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    size_t slashes = lines[i].find("//");
    llvm::StringRef words = lines[i].substr(slashes).ltrim("/ \t");
    if (slashes == llvm::StringRef::npos || !words.consume_front(mark))
      continue;
    AcceptComment comment;
    comment.place = {path, unsigned(i + 1), unsigned(slashes + 1)};
    size_t code = i;
    while (code < lines.size() && (isComment(lines[code]) || lines[code].trim().empty()))
      ++code;
    comment.line = unsigned(code + 1);
    if (std::string wrong = readAccept(words.trim(), comment); !wrong.empty())
      problems.push_back({CheckProblem::Kind::BadInput, comment.place, wrong});
    else
      comments.push_back(std::move(comment));
  }
  return comments;
}

} // namespace warpwright
