#include "analysis/frontend/NvccCommandLine.h"

#include "analysis/frontend/NvccWords.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <cstdlib>

using namespace warpwright;

namespace {

llvm::Error badArgument(const llvm::Twine &text) {
  return llvm::createStringError("nvcc arguments: " + text);
}

/// A word and where it stood in the given arguments.
struct Word {
  std::string text;
  std::optional<size_t> position;
};

class CommandLineParser {
public:
  explicit CommandLineParser(llvm::StringRef directory) : directory_(directory) {}

  llvm::Error parseText(llvm::StringRef text) {
    llvm::Expected<std::vector<std::string>> words = splitNvccFlags(text);
    if (!words)
      return words.takeError();
    return parse(withoutPositions(*words));
  }
  llvm::Error parseGiven(llvm::ArrayRef<std::string> arguments) {
    std::vector<Word> words;
    for (size_t position = 0; position != arguments.size(); ++position)
      words.push_back({arguments[position], position});
    return parse(words);
  }
  llvm::Expected<std::vector<NvccArgument>> finish();

private:
  static std::vector<Word> withoutPositions(llvm::ArrayRef<std::string> texts) {
    std::vector<Word> words;
    for (const std::string &text : texts)
      words.push_back({text, std::nullopt});
    return words;
  }

  llvm::Error parse(llvm::ArrayRef<Word> words);
  llvm::Error parseOption(const NvccOption &option, llvm::ArrayRef<Word> words, size_t &next);
  llvm::Error includeFiles(const NvccArgument &argument);
  llvm::Error includeFile(llvm::StringRef name);

