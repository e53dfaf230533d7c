#include "clang_plugin/Report.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Path.h>
#include <nlohmann/json.hpp>

#include <array>

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

/// The rewriter, and before it the steps that it goes on from: "swap-thread-axes x=32 y=8 + resize-block".
std::string headOf(const Json &candidate) {
  std::string head;
  for (const Json &earlier : candidate.at("earlier"))
    head += text(earlier, "rewriter") + parameters(earlier) + " + ";
  return head + text(candidate, "rewriter");
}

std::string extents(const Json &launch, const char *key) {
  std::string list;
  for (const Json &extent : launch.value(key, Json::array()))
    list += (list.empty() ? "" : ", ") + (extent.is_string() ? extent.get<std::string>() : extent.dump());
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

/// Findings that say the same: of several variables on one line, of one variable on several lines.
struct FoundGroup {
  std::string id;
  std::string before, after; ///< of the message, around the first name in it
  std::vector<std::string> names;
  std::vector<uint64_t> lines;

  bool saysTheSame(const FoundGroup &other) const {
    return id == other.id && before == other.before && after == other.after;
  }
  std::string text() const {
    return id + (lines.size() > 1 ? ", lines " : ", line ") +
           llvm::join(llvm::map_range(lines, [](uint64_t line) { return std::to_string(line); }), ", ") +
           ": " + before + llvm::join(names, ", ") + after;
  }
};

/// `shape`, which the kernel's heading names, is left out of the message.
FoundGroup groupOf(const Json &finding, const std::string &shape) {
  std::string message = text(finding, "message");
  llvm::StringRef rest = message;
  rest.consume_back(" (" + shape + ")");
  size_t first = rest.find('\'');
  size_t last = first == llvm::StringRef::npos ? first : rest.find('\'', first + 1);
  FoundGroup group{text(finding, "id"), rest.str(), {}, {}, {number(finding.at("place"), "line")}};
  if (last == llvm::StringRef::npos)
    return group;
  group.before = rest.take_front(first).str();
  group.names.push_back(rest.slice(first, last + 1).str());
  group.after = rest.drop_front(last + 1).str();
  return group;
}

std::vector<FoundGroup> groupFindings(const Json &findings, const std::string &shape) {
  std::vector<FoundGroup> byLine, groups;
  for (const Json &finding : findings) {
    FoundGroup next = groupOf(finding, shape);
    auto same = llvm::find_if(byLine, [&](const FoundGroup &group) {
      return group.saysTheSame(next) && group.lines == next.lines;
    });
    if (same == byLine.end())
      byLine.push_back(std::move(next));
    else if (!next.names.empty() && !llvm::is_contained(same->names, next.names.front()))
      same->names.push_back(next.names.front());
  }
  for (FoundGroup &next : byLine) {
    auto same = llvm::find_if(groups, [&](const FoundGroup &group) {
      return group.saysTheSame(next) && group.names == next.names;
    });
    if (same == groups.end())
      groups.push_back(std::move(next));
    else
      same->lines.push_back(next.lines.front());
  }
  return groups;
}

void printFound(const Json &kernel, const std::string &shape, llvm::raw_ostream &stream) {
  if (std::string note = text(kernel, "launch_note"); !note.empty())
    entry(stream, "launch", note);
  for (const FoundGroup &group : groupFindings(kernel.at("findings"), shape))
    entry(stream, "found", group.text());
}

/// Once a line that changed, with each of its reasons; then the launch that the copy gets.
void printChange(const Json &candidate, llvm::raw_ostream &stream) {
  std::vector<std::string> said;
  for (const Json &edit : candidate.at("edits")) {
    std::string line = headOf(candidate) + parameters(candidate) + ", line " +
                       std::to_string(number(edit.at("place"), "line")) + ": " + text(edit, "reason");
    if (llvm::is_contained(said, line))
      continue;
    entry(stream, "changed", line);
    said.push_back(std::move(line));
  }
  const Json &plan = candidate.at("launch");
  if (plan.is_null())
    return;
  if (said.empty())
    entry(stream, "changed", headOf(candidate) + parameters(candidate));
  const Json &launch = plan.at("steps").front();
  entry(stream, "launch", "changed: grid " + extents(launch, "grid") + ", block " + extents(launch, "block"));
}

void printChanged(const Json &kernel, llvm::raw_ostream &stream) {
  for (const Json &candidate : kernel.at("candidates"))
    if (candidate.at("chosen").get<bool>())
      printChange(candidate, stream);
  entry(stream, text(kernel, "choice") == "original" ? "kept" : "because", text(kernel, "reason"));
}

void printDeclined(const Json &kernel, llvm::raw_ostream &stream) {
  // Points of one parameter space that ended alike share a line.
  std::vector<std::array<std::string, 3>> lines; // rewriter, parameters, the rest
  for (const Json &candidate : kernel.at("candidates")) {
    if (candidate.at("chosen").get<bool>())
      continue;
    std::string rest = " on '" + text(candidate, "subject") + "', " + lastVerdict(candidate);
    auto same = llvm::find_if(lines, [&](const auto &line) {
      return line[0] == headOf(candidate) && line[2] == rest && !line[1].empty();
    });
    if (same == lines.end())
      lines.push_back({headOf(candidate), parameters(candidate), rest});
    else
      (*same)[1] += "," + parameters(candidate);
  }
  for (const auto &[rewriter, points, rest] : lines)
    entry(stream, "declined", rewriter + points + rest);
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
  std::string shape;
  if (!before.empty() && !before.front().at("shapes").empty()) {
    shape = text(before.front().at("shapes").front(), "shape");
    stream << "  " << text(before.front(), "architecture") << ", " << shape;
  }
  stream << '\n';
  printFound(kernel, shape, stream);
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
