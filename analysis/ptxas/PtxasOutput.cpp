#include "analysis/ptxas/PtxasOutput.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {

namespace {

llvm::Error notUnderstood(llvm::StringRef line, const llvm::Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "ptxas: " + why + ": '" + line.trim() + "'");
}

template <typename Number> bool takeNumber(llvm::StringRef &text, Number &number) {
  return !text.consumeInteger(10, number);
}

/// Whether a warning speaks of this symbol: the name stands there whole, not as part of a longer one.
bool names(llvm::StringRef warning, llvm::StringRef symbol) {
  const auto partOfName = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  for (size_t at = warning.find(symbol); at != llvm::StringRef::npos; at = warning.find(symbol, at + 1)) {
    const size_t end = at + symbol.size();
    if ((at == 0 || !partOfName(warning[at - 1])) && (end == warning.size() || !partOfName(warning[end])))
      return true;
  }
  return false;
}

/// Advice is open-ended: numbered, "(C7519) ...", or of a few older forms, or anything that has no word in it
/// of which the numbers are read here. A new line of numbers is thereby no advice.
bool isAdvice(llvm::StringRef text) {
  if (text.starts_with("(C") || text.starts_with("Overriding ") ||
      text.contains("Potential Performance Loss"))
    return true;
  for (llvm::StringRef word : {"bytes", "register", "barrier", "spill", "stack", "mem", "texture", "time"})
    if (text.contains_insensitive(word))
      return false;
  return !text.starts_with("Compiling ") && !text.starts_with("Used ");
}

/// Reads line by line. One run of ptxas for one architecture is a module: its warnings first, then "bytes
/// gmem", then its kernels, each followed by the device functions that it calls.
class Parser {
public:
  llvm::Error line(llvm::StringRef text);
  llvm::Expected<PtxasReport> finish();

private:
  struct Pending {
    std::string text;
    size_t module;
  };

  llvm::Error message(llvm::StringRef severity, llvm::StringRef text, llvm::StringRef whole);
  llvm::Error info(llvm::StringRef text, llvm::StringRef whole);
  llvm::Error beginModule(llvm::StringRef text, llvm::StringRef whole);
  llvm::Error beginKernel(llvm::StringRef text, llvm::StringRef whole);
  llvm::Error properties(llvm::StringRef text, llvm::StringRef whole);
  llvm::Error usage(llvm::StringRef text, llvm::StringRef whole);
  llvm::Error compileTime(llvm::StringRef text, llvm::StringRef whole);
  llvm::Error endKernel();
  void endModule();
  void attach(const Pending &warning);

  PtxasReport report_;
  std::vector<size_t> kernelModule_; ///< beside report_.kernels
  std::vector<Pending> warnings_;
  size_t module_ = 0;
  size_t firstFunction_ = 0; ///< of this module
  std::string architecture_; ///< of this module, once a kernel has told
  bool inKernel_ = false;    ///< a kernel was begun and its lines are not complete
  bool hasProperties_ = false;
  bool hasUsage_ = false;
  LocalMemory *expected_ = nullptr; ///< where the next line's stack and spills belong
  std::string opener_;              ///< the line that began the kernel or named the function
};

llvm::Error Parser::line(llvm::StringRef text) {
  llvm::StringRef rest = text.trim();
  if (expected_)
    return properties(rest, text);
  if (rest.contains("bytes stack frame"))
    return notUnderstood(text, "stack and spills of no function");
  if (!rest.consume_front("ptxas"))
    return llvm::Error::success();
  const auto [severity, body] = rest.split(':');
  return message(severity.trim(), body.trim(), text);
}

llvm::Error Parser::message(llvm::StringRef severity, llvm::StringRef text, llvm::StringRef whole) {
  if (severity == "info")
    return info(text, whole);
  if (severity == "warning") {
    warnings_.push_back({text.str(), module_});
    return llvm::Error::success();
  }
  if (severity == "error" || severity == "fatal")
    return notUnderstood(whole, "it failed");
  return notUnderstood(whole, "line not understood");
}

llvm::Error Parser::info(llvm::StringRef text, llvm::StringRef whole) {
  if (text.consume_front("Compiling entry function "))
    return beginKernel(text, whole);
  if (text.consume_front("Function properties for ")) {
    opener_ = whole.str();
    KernelResources *kernel = inKernel_ && !hasUsage_ ? &report_.kernels.back() : nullptr;
    if (kernel && kernel->symbol == text) {
      expected_ = &kernel->local;
      hasProperties_ = true;
      return llvm::Error::success();
    }
    report_.functions.push_back({text.str(), architecture_, {}});
    expected_ = &report_.functions.back().local;
    return llvm::Error::success();
  }
  if (text.starts_with("Used "))
    return usage(text, whole);
  if (text.consume_front("Compile time = "))
    return compileTime(text, whole);
  if (text.contains(" bytes gmem"))
    return beginModule(text, whole);
  if (isAdvice(text)) {
    report_.remarks.push_back(text.str());
    return llvm::Error::success();
  }
  return notUnderstood(whole, "line not understood");
}

llvm::Error Parser::beginModule(llvm::StringRef text, llvm::StringRef whole) {
  if (llvm::Error error = endKernel())
    return error;
  for (llvm::StringRef item : llvm::split(text, ", ")) {
    uint64_t bytes = 0;
    if (!takeNumber(item, bytes) || !(item == " bytes gmem" || item.starts_with(" bytes cmem[")))
      return notUnderstood(whole, "sizes of the module not understood");
  }
  endModule();
  return llvm::Error::success();
}

