#include "rewriters/InterfaceChange.h"
#include "rewriters/edits/ApplyEdits.h"
#include "rewriters/edits/Dispatch.h"
#include "rewriters/edits/LaunchChange.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

std::vector<ScalarExpression> extentsOf(const std::optional<ExtentsClause> &clause) {
  return clause ? clause->extents : std::vector<ScalarExpression>();
}
std::vector<ScalarExpression> extentsOf(const std::optional<ValueClause> &clause) {
  return clause ? std::vector{clause->value} : std::vector<ScalarExpression>();
}

/// Host code of a part of the launch; nothing where it stays as it is written.
template <typename Clause>
std::optional<std::string> codeOf(const DispatchedLaunch &launch, const std::optional<Clause> &planned,
                                  const std::optional<Clause> &original) {
  std::vector<ScalarExpression> now = extentsOf(planned), before = extentsOf(original);
  bool isSame = now.empty() || (now.size() == before.size() && llvm::equal(now, before, [](auto &a, auto &b) {
                                  return a.str() == b.str();
                                }));
  if (isSame)
    return std::nullopt;
  std::vector<std::string> code;
  for (const ScalarExpression &extent : now)
    code.push_back(toHostCode(extent, launch.arguments));
  return code.size() == 1 ? code.front() : "dim3(" + llvm::join(code, ", ") + ")";
}

/// The launch, a statement, with what asks for its shared memory before it. The kernel's name ends at
/// `behind`, but for template arguments.
std::string withRequest(llvm::StringRef statement, size_t behind, const ScalarExpression &bytes) {
  llvm::StringRef before = statement.take_front(behind);
  size_t name = before.size();
  while (name > 0 && (llvm::isAlnum(before[name - 1]) || before[name - 1] == '_' || before[name - 1] == ':'))
    --name;
  size_t end = statement.find("<<<", behind);
  std::string request = requestForShared(statement.slice(name, end).rtrim().str(), bytes);
  if (request.empty() || end == llvm::StringRef::npos)
    return statement.str();
  return (statement.take_front(name) + request + statement.substr(name).rtrim("; ") + ");").str();
}

/// The statement of one variant, in the words of the launch that it takes the place of.
llvm::Expected<std::string> statementOf(const DispatchedLaunch &launch, const LaunchedVariant &variant,
                                        const PlannedLaunch &original) {
  std::vector<Edit> edits;
  auto write = [&](const LaunchPart &part, const std::optional<std::string> &text) {
    if (!text)
      return;
    Edit edit;
    edit.offset = part.offset;
    edit.length = part.length;
    edit.text = *text;
    edit.reason = "the copy's launch";
    edits.push_back(std::move(edit));
  };
  const PlannedLaunch &planned = variant.planned;
  write(launch.callee, variant.suffix);
  write(launch.grid, codeOf(launch, planned.grid, original.grid));
  write(launch.block, codeOf(launch, planned.block, original.block));
  std::optional<std::string> bytes = codeOf(launch, planned.dynamicShared, original.dynamicShared);
  if (bytes && launch.shared.length == 0)
    bytes = ", " + *bytes;
  write(launch.shared, bytes);
  llvm::Expected<std::string> statement = applyEdits(launch.statement, edits);
  if (!statement || !planned.dynamicShared)
    return statement;
  return withRequest(*statement, launch.callee.offset + variant.suffix.size(), planned.dynamicShared->value);
}

} // namespace

llvm::Expected<std::string> chosenLaunch(const DispatchedLaunch &launch,
                                         llvm::ArrayRef<LaunchedVariant> variants,
                                         const PlannedLaunch &original) {
  std::string line = "\n" + launch.indent + (launch.needsBraces ? "  " : "");
  std::string text;
  bool isOpen = true; // nothing before it holds always
  for (const LaunchedVariant &variant : variants) {
    llvm::Expected<std::string> statement = statementOf(launch, variant, original);
    if (!statement)
      return statement.takeError();
    isOpen = &variant == &variants.front() || variant.guard.str() != "1";
    text += text.empty() ? "" : line + "else" + (isOpen ? " " : "");
    if (isOpen)
      text += "if (" + toHostCode(variant.guard, launch.integers) + ")";
    text += line + "  " + *statement;
    if (!isOpen)
      break;
  }
  if (isOpen)
    text += line + "else" + line + "  " + launch.statement;
  return launch.needsBraces ? "{" + line + text + "\n" + launch.indent + "}" : text;
}

} // namespace warpwright