  std::string directory_;
  std::vector<std::string> openFiles_;
  std::vector<NvccArgument> arguments_;
};

/// What follows the option's name in the same word; none where the value is the next word.
std::optional<llvm::StringRef> attachedValue(const NvccOption &option, llvm::StringRef word) {
  llvm::StringRef rest = word;
  if (rest.consume_front("--")) {
    rest = rest.drop_front(option.longName.size());
    return rest.consume_front("=") ? std::optional(rest) : std::nullopt;
  }
  rest = rest.drop_front(1 + option.shortName.size());
  if (rest.consume_front("="))
    return rest;
  return rest.empty() ? std::nullopt : std::optional(rest);
}

/// `type` is "number" or "number<=N"; nvcc takes an empty text for a number that is not given.
bool isNumber(llvm::StringRef text, llvm::StringRef type) {
  int64_t number = 0;
  if (text.empty())
    return true;
  if (text.getAsInteger(0, number))
    return false;
  int64_t limit = 0;
  bool unlimited = type.split("<=").second.getAsInteger(10, limit);
  return unlimited || (number >= 0 && number <= limit);
}

llvm::Error checkValue(const NvccOption &option, llvm::StringRef value) {
  if (option.values.empty() || option.values == "architecture")
    return llvm::Error::success();
  if (option.values.starts_with("number")) {
    if (isNumber(value, option.values))
      return llvm::Error::success();
    return badArgument("'" + value + "' is not a " + option.values + ", which '--" + option.longName +
                       "' takes");
  }
  llvm::SmallVector<llvm::StringRef> admitted;
  option.values.split(admitted, '|');
  if (llvm::is_contained(admitted, value))
    return llvm::Error::success();
  return badArgument("'--" + option.longName + "' takes " + llvm::join(admitted, ", ") + ", not '" + value +
                     "'");
}

llvm::Error CommandLineParser::parse(llvm::ArrayRef<Word> words) {
  for (size_t next = 0; next != words.size();) {
    const Word &word = words[next];
    if (const NvccOption *option = findNvccOption(word.text)) {
      if (llvm::Error error = parseOption(*option, words, next))
        return error;
      continue;
    }
    ++next;
    NvccArgument argument;
    argument.words = {word.text};
    argument.position = word.position;
    // Which of the host tools gets an unknown option is known when all have been read; `-` alone is standard
    // input.
    if (word.text.size() > 1 && word.text.front() == '-')
      argument.kind = NvccArgumentKind::ForHostCompiler;
    else
      argument.values = {word.text};
    arguments_.push_back(std::move(argument));
  }
  return llvm::Error::success();
}

llvm::Error CommandLineParser::parseOption(const NvccOption &option, llvm::ArrayRef<Word> words,
                                           size_t &next) {
  const Word &word = words[next++];
  NvccArgument argument;
  argument.kind = NvccArgumentKind::Option;
  argument.option = &option;
  argument.words = {word.text};
  argument.position = word.position;
  std::optional<llvm::StringRef> value = attachedValue(option, word.text);
  if (!option.takesArgument() && value)
    return badArgument("'" + word.text + "': this option takes no argument");
  if (option.takesArgument() && !value) {
    if (next == words.size())
      return badArgument("an argument is missing after '" + word.text + "'");
    argument.words.push_back(words[next].text);
    value = words[next++].text;
  }
  if (value && option.isList()) {
    llvm::Expected<std::vector<std::string>> items = splitNvccList(*value);
    if (!items)
      return items.takeError();
    argument.values = std::move(*items);
  } else if (value) {
    argument.values = {value->str()};
  }
  for (const std::string &item : argument.values) {
    if (llvm::Error error = checkValue(option, item))
      return error;
  }
  if (option.id == NvccOptionId::OptionsFile)
    return includeFiles(argument);
  arguments_.push_back(std::move(argument));
  return llvm::Error::success();
}

llvm::Error CommandLineParser::includeFiles(const NvccArgument &argument) {
  for (const std::string &name : argument.values) {
    if (llvm::Error error = includeFile(name))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error CommandLineParser::includeFile(llvm::StringRef name) {
  llvm::SmallString<256> path(name);
  llvm::sys::path::make_absolute(directory_, path);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/false);
  if (llvm::is_contained(openFiles_, path.str()))
    return badArgument("the options file '" + name + "' includes itself");
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return badArgument("cannot read the options file '" + name + "': " + buffer.getError().message());
  llvm::Expected<std::vector<std::string>> words = splitOptionsFile((*buffer)->getBuffer());
  if (!words)
    return words.takeError();
  openFiles_.push_back(path.str().str());
  llvm::Error error = parse(withoutPositions(*words));
  openFiles_.pop_back();
  return error;
}

llvm::Expected<std::vector<NvccArgument>> CommandLineParser::finish() {
  bool toCompiler = false;
  bool toLinker = false;
  for (const NvccArgument &argument : arguments_) {
    bool both = argument.is(NvccOptionId::ForwardUnknownOpts);
    toCompiler |= both || argument.is(NvccOptionId::ForwardUnknownToHostCompiler);
    toLinker |= both || argument.is(NvccOptionId::ForwardUnknownToHostLinker);
  }
  for (NvccArgument &argument : arguments_) {
    if (argument.kind != NvccArgumentKind::ForHostCompiler || toCompiler)
      continue;
    if (!toLinker)
      return badArgument("unknown option '" + argument.words.front() + "'");
    argument.kind = NvccArgumentKind::ForHostLinker;
  }
  return std::move(arguments_);
}

} // namespace

NvccEnvironment NvccEnvironment::ofProcess() {
  NvccEnvironment environment;
  if (const char *flags = std::getenv("NVCC_PREPEND_FLAGS"))
    environment.prependFlags = flags;
  if (const char *flags = std::getenv("NVCC_APPEND_FLAGS"))
    environment.appendFlags = flags;
  return environment;
}

std::string NvccArgument::spelled() const {
  return llvm::join(words, " ");
}

llvm::Expected<std::vector<NvccArgument>>
warpwright::parseNvccCommandLine(llvm::ArrayRef<std::string> nvccArguments, llvm::StringRef directory,
                                 const NvccEnvironment &environment) {
  CommandLineParser parser(directory);
  if (llvm::Error error = parser.parseText(environment.prependFlags))
    return std::move(error);
  if (llvm::Error error = parser.parseGiven(nvccArguments))
    return std::move(error);
  if (llvm::Error error = parser.parseText(environment.appendFlags))
    return std::move(error);
  return parser.finish();
}
