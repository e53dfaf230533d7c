#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <string>

namespace warpwright {

/// One enumerator an option of nvcc, named after its long name.
enum class NvccOptionId {
#define WARPWRIGHT_NVCC_OPTION(id, longName, shortName, form, values, disposition, deviceCompile, clang,     \
                               reason)                                                                       \
  id,
#include "analysis/frontend/NvccOptions.def"
};

/// How an option takes its argument. nvcc reads `--long value`, `--long=value`, `-short value` and
/// `-short=value` alike, and only options of a joined form as `-Xvalue`. `-long` and `--short` are no
/// options.
enum class NvccOptionForm {
  Flag,        ///< no argument; `=anything` is an error
  Value,       ///< one argument, taken as it stands
  List,        ///< values separated by commas, see splitNvccList()
  JoinedValue, ///< Value, `-O3` as well
  JoinedList   ///< List, `-Ifolder` as well
};

/// What becomes of an option on the way to Clang.
enum class NvccOptionDisposition {
  Kept,       ///< Clang gets the same option
  Translated, ///< it becomes other words for Clang, or a field of NvccInvocation
  Dropped,    ///< nothing that Clang reads depends on it
  Refused     ///< an error: the command cannot be analysed
};

/// Whether a device-only compile of the same file (`nvcc -cubin`) needs the option to make the same device
/// code.
enum class NvccDeviceCompile { Taken, Left };

/// A row of NvccOptions.def.
struct NvccOption {
  NvccOptionId id;
  llvm::StringRef longName;  ///< without dashes
  llvm::StringRef shortName; ///< without the dash; empty where there is none
  NvccOptionForm form;
  llvm::StringRef values; ///< empty: any; "number", "number<=N", "architecture", or words separated by '|'
  NvccOptionDisposition disposition;
  NvccDeviceCompile deviceCompile;
  llvm::StringRef clangArguments; ///< words separated by blanks, '%' standing for a value
  llvm::StringRef reason;         ///< empty only where the option is kept
  bool inHelp;                    ///< whether nvcc's help text has it

  bool takesArgument() const { return form != NvccOptionForm::Flag; }
  bool isList() const { return form == NvccOptionForm::List || form == NvccOptionForm::JoinedList; }
  bool isJoined() const { return form == NvccOptionForm::JoinedValue || form == NvccOptionForm::JoinedList; }
};

/// All options, sorted by long name.
llvm::ArrayRef<NvccOption> nvccOptions();

const NvccOption &nvccOption(NvccOptionId id);

/// The option that a word spells, `--long`, `-short` or a joined form, with or without `=value`; null where
/// nvcc knows none.
const NvccOption *findNvccOption(llvm::StringRef word);

/// "kept", "translated", "dropped" or "refused".
const char *toString(NvccOptionDisposition disposition);

/// docs/nvcc-options.md: the table of options for people.
std::string nvccOptionsPage();

} // namespace warpwright
