#include "clang_plugin/Emit.h"

#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

namespace warpwright {
namespace {

unsigned lineOf(llvm::StringRef text, size_t offset) {
  return 1 + text.take_front(offset).count('\n');
}

size_t startOfLine(llvm::StringRef text, size_t offset) {
  size_t newline = text.take_front(offset).rfind('\n');
  return newline == llvm::StringRef::npos ? 0 : newline + 1;
}

size_t endOfLine(llvm::StringRef text, size_t offset) {
  size_t newline = text.find('\n', offset);
  return newline == llvm::StringRef::npos ? text.size() : newline + 1;
}

/// A directive's file name: backslashes and quotes escaped as in a string literal.
std::string directive(unsigned line, llvm::StringRef file) {
  std::string text = "#line " + std::to_string(line) + " \"";
  for (char c : file) {
    if (c == '\\' || c == '"')
      text += '\\';
    text += c;
  }
  return text + "\"\n";
}

/// The whole lines that hold an edit, widened to the definition around it; in order and disjoint.
std::vector<SourceRegion> rewrittenRegions(const EmitRequest &request) {
  llvm::StringRef text = request.original;
  std::vector<SourceRegion> regions;
  for (const Edit &edit : request.edits) {
    SourceRegion region{edit.offset, edit.offset + edit.length};
    for (const SourceRegion &definition : request.definitions)
      if (definition.begin <= edit.offset && edit.offset + edit.length <= definition.end)
        region = definition;
    region.begin = startOfLine(text, region.begin);
    region.end = endOfLine(text, region.end > region.begin ? region.end - 1 : region.end);
    regions.push_back(region);
  }
  llvm::sort(regions,
             [](const SourceRegion &left, const SourceRegion &right) { return left.begin < right.begin; });
  std::vector<SourceRegion> merged;
  for (const SourceRegion &region : regions) {
    if (!merged.empty() && region.begin < merged.back().end)
      merged.back().end = std::max(merged.back().end, region.end);
    else
      merged.push_back(region);
  }
  return merged;
}

/// The edits that lie in the region, moved to offsets within it.
std::vector<Edit> editsWithin(const EmitRequest &request, const SourceRegion &region) {
  std::vector<Edit> edits;
  for (Edit edit : request.edits) {
    bool atEndOfFile = edit.offset == region.end && region.end == request.original.size();
    if (edit.offset < region.begin || (edit.offset >= region.end && !atEndOfFile))
      continue;
    edit.offset -= region.begin;
    edits.push_back(std::move(edit));
  }
  return edits;
}

} // namespace

llvm::Expected<std::string> emitSource(const EmitRequest &request) {
  llvm::StringRef original = request.original;
  std::string result = directive(1, request.originalPath);
  size_t copied = 0;
  for (const SourceRegion &region : rewrittenRegions(request)) {
    result += original.slice(copied, region.begin);
    // The directive names the line that follows it.
    result += directive(lineOf(result, result.size()) + 1, request.generatedPath);
    llvm::Expected<std::string> rewritten =
        applyEdits(original.slice(region.begin, region.end), editsWithin(request, region));
    if (!rewritten)
      return rewritten.takeError();
    result += *rewritten;
    if (result.back() != '\n')
      result += '\n';
    result += directive(lineOf(original, region.end), request.originalPath);
    copied = region.end;
  }
  result += original.substr(copied);
  return result;
}

} // namespace warpwright
