#include "feedback/agents/UnifiedDiff.h"

#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>

#include <optional>

namespace warpwright::agents {
namespace {

/// Lines with their ends; the last may lack one.
std::vector<llvm::StringRef> linesOf(llvm::StringRef text) {
  std::vector<llvm::StringRef> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    size_t length = end == llvm::StringRef::npos ? text.size() : end + 1;
    lines.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return lines;
}

struct HunkLine {
  char kind; ///< ' ', '-' or '+'
  llvm::StringRef text;
};

struct Hunk {
  size_t wanted = 0;      ///< the line of the original that its head names, from 0
  bool isAtStart = false; ///< its head names line 0, before which there is none
  std::vector<HunkLine> lines;

  std::vector<llvm::StringRef> before() const {
    std::vector<llvm::StringRef> texts;
    for (const HunkLine &line : lines)
      if (line.kind != '+')
        texts.push_back(line.text);
    return texts;
  }
};

class DiffReader {
public:
  explicit DiffReader(llvm::StringRef original) : original_(original), lines_(linesOf(original)) {
    size_t offset = 0;
    for (llvm::StringRef line : lines_) {
      offsets_.push_back(offset);
      offset += line.size();
    }
    offsets_.push_back(offset);
  }

  llvm::Expected<std::vector<Edit>> read(llvm::StringRef diff) {
    if (llvm::Error error = split(diff))
      return std::move(error);
    if (hunks_.empty())
      return llvm::createStringError("the patch holds no hunk: one begins with '@@ -12,3 +12,4 @@'");
    size_t from = 0;
    for (size_t i = 0; i < hunks_.size(); ++i) {
      llvm::Expected<size_t> at = place(hunks_[i], i + 1, from);
      if (!at)
        return at.takeError();
      from = *at + hunks_[i].before().size();
      edit(hunks_[i], *at);
    }
    if (edits_.empty())
      return llvm::createStringError("the patch changes nothing");
    return std::move(edits_);
  }

private:
  llvm::Error split(llvm::StringRef diff) {
    std::vector<llvm::StringRef> texts = linesOf(diff);
    unsigned files = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
      llvm::StringRef line = texts[i];
      bool isHead = line.starts_with("--- ") && i + 1 < texts.size() && texts[i + 1].starts_with("+++ ");
      if (isHead) {
        if (++files > 1)
          return llvm::createStringError(
              "the patch touches more than one file; only the kernel's may change");
        ++i;
      } else if (line.starts_with("@@")) {
        if (llvm::Error error = begin(line))
          return error;
      } else if (line.starts_with("\\")) {
        continue; // "No newline at end of file"
      } else if (!hunks_.empty()) {
        if (llvm::Error error = add(line, i + 1))
          return error;
      }
    }
    for (Hunk &hunk : hunks_)
      while (!hunk.lines.empty() && hunk.lines.back().kind == ' ' && hunk.lines.back().text.trim().empty() &&
             hunk.lines.back().text.size() <= 1)
        hunk.lines.pop_back(); // an empty line behind a hunk is no context
    return llvm::Error::success();
  }

  llvm::Error begin(llvm::StringRef head) {
    llvm::StringRef rest = head.drop_front(2).ltrim();
    Hunk hunk;
    size_t line = 0;
    if (rest.consume_front("-") && !rest.consumeInteger(10, line)) {
      hunk.isAtStart = line == 0;
      hunk.wanted = line - (line > 0);
    }
    hunks_.push_back(std::move(hunk));
    return llvm::Error::success();
  }

  llvm::Error add(llvm::StringRef line, size_t number) {
    if (line.trim("\r\n").empty()) {
      hunks_.back().lines.push_back({' ', line});
      return llvm::Error::success();
    }
    if (!llvm::is_contained({' ', '-', '+'}, line.front())) {
      if (line.starts_with("diff "))
        return llvm::Error::success();
      return llvm::createStringError("line " + std::to_string(number) +
                                     " of the patch begins with neither ' ', '-' nor '+'");
    }
    hunks_.back().lines.push_back({line.front(), line.drop_front()});
    return llvm::Error::success();
  }

