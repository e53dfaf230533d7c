#include "analysis/frontend/NvccOptions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

using namespace warpwright;

namespace {

#define WARPWRIGHT_ROW(id, longName, shortName, form, values, disposition, deviceCompile, clang, reason,     \
                       inHelp)                                                                               \
  {NvccOptionId::id,                                                                                         \
   longName,                                                                                                 \
   shortName,                                                                                                \
   NvccOptionForm::form,                                                                                     \
   values,                                                                                                   \
   NvccOptionDisposition::disposition,                                                                       \
   NvccDeviceCompile::deviceCompile,                                                                         \
   clang,                                                                                                    \
   reason,                                                                                                   \
   inHelp},

constexpr NvccOption optionTable[] = {
#define WARPWRIGHT_NVCC_OPTION(...) WARPWRIGHT_ROW(__VA_ARGS__, true)
#define WARPWRIGHT_NVCC_HIDDEN_OPTION(...) WARPWRIGHT_ROW(__VA_ARGS__, false)
#include "analysis/frontend/NvccOptions.def"
};
#undef WARPWRIGHT_ROW

const NvccOption *findLongOption(llvm::StringRef name) {
  const NvccOption *found =
      llvm::lower_bound(optionTable, name, [](const NvccOption &option, llvm::StringRef wanted) {
        return option.longName < wanted;
      });
  return found != std::end(optionTable) && found->longName == name ? found : nullptr;
}

const NvccOption *findShortOption(llvm::StringRef name) {
  const NvccOption *found = llvm::find_if(
      optionTable, [&](const NvccOption &option) { return !name.empty() && option.shortName == name; });
  return found != std::end(optionTable) ? found : nullptr;
}

std::string escapedForTable(llvm::StringRef text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|')
      escaped += "\\|";
    else
      escaped += c;
  }
  return escaped;
}

std::string spellings(const NvccOption &option) {
  std::string text = ("`--" + option.longName + "`").str();
  if (!option.shortName.empty())
    text += (" `-" + option.shortName + "`").str();
  return text;
}

std::string argumentWords(const NvccOption &option) {
  if (!option.takesArgument())
    return "none";
  std::string text = option.isList() ? "list" : "one";
  if (option.isJoined())
    text += ", also joined";
  return option.values.empty() ? text : text + ": " + escapedForTable(option.values);
}

} // namespace

llvm::ArrayRef<NvccOption> warpwright::nvccOptions() {
  return optionTable;
}

const NvccOption &warpwright::nvccOption(NvccOptionId id) {
  return optionTable[static_cast<size_t>(id)];
}

const NvccOption *warpwright::findNvccOption(llvm::StringRef word) {
  llvm::StringRef name = word.split('=').first;
  if (name.consume_front("--"))
    return findLongOption(name);
  if (!name.consume_front("-"))
    return nullptr;
  if (const NvccOption *option = findShortOption(name))
    return option;
  const NvccOption *joined = findShortOption(name.take_front(1));
  return joined && joined->isJoined() ? joined : nullptr;
}

const char *warpwright::toString(NvccOptionDisposition disposition) {
  switch (disposition) {
  case NvccOptionDisposition::Kept:
    return "kept";
  case NvccOptionDisposition::Translated:
    return "translated";
  case NvccOptionDisposition::Dropped:
    return "dropped";
  case NvccOptionDisposition::Refused:
    return "refused";
  }
  return "unknown";
}

std::string warpwright::nvccOptionsPage() {
  std::string page = R"(# What becomes of nvcc's options

Warpwright reads a `.cu` file with Clang, whose options are not nvcc's. Every option of `nvcc --help` (13.0) has a row
here, and so have some that the help text leaves out. *Kept*: Clang gets the same option. *Translated*: it becomes other
words for Clang, or something that Warpwright knows of the compile. *Dropped*: nothing that Clang reads depends on it;
nvcc still gets it when the file is built. *Refused*: a command with it is not analysed, and the original is compiled.

Generated from `analysis/frontend/NvccOptions.def`; a test fails when the two differ.

| option | argument | disposition | reason |
|---|---|---|---|
)";
  for (const NvccOption &option : nvccOptions())
    page += "| " + spellings(option) + " | " + argumentWords(option) + " | " + toString(option.disposition) +
            " | " + escapedForTable(option.reason) + " |\n";
  return page;
}
