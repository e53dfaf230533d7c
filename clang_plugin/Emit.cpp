#include "clang_plugin/Emit.h"

#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

namespace warpwright {
namespace {

constexpr llvm::StringLiteral byteOrderMark = "\xEF\xBB\xBF";

unsigned lineOf(llvm::StringRef text, size_t offset) {
  return 1 + text.take_front(offset).count('\n');
}

size_t startOfLine(llvm::StringRef text, size_t offset) {
  size_t newline = text.take_front(offset).rfind('\n');
  if (newline != llvm::StringRef::npos)
    return newline + 1;
  return text.starts_with(byteOrderMark) ? byteOrderMark.size() : 0;
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

/// The directive for the line of the original that starts at the offset: what the compiler would have called
/// it.
std::string originAt(const EmitRequest &request, unsigned offset) {
  llvm::StringRef text = request.original;
  const LineOrigin *origin = nullptr;
  for (const LineOrigin &candidate : request.origins)
    if (candidate.offset <= offset)
      origin = &candidate;
  if (!origin)
    return directive(lineOf(text, offset), request.originalPath);
  return directive(origin->line + text.slice(origin->offset, offset).count('\n'), origin->file);
}

/// Whether the edit adds whole lines outside all definitions, between two lines that stay as they are.
bool standsAlone(const EmitRequest &request, const Edit &edit) {
  bool isWithin = llvm::any_of(request.definitions, [&](const SourceRegion &definition) {
    return definition.begin < edit.offset && edit.offset < definition.end;
  });
  return !isWithin && edit.length == 0 && startOfLine(request.original, edit.offset) == edit.offset &&
         llvm::StringRef(edit.text).ends_with("\n");
}

/// The whole lines that hold an edit, widened to the definition around it; in order and disjoint.
std::vector<SourceRegion> rewrittenRegions(const EmitRequest &request) {
  llvm::StringRef text = request.original;
  std::vector<SourceRegion> regions;
  for (const Edit &edit : request.edits) {
    SourceRegion region{edit.offset, edit.offset + edit.length};
    if (standsAlone(request, edit)) {
      regions.push_back(region);
      continue;
    }
    for (const SourceRegion &definition : request.definitions)
      if (definition.begin <= edit.offset && edit.offset + edit.length <= definition.end)
        region = definition;
    region.begin = startOfLine(text, region.begin);
    region.end = endOfLine(text, region.end > region.begin ? region.end - 1 : region.end);
    regions.push_back(region);
  }
  llvm::sort(regions, [](const SourceRegion &left, const SourceRegion &right) {
    return std::tie(left.begin, left.end) < std::tie(right.begin, right.end);
  });
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
    bool isAlone = edit.offset == region.begin && standsAlone(request, edit);
    bool isInside = edit.offset >= region.begin && (edit.offset < region.end || atEndOfFile);
    if (region.begin == region.end ? !isAlone : isAlone || !isInside)
      continue;
    edit.offset -= region.begin;
    edits.push_back(std::move(edit));
  }
  return edits;
}

} // namespace

llvm::Expected<std::string> emitSource(const EmitRequest &request) {
  llvm::StringRef original = request.original;
  size_t copied = original.starts_with(byteOrderMark) ? byteOrderMark.size() : 0;
  std::string result = original.take_front(copied).str() + directive(1, request.originalPath);
  for (const SourceRegion &region : rewrittenRegions(request)) {
    result += original.slice(copied, std::max<size_t>(copied, region.begin));
    // The directive names the line that follows it.
    result += directive(lineOf(result, result.size()) + 1, request.generatedPath);
    llvm::Expected<std::string> rewritten =
        applyEdits(original.slice(region.begin, region.end), editsWithin(request, region));
    if (!rewritten)
      return rewritten.takeError();
    result += *rewritten;
    if (result.back() != '\n')
      result += '\n';
    result += originAt(request, region.end);
    copied = region.end;
  }
  result += original.substr(copied);
  return result;
}

} // namespace warpwright