llvm::Error Parser::beginKernel(llvm::StringRef text, llvm::StringRef whole) {
  if (llvm::Error error = endKernel())
    return error;
  const auto [symbol, rest] = text.drop_front(text.starts_with("'") ? 1 : 0).split("' for '");
  if (!text.starts_with("'") || symbol.empty() || rest.size() < 2 || !rest.ends_with("'"))
    return notUnderstood(whole, "name of the kernel not understood");
  const std::string architecture = rest.drop_back().str();
  if (report_.find(symbol, architecture))
    return notUnderstood(whole, "the same kernel a second time");
  report_.kernels.emplace_back();
  report_.kernels.back().symbol = symbol.str();
  report_.kernels.back().architecture = architecture;
  kernelModule_.push_back(module_);
  architecture_ = architecture;
  opener_ = whole.str();
  inKernel_ = true;
  hasProperties_ = hasUsage_ = false;
  return llvm::Error::success();
}

llvm::Error Parser::properties(llvm::StringRef text, llvm::StringRef whole) {
  LocalMemory &local = *std::exchange(expected_, nullptr);
  if (takeNumber(text, local.stackBytes) && text.consume_front(" bytes stack frame, ") &&
      takeNumber(text, local.spillStoreBytes) && text.consume_front(" bytes spill stores, ") &&
      takeNumber(text, local.spillLoadBytes) && text == " bytes spill loads")
    return llvm::Error::success();
  return notUnderstood(whole,
                       "stack and spills not understood, after '" + llvm::StringRef(opener_).trim() + "'");
}

llvm::Error Parser::usage(llvm::StringRef text, llvm::StringRef whole) {
  if (!inKernel_ || hasUsage_)
    return notUnderstood(whole, "registers of no kernel");
  KernelResources &kernel = report_.kernels.back();
  text.consume_front("Used ");
  if (!takeNumber(text, kernel.registers) || !text.consume_front(" registers"))
    return notUnderstood(whole, "registers not understood");
  while (text.consume_front(", ")) {
    const auto [item, rest] = text.split(',');
    text = text.drop_front(item.size());
    llvm::StringRef tail = item;
    const bool used = tail.consume_front("used ");
    uint64_t number = 0;
    unsigned bank = 0;
    if (!takeNumber(tail, number))
      return notUnderstood(whole, "'" + item + "' not understood");
    if (used && tail == " barriers")
      kernel.barriers = unsigned(number);
    else if (tail == " bytes cumulative stack size")
      kernel.cumulativeStackBytes = number;
    else if (tail == " bytes smem")
      kernel.staticSharedBytes = number;
    else if (tail == " bytes lmem")
      kernel.localBytes = number;
    else if (tail == " textures")
      kernel.textures = unsigned(number);
    else if (tail.consume_front(" bytes cmem[") && takeNumber(tail, bank) && tail == "]")
      kernel.constantBytes[bank] = number;
    else
      return notUnderstood(whole, "'" + item + "' not understood");
  }
  if (!text.empty())
    return notUnderstood(whole, "'" + text + "' not understood");
  hasUsage_ = true;
  return llvm::Error::success();
}

llvm::Error Parser::compileTime(llvm::StringRef text, llvm::StringRef whole) {
  double milliseconds = 0;
  if (!text.consume_back(" ms") || text.getAsDouble(milliseconds))
    return notUnderstood(whole, "time not understood");
  // Separately compiled device functions have a time, too; it is the kernel's only while its lines are being
  // read.
  if (inKernel_ && hasUsage_ && !report_.kernels.back().compileMilliseconds)
    report_.kernels.back().compileMilliseconds = milliseconds;
  return endKernel();
}

/// A kernel whose lines are not all there is an error: a missing number must not read as zero.
llvm::Error Parser::endKernel() {
  if (!std::exchange(inKernel_, false))
    return llvm::Error::success();
  if (!hasProperties_)
    return notUnderstood(opener_, "no stack and spills for this kernel");
  if (!hasUsage_)
    return notUnderstood(opener_, "no registers for this kernel");
  return llvm::Error::success();
}

/// Device functions that came before the first kernel of their module learn its architecture.
void Parser::endModule() {
  for (size_t i = firstFunction_; i < report_.functions.size(); ++i)
    report_.functions[i].architecture = architecture_;
  firstFunction_ = report_.functions.size();
  architecture_.clear();
  ++module_;
}

/// Warnings come before the module they speak of, so the next one is asked first.
void Parser::attach(const Pending &warning) {
  for (size_t module : {warning.module + 1, warning.module})
    for (size_t i = 0; i < report_.kernels.size(); ++i)
      if (kernelModule_[i] == module && names(warning.text, report_.kernels[i].symbol)) {
        report_.kernels[i].warnings.push_back(warning.text);
        return;
      }
  report_.warnings.push_back(warning.text);
}

llvm::Expected<PtxasReport> Parser::finish() {
  if (expected_)
    return notUnderstood(opener_, "the text ends after this line");
  if (llvm::Error error = endKernel())
    return std::move(error);
  endModule();
  for (const Pending &warning : warnings_)
    attach(warning);
  return std::move(report_);
}

} // namespace

size_t PtxasReport::warningCount() const {
  size_t count = warnings.size();
  for (const KernelResources &kernel : kernels)
    count += kernel.warnings.size();
  return count;
}

const KernelResources *PtxasReport::find(llvm::StringRef symbol, llvm::StringRef architecture) const {
  for (const KernelResources &kernel : kernels)
    if (kernel.symbol == symbol && kernel.architecture == architecture)
      return &kernel;
  return nullptr;
}

llvm::Expected<PtxasReport> parsePtxasOutput(llvm::StringRef text) {
  Parser parser;
  for (llvm::StringRef line : llvm::split(text, '\n'))
    if (llvm::Error error = parser.line(line))
      return std::move(error);
  return parser.finish();
}

} // namespace warpwright
