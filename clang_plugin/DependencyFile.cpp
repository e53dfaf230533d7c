#include "clang_plugin/DependencyFile.h"

#include <vector>

namespace warpwright {
namespace {

/// Length of the run of blanks and continued line ends at the front.
size_t leadingSpace(llvm::StringRef text) {
  size_t i = 0;
  while (i < text.size()) {
    if (text[i] == ' ' || text[i] == '\t' || text[i] == '\n')
      ++i;
    else if (text.substr(i).starts_with("\\\n"))
      i += 2;
    else
      break;
  }
  return i;
}

/// Length of the name at the front; a backslash protects the next character.
size_t leadingName(llvm::StringRef text) {
  size_t i = 0;
  while (i < text.size() && text[i] != ' ' && text[i] != '\t' && text[i] != '\n' &&
         !text.substr(i).starts_with("\\\n"))
    i += text[i] == '\\' && i + 1 < text.size() ? 2 : 1;
  return i;
}

/// Where the first rule ends: before the first line end that is not continued. With -MP, rules without
/// prerequisites follow it.
size_t endOfFirstRule(llvm::StringRef text) {
  size_t end = text.find('\n');
  while (end != llvm::StringRef::npos && end != 0 && text[end - 1] == '\\')
    end = text.find('\n', end + 1);
  return end == llvm::StringRef::npos ? text.size() : end;
}

} // namespace

std::string escapeForMake(llvm::StringRef path) {
  std::string escaped;
  for (char c : path) {
    if (c == ' ' || c == '#')
      escaped += '\\';
    if (c == '$')
      escaped += '$';
    escaped += c;
  }
  return escaped;
}

std::string redirectDependencies(llvm::StringRef text, llvm::StringRef generated, llvm::StringRef original,
                                 llvm::ArrayRef<std::string> extra) {
  std::string from = escapeForMake(generated);
  std::string result;
  while (!text.empty()) {
    size_t space = leadingSpace(text);
    result += text.take_front(space);
    text = text.drop_front(space);
    size_t name = leadingName(text);
    result += text.take_front(name) == from ? escapeForMake(original) : text.take_front(name).str();
    text = text.drop_front(name);
  }
  std::string added;
  for (const std::string &dependency : extra)
    added += " \\\n  " + escapeForMake(dependency);
  result.insert(endOfFirstRule(result), added);
  return result;
}

} // namespace warpwright