  static bool same(llvm::StringRef left, llvm::StringRef right) {
    return left.rtrim("\r\n") == right.rtrim("\r\n");
  }

  bool fits(llvm::ArrayRef<llvm::StringRef> wanted, size_t at) const {
    if (at + wanted.size() > lines_.size())
      return false;
    for (size_t i = 0; i < wanted.size(); ++i)
      if (!same(wanted[i], lines_[at + i]))
        return false;
    return true;
  }

  llvm::Expected<size_t> place(const Hunk &hunk, size_t number, size_t from) const {
    const std::vector<llvm::StringRef> wanted = hunk.before();
    if (hunk.wanted >= from && fits(wanted, hunk.wanted) && (!wanted.empty() || hunk.isAtStart))
      return hunk.wanted;
    if (wanted.empty())
      return llvm::createStringError("hunk " + std::to_string(number) +
                                     " of the patch has no line by which its place could be found");
    std::vector<size_t> found;
    for (size_t at = from; at < lines_.size(); ++at)
      if (fits(wanted, at))
        found.push_back(at);
    if (found.size() == 1)
      return found.front();
    if (found.size() > 1)
      return llvm::createStringError("hunk " + std::to_string(number) + " of the patch fits at lines " +
                                     std::to_string(found[0] + 1) + " and " + std::to_string(found[1] + 1) +
                                     ": give more context");
    return misfit(wanted, number, hunk.wanted);
  }

  /// The first line that does not fit, where the head says that the hunk goes.
  llvm::Error misfit(llvm::ArrayRef<llvm::StringRef> wanted, size_t number, size_t at) const {
    for (size_t i = 0; i < wanted.size(); ++i) {
      llvm::StringRef there = at + i < lines_.size() ? lines_[at + i].rtrim() : "<end of file>";
      if (at + i >= lines_.size() || !same(wanted[i], lines_[at + i]))
        return llvm::createStringError(
            llvm::formatv("hunk {0} of the patch does not fit: line {1} of the file is '{2}', not '{3}'",
                          number, at + i + 1, there, wanted[i].rtrim())
                .str());
    }
    return llvm::createStringError("hunk " + std::to_string(number) +
                                   " of the patch stands before an earlier one");
  }

  /// Each run of removed and added lines is an edit of its own.
  void edit(const Hunk &hunk, size_t at) {
    std::optional<Edit> open;
    auto close = [&] {
      if (open)
        edits_.push_back(std::move(*open));
      open.reset();
    };
    for (const HunkLine &line : hunk.lines) {
      if (line.kind == ' ') {
        close();
        ++at;
        continue;
      }
      if (!open) {
        open.emplace();
        open->offset = static_cast<unsigned>(offsets_[at]);
      }
      if (line.kind == '-')
        open->length += static_cast<unsigned>(lines_[at++].size());
      else
        open->text += line.text.ends_with("\n") ? line.text.str() : line.text.str() + "\n";
    }
    close();
  }

  llvm::StringRef original_;
  std::vector<llvm::StringRef> lines_;
  std::vector<size_t> offsets_;
  std::vector<Hunk> hunks_;
  std::vector<Edit> edits_;
};

/// Lines [begin, end) of the original that become `text`.
struct ChangedLines {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
};

constexpr size_t context = 3;

class DiffWriter {
public:
  explicit DiffWriter(llvm::StringRef original) : original_(original), lines_(linesOf(original)) {
    size_t offset = 0;
    for (llvm::StringRef line : lines_)
      starts_.push_back(offset), offset += line.size();
  }

  std::string write(llvm::ArrayRef<Edit> edits) {
    collect(edits);
    std::string text;
    ptrdiff_t shift = 0; // of lines, by what came before
    for (size_t first = 0; first < changes_.size();) {
      size_t last = first + 1;
      while (last < changes_.size() && changes_[last].begin <= changes_[last - 1].end + 2 * context)
        ++last;
      text += hunk(llvm::ArrayRef(changes_).slice(first, last - first), shift);
      first = last;
    }
    return text;
  }

private:
  size_t lineAt(size_t offset) const {
    return std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin() - 1;
  }

