#include "feedback/agents/Messages.h"

#include <llvm/ADT/StringExtras.h>

namespace warpwright::agents {
namespace {

std::string cleanLine(llvm::StringRef line) {
  std::string clean;
  for (char character : line.take_front(longestLine)) {
    unsigned char code = static_cast<unsigned char>(character);
    clean += code < 0x20 || code == 0x7f ? ' ' : character;
  }
  if (line.size() > longestLine)
    clean += " ...";
  return clean;
}

std::string numbered(size_t number, llvm::StringRef line) {
  return std::to_string(number) + ": " + cleanLine(line);
}

} // namespace

std::vector<std::string> linesThatMatter(llvm::StringRef message) {
  llvm::SmallVector<llvm::StringRef> lines;
  message.rtrim().split(lines, '\n');
  std::vector<std::string> chosen;
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool isFirst = i < firstLines, isLast = i + lastLines >= lines.size();
    if (isFirst || isLast)
      chosen.push_back(cleanLine(lines[i]));
    else if (i == firstLines)
      chosen.push_back("... " + std::to_string(lines.size() - firstLines - lastLines) +
                       " lines left out ...");
  }
  return chosen;
}

std::vector<std::string> syntaxLines(llvm::StringRef text, unsigned line, unsigned column,
                                     llvm::StringRef message) {
  std::vector<std::string> lines = {"line " + std::to_string(line) + ", column " + std::to_string(column) +
                                    ": " + cleanLine(message)};
  llvm::SmallVector<llvm::StringRef> source;
  text.split(source, '\n');
  for (unsigned near = line > 2 ? line - 2 : 1; near <= line + 1 && near <= source.size(); ++near) {
    lines.push_back(numbered(near, source[near - 1]));
    if (near == line && column > 0 && column <= longestLine)
      lines.push_back(std::string(std::to_string(near).size() + 1 + column, ' ') + "^");
  }
  return lines;
}

std::vector<std::string> semanticLines(const Verification &verification) {
  return linesThatMatter(toText(verification));
}

std::string overBudget(llvm::StringRef what, uint64_t has, uint64_t allowed) {
  return std::to_string(has) + " " + what.str() + " are " + std::to_string(has - allowed) +
         " more than the " + std::to_string(allowed) + " that are allowed";
}

} // namespace warpwright::agents
