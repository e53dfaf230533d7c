#include "feedback/gate/Fingerprint.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

#include <map>

namespace warpwright {
namespace {

std::string normaliseLine(llvm::StringRef line) {
  std::string result;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (!quote && line.substr(i).starts_with("//"))
      break;
    if (quote && c == '\\' && i + 1 < line.size()) {
      result += c;
      result += line[++i];
      continue;
    }
    // A quote between digits separates thousands.
    if (c == '"' || (c == '\'' && (quote || i == 0 || !llvm::isAlnum(line[i - 1]))))
      quote = quote == c ? 0 : quote ? quote : c;
    if (quote || !llvm::isSpace(c))
      result += c;
  }
  return result;
}

/// What the message puts in quotes: which of a line's accesses, which array.
std::string namesIn(llvm::StringRef message) {
  std::string names;
  llvm::SmallVector<llvm::StringRef, 8> pieces;
  message.split(pieces, '\'');
  for (size_t i = 1; i < pieces.size(); i += 2)
    names += (pieces[i] + ",").str();
  return names;
}

} // namespace

std::string normaliseCode(llvm::StringRef text) {
  std::string result;
  for (llvm::StringRef line : llvm::split(text, '\n'))
    result += normaliseLine(line);
  return result;
}

std::string shortHash(llvm::StringRef text) {
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 16);
}

llvm::StringRef signatureOf(llvm::StringRef key) {
  return key.substr(key.find(':') + 1);
}

void fingerprintFindings(CheckedKernel &kernel, llvm::function_ref<llvm::StringRef(const Place &)> lineOf) {
  std::map<std::string, unsigned> alike;
  for (CheckedFinding &checked : kernel.findings) {
    const Finding &finding = checked.finding;
    std::string text = finding.id + '\n' + namesIn(finding.message) + '\n';
    bool ofKernel = finding.place.file == kernel.place.file && finding.place.line == kernel.place.line;
    if (!ofKernel)
      text += normaliseLine(lineOf(finding.place));
    text += '\n' + std::to_string(alike[text]++);
    checked.fingerprint = shortHash(text);
  }
}

std::string globalFingerprint(const CheckedKernel &kernel, const CheckedFinding &finding) {
  return shortHash((signatureOf(kernel.key) + "\n" + finding.fingerprint).str());
}

} // namespace warpwright
