#include "feedback/agents/TokenEdits.h"

#include "feedback/agents/SourceTokens.h"
#include "feedback/agents/Submission.h"

#include <llvm/ADT/ArrayRef.h>

#include <algorithm>

namespace warpwright::agents {
namespace {

/// A run of tokens [first, firstEnd) that becomes [second, secondEnd) of the other text.
struct Run {
  size_t first, firstEnd, second, secondEnd;
};

/// The shortest edit script by E. W. Myers, "An O(ND) difference algorithm and its variations", 1986: the
/// furthest point on each diagonal, kept for every number of changes so that the way back is known.
class TokenDiff {
public:
  TokenDiff(llvm::ArrayRef<SourceToken> first, llvm::ArrayRef<SourceToken> second)
      : first_(first), second_(second) {}

  std::vector<Run> runs() {
    size_t begin = 0;
    while (begin < std::min(first_.size(), second_.size()) && first_[begin].text == second_[begin].text)
      ++begin;
    size_t end = 0;
    while (end < std::min(first_.size(), second_.size()) - begin &&
           first_[first_.size() - 1 - end].text == second_[second_.size() - 1 - end].text)
      ++end;
    first_ = first_.slice(begin, first_.size() - begin - end);
    second_ = second_.slice(begin, second_.size() - begin - end);
    std::vector<Run> runs = script();
    for (Run &run : runs)
      run = {run.first + begin, run.firstEnd + begin, run.second + begin, run.secondEnd + begin};
    return runs;
  }

private:
  /// Beyond so many changes the rest is one run: time and memory grow with their square.
  static constexpr long mostChanges = 2000;

  std::vector<Run> script() {
    const long n = static_cast<long>(first_.size()), m = static_cast<long>(second_.size());
    if (n == 0 && m == 0)
      return {};
    const long most = std::min(n + m, mostChanges);
    std::vector<long> furthest(2 * most + 2, 0);
    auto at = [&](std::vector<long> &row, long diagonal) -> long & { return row[diagonal + most]; };
    std::vector<std::vector<long>> history;
    for (long changes = 0; changes <= most; ++changes) {
      history.push_back(furthest);
      for (long diagonal = -changes; diagonal <= changes; diagonal += 2) {
        bool down = diagonal == -changes ||
                    (diagonal != changes && at(furthest, diagonal - 1) < at(furthest, diagonal + 1));
        long x = down ? at(furthest, diagonal + 1) : at(furthest, diagonal - 1) + 1;
        long y = x - diagonal;
        while (x < n && y < m && first_[x].text == second_[y].text)
          ++x, ++y;
        at(furthest, diagonal) = x;
        if (x >= n && y >= m)
          return wayBack(history, changes, most);
      }
    }
    return {{0, first_.size(), 0, second_.size()}};
  }

  std::vector<Run> wayBack(std::vector<std::vector<long>> &history, long changes, long most) {
    std::vector<Run> runs;
    long x = static_cast<long>(first_.size()), y = static_cast<long>(second_.size());
    for (; changes > 0; --changes) {
      std::vector<long> &row = history[changes];
      auto at = [&](long diagonal) { return row[diagonal + most]; };
      long diagonal = x - y;
      bool down = diagonal == -changes || (diagonal != changes && at(diagonal - 1) < at(diagonal + 1));
      long previous = down ? diagonal + 1 : diagonal - 1;
      long fromX = at(previous), fromY = fromX - previous;
      while (x > (down ? fromX : fromX + 1) && y > (down ? fromY + 1 : fromY))
        --x, --y;
      add(runs, down ? Run{size_t(fromX), size_t(fromX), size_t(fromY), size_t(fromY + 1)}
                     : Run{size_t(fromX), size_t(fromX + 1), size_t(fromY), size_t(fromY)});
      x = fromX;
      y = fromY;
    }
    std::reverse(runs.begin(), runs.end());
    return runs;
  }

  /// Runs come last to first; those that touch are one.
  static void add(std::vector<Run> &runs, Run run) {
    if (!runs.empty() && run.firstEnd == runs.back().first && run.secondEnd == runs.back().second) {
      runs.back().first = run.first;
      runs.back().second = run.second;
    } else {
      runs.push_back(run);
    }
  }

  llvm::ArrayRef<SourceToken> first_;
  llvm::ArrayRef<SourceToken> second_;
};

class EditWriter {
public:
  EditWriter(llvm::StringRef original, llvm::StringRef changed, llvm::ArrayRef<SourceToken> before,
             llvm::ArrayRef<SourceToken> after)
      : original_(original), changed_(changed), before_(before), after_(after) {}

  Edit write(const Run &run) const {
    Edit edit;
    const bool inserts = run.first == run.firstEnd;
    edit.offset =
        run.first < before_.size() ? before_[run.first].offset : static_cast<unsigned>(original_.size());
    if (!inserts)
      edit.length = before_[run.firstEnd - 1].end - edit.offset;
    if (run.second == run.secondEnd)
      return edit;
    // What is inserted brings the white space behind it along; what is replaced keeps the original's.
    const SourceToken &last = after_[run.secondEnd - 1];
    size_t stop = last.end;
    if (inserts)
      stop = run.secondEnd < after_.size() ? after_[run.secondEnd].offset : changed_.size();
    edit.text = changed_.slice(after_[run.second].offset, stop).str();
    if (after_[run.second].isDirective && !startsLine(edit.offset))
      edit.text = "\n" + edit.text;
    const bool mustEndLine =
        last.isDirective || (last.isComment && llvm::StringRef(last.text).starts_with("//"));
    const bool endsLine = !inserts && endsLineAt(edit.offset + edit.length);
    if (mustEndLine && !endsLine && !llvm::StringRef(edit.text).rtrim(" \t").ends_with("\n"))
      edit.text += "\n";
    if (inserts && run.secondEnd == after_.size() && !last.isDirective && run.first < before_.size())
      edit.text += " ";
    return edit;
  }

private:
  bool endsLineAt(size_t offset) const {
    llvm::StringRef rest = original_.drop_front(offset).ltrim(" \t\r");
    return rest.empty() || rest.starts_with("\n");
  }

  bool startsLine(size_t offset) const {
    llvm::StringRef line = original_.take_front(offset);
    line = line.drop_front(line.rfind('\n') == llvm::StringRef::npos ? 0 : line.rfind('\n') + 1);
    return line.trim().empty();
  }

  llvm::StringRef original_;
  llvm::StringRef changed_;
  llvm::ArrayRef<SourceToken> before_;
  llvm::ArrayRef<SourceToken> after_;
};

} // namespace

std::vector<Edit> tokenEdits(llvm::StringRef original, llvm::StringRef changed,
                             const clang::LangOptions &language) {
  const std::vector<SourceToken> before = tokensOf(original, language), after = tokensOf(changed, language);
  EditWriter writer(original, changed, before, after);
  std::vector<Edit> edits;
  for (const Run &run : TokenDiff(before, after).runs())
    edits.push_back(writer.write(run));
  return edits;
}

std::string tokenChecksum(llvm::StringRef text, const clang::LangOptions &language) {
  std::string words;
  for (const SourceToken &token : tokensOf(text, language))
    if (!token.isComment)
      words += token.text + '\n';
  return checksumOf(words);
}

} // namespace warpwright::agents