  /// Edits as changes of whole lines; those that share a line are one.
  void collect(llvm::ArrayRef<Edit> edits) {
    std::vector<Edit> sorted(edits.begin(), edits.end());
    llvm::sort(sorted, [](const Edit &left, const Edit &right) { return left.offset < right.offset; });
    size_t kept = 0; // bytes of the original that are in the last change's text, or behind it
    for (const Edit &edit : sorted) {
      const bool atEnd = edit.offset >= original_.size();
      size_t first = lines_.empty() || atEnd ? lines_.size() : lineAt(edit.offset);
      size_t stop = edit.offset + edit.length;
      const bool wholeLines = !atEnd && edit.offset == starts_[first] &&
                              (stop == original_.size() || original_.substr(0, stop).ends_with("\n")) &&
                              (edit.text.empty() || llvm::StringRef(edit.text).ends_with("\n"));
      size_t end = atEnd        ? lines_.size()
                   : wholeLines ? (stop == original_.size() ? lines_.size() : lineAt(stop))
                                : lineAt(stop == edit.offset ? stop : stop - 1) + 1;
      // A replaced end of line takes the next line with it.
      if (!wholeLines && !atEnd && edit.length > 0 && original_[stop - 1] == '\n' && end < lines_.size())
        ++end;
      if (!changes_.empty() && first < changes_.back().end) {
        ChangedLines &last = changes_.back();
        last.text.resize(last.text.size() - (startOf(last.end) - kept));
        last.text += original_.slice(kept, edit.offset);
        last.text += edit.text;
        last.end = std::max(last.end, end);
        last.text += original_.slice(stop, startOf(last.end));
      } else {
        size_t start = atEnd ? original_.size() : starts_[first];
        changes_.push_back(
            {first, end,
             (original_.slice(start, edit.offset) + edit.text + original_.slice(stop, startOf(end))).str()});
      }
      kept = stop;
    }
  }

  size_t startOf(size_t line) const { return line < starts_.size() ? starts_[line] : original_.size(); }

  std::string hunk(llvm::ArrayRef<ChangedLines> changes, ptrdiff_t &shift) const {
    size_t begin = changes.front().begin - std::min(changes.front().begin, context);
    size_t end = std::min(changes.back().end + context, lines_.size());
    std::string body;
    size_t at = begin, added = 0, removed = 0;
    auto put = [&](char kind, llvm::StringRef line) {
      body += kind;
      body += line;
      if (!line.ends_with("\n"))
        body += "\n\\ No newline at end of file\n";
    };
    for (const ChangedLines &change : changes) {
      while (at < change.begin)
        put(' ', lines_[at++]);
      for (; at < change.end; ++at, ++removed)
        put('-', lines_[at]);
      for (llvm::StringRef line : linesOf(change.text))
        put('+', line), ++added;
    }
    while (at < end)
      put(' ', lines_[at++]);
    size_t before = end - begin, after = before + added - removed;
    std::string head = llvm::formatv("@@ -{0},{1} +{2},{3} @@\n", before == 0 ? begin : begin + 1, before,
                                     static_cast<ptrdiff_t>(begin) + 1 + shift, after);
    shift += static_cast<ptrdiff_t>(added) - static_cast<ptrdiff_t>(removed);
    return head + body;
  }

  llvm::StringRef original_;
  std::vector<llvm::StringRef> lines_;
  std::vector<size_t> starts_;
  std::vector<ChangedLines> changes_;
};

} // namespace

llvm::Expected<std::vector<Edit>> readDiff(llvm::StringRef diff, llvm::StringRef original) {
  return DiffReader(original).read(diff);
}

std::string writeDiff(llvm::StringRef original, llvm::ArrayRef<Edit> edits, llvm::StringRef path) {
  if (edits.empty())
    return {};
  return ("--- a/" + path + "\n+++ b/" + path + "\n").str() + DiffWriter(original).write(edits);
}

} // namespace warpwright::agents
