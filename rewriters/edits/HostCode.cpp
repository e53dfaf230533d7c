#include "analysis/arch/Architecture.h"
#include "rewriters/edits/LaunchChange.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

/// How tight an expression binds, as far as it matters here.
enum Binding : unsigned { Loose, Comparison, Sum, Product, Primary };

struct Code {
  std::string text;
  Binding binding = Primary;
  bool isArgument = false; ///< whatever the launch passes, in a type of its own

  std::string within(Binding outer) const { return binding < outer ? "(" + text + ")" : text; }
};

bool isName(llvm::StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == ':'; });
}

/// "static_cast<int>(count)", and nothing behind it.
bool isCast(llvm::StringRef text) {
  if (!text.consume_front("static_cast<") || !text.consume_back(")"))
    return false;
  text = text.drop_front(std::min(text.find("(") + 1, text.size()));
  int depth = 0;
  return llvm::all_of(text, [&](char c) { return (depth += c == '(' ? 1 : c == ')' ? -1 : 0) >= 0; });
}

/// What may be narrower than 64 bits is widened before it is multiplied, so that a product wraps no sooner
/// than the annotation's.
std::string widened(const Code &code) {
  return code.isArgument ? "static_cast<long long>(" + code.text + ")" : code.within(Product);
}

Code print(const ScalarExpression &expression, const std::map<std::string, std::string> &names) {
  ScalarExpression::Part part = expression.outermost();
  if (part.literal)
    return {std::to_string(*part.literal), *part.literal < 0 ? Loose : Primary, false};
  if (part.operation.empty()) {
    auto found = names.find(part.name);
    std::string text = found == names.end() ? part.name : found->second;
    return {text, isName(text) || isCast(text) ? Primary : Loose, !llvm::isDigit(text.front())};
  }
  std::vector<Code> operands;
  for (const ScalarExpression &operand : part.operands)
    operands.push_back(print(operand, names));
  if (part.operation == "ceil_div") {
    std::optional<int64_t> divisor = part.operands[1].outermost().literal;
    if (divisor == 1)
      return operands[0];
    // A literal of 64 bits takes part in the first sum, so that none is made in fewer.
    std::string round =
        divisor ? " + " + std::to_string(*divisor - 1) + "LL" : " - 1LL + " + operands[1].within(Product);
    return {"(" + operands[0].within(Sum) + round + ") / " + operands[1].within(Primary), Product, false};
  }
  if (part.operation == "min" || part.operation == "max")
    return {operands[0].within(Sum) + (part.operation == "min" ? " < " : " > ") + operands[1].within(Sum) +
                " ? " + operands[0].within(Sum) + " : " + operands[1].within(Sum),
            Loose, false};
  if (part.operation == "?:")
    return {operands[0].within(Primary) + " ? " + operands[1].within(Primary) + " : " +
                operands[2].within(Primary),
            Loose, false};
  if (operands.size() == 1)
    return {part.operation.str() + operands[0].within(Primary), Loose, false};
  if (part.operation == "+" || part.operation == "-")
    return {operands[0].within(Sum) + " " + part.operation.str() + " " + operands[1].within(Product), Sum,
            false};
  if (part.operation == "*")
    return {widened(operands[0]) + " * " + operands[1].within(Primary), Product, false};
  if (part.operation == "/" || part.operation == "%")
    return {operands[0].within(Product) + " " + part.operation.str() + " " + operands[1].within(Primary),
            Product, false};
  // What compares binds tighter than what joins comparisons, and compilers warn of no such code.
  Binding operand = llvm::is_contained({"<", ">", "<=", ">=", "==", "!="}, part.operation) ? Sum
                    : part.operation == "&&"                                               ? Comparison
                                                                                           : Primary;
  return {operands[0].within(operand) + " " + part.operation.str() + " " + operands[1].within(operand),
          operand == Sum ? Comparison : Loose, false};
}

} // namespace

std::string toHostCode(const ScalarExpression &expression, const std::map<std::string, std::string> &names) {
  return print(expression, names).text;
}

std::string requestForShared(const std::string &kernel, const ScalarExpression &bytes) {
  llvm::Expected<int64_t> number = bytes.evaluate({});
  if (!number) {
    llvm::consumeError(number.takeError());
    return {};
  }
  if (*number <= static_cast<int64_t>(Architecture::maxStaticSharedPerBlock))
    return {};
  return "(cudaFuncSetAttribute(" + kernel + ", cudaFuncAttributeMaxDynamicSharedMemorySize, " +
         std::to_string(*number) + "), ";
}

} // namespace warpwright
