#include "clang_plugin/Report.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Path.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

/// 1234567 as "1,234,567".
std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (int i = int(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(i, ",");
  return digits;
}

std::string text(const Json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

uint64_t number(const Json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<uint64_t>() : 0;
}

void entry(llvm::raw_ostream &stream, const char *label, const std::string &value) {
  stream << "  " << llvm::left_justify(label, 10) << value << '\n';
}

std::string parameters(const Json &candidate) {
  std::string list;
  for (const auto &[name, value] : candidate.at("parameters").items())
    list += " " + name + "=" + value.dump();
  return list;
}

std::string lastVerdict(const Json &candidate) {
  const Json &verdicts = candidate.at("verdicts");
  if (verdicts.empty())
    return "not judged";
  const Json &last = verdicts.back();
  std::string reason = text(last, "reason");
  return text(last, "verdict") + " at " + text(last, "stage") + (reason.empty() ? "" : ": " + reason);
}

void printFound(const Json &kernel, llvm::raw_ostream &stream) {
  if (std::string note = text(kernel, "launch_note"); !note.empty())
    entry(stream, "launch", note);
  for (const Json &finding : kernel.at("findings"))
    entry(stream, "found",
          text(finding, "id") + ", line " + std::to_string(number(finding.at("place"), "line")) + ": " +
              text(finding, "message"));
}

void printChanged(const Json &kernel, llvm::raw_ostream &stream) {
  for (const Json &candidate : kernel.at("candidates"))
    if (candidate.at("chosen").get<bool>())
      for (const Json &edit : candidate.at("edits"))
        entry(stream, "changed",
              text(candidate, "rewriter") + parameters(candidate) + ", line " +
                  std::to_string(number(edit.at("place"), "line")) + ": " + text(edit, "reason"));
  entry(stream, text(kernel, "choice") == "original" ? "kept" : "because", text(kernel, "reason"));
}

void printDeclined(const Json &kernel, llvm::raw_ostream &stream) {
  for (const Json &candidate : kernel.at("candidates"))
    if (!candidate.at("chosen").get<bool>())
      entry(stream, "declined",
            text(candidate, "rewriter") + parameters(candidate) + " on '" + text(candidate, "subject") +
                "', " + lastVerdict(candidate));
  for (const Json &decline : kernel.at("declined"))
    entry(stream, "declined", text(decline, "rewriter") + ": " + text(decline, "reason"));
}

std::string numbersOf(const Json &prediction) {
  if (prediction.at("shapes").empty())
    return "no launch is known";
  const Json &shape = prediction.at("shapes").front();
  std::string line =
      llvm::formatv("{0,18}{1,18}{2,18}", grouped(number(shape, "global_sectors")),
                    grouped(number(shape, "shared_wavefronts")), grouped(number(shape, "warp_instructions")))
          .str();
  auto resources = prediction.find("resources");
  if (resources == prediction.end())
    return line + "         ?         ?";
  return line +
         llvm::formatv("{0,10}{1,10:P0}", number(*resources, "registers"), resources->value("occupancy", 0.0))
             .str();
}

void printNumbers(const Json &kernel, llvm::raw_ostream &stream) {
  const Json &before = kernel.at("before");
  const Json &after = kernel.at("after");
  if (before.empty())
    return;
  entry(stream, "predicted",
        llvm::formatv("{0,18}{1,18}{2,18}{3,10}{4,10}", "sectors", "wavefronts", "instructions", "registers",
                      "occupancy")
            .str());
  for (size_t i = 0; i < before.size(); ++i) {
    std::string suffix = before.size() > 1 ? "  " + text(before[i], "architecture") : "";
    entry(stream, "  before", numbersOf(before[i]) + suffix);
    if (i < after.size() && text(kernel, "choice") != "original")
      entry(stream, "  after", numbersOf(after[i]) + suffix);
  }
}

void printKernel(const Json &kernel, llvm::raw_ostream &stream) {
  const Json &place = kernel.at("place");
  stream << '\n'
         << text(kernel, "name") << "  (" << llvm::sys::path::filename(text(place, "file")) << ':'
         << number(place, "line") << ')';
  const Json &before = kernel.at("before");
  if (!before.empty() && !before.front().at("shapes").empty())
    stream << "  " << text(before.front(), "architecture") << ", "
           << text(before.front().at("shapes").front(), "shape");
  stream << '\n';
  printFound(kernel, stream);
  printChanged(kernel, stream);
  printDeclined(kernel, stream);
  printNumbers(kernel, stream);
}

} // namespace

void printEvidence(const Json &evidence, llvm::raw_ostream &stream) {
  for (const Json &remark : evidence.at("remarks"))
    stream << text(evidence, "file") << ": " << text(remark, "message") << '\n';
  for (const Json &kernel : evidence.at("kernels"))
    printKernel(kernel, stream);
}

} // namespace warpwright
