#include "clang_plugin/CommandLine.h"

#include "clang_plugin/Version.h"

#include <CLI/CLI.hpp>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FileSystem.h>

#include <array>
#include <cstring>
#include <iostream>

namespace warpwright {

#define WARPWRIGHT_VERB(name, function, operands, help) ExitCode function(const Options &options);
#include "clang_plugin/Options.def"

namespace {

constexpr Verb table[] = {
#define WARPWRIGHT_VERB(name, function, operands, help) {name, operands, help, function},
#include "clang_plugin/Options.def"
};

CLI::Option *addOption(CLI::App &verb, const char *flag, bool &value, const char *, const char *help) {
  return verb.add_flag(flag, value, help);
}

template <typename T>
CLI::Option *addOption(CLI::App &verb, const char *flag, T &value, const char *placeholder,
                       const char *help) {
  return verb.add_option(flag, value, help)->type_name(placeholder);
}

bool takes(llvm::StringRef verbs, llvm::StringRef verb) {
  llvm::SmallVector<llvm::StringRef, 8> names;
  verbs.split(names, ' ');
  return llvm::is_contained(names, verb);
}

void addVerb(CLI::App &app, const Verb &verb, Options &options) {
  CLI::App *sub = app.add_subcommand(verb.name, verb.help);
  if (*verb.operands)
    sub->add_option(verb.operands, options.operands)->option_text(" ");
#define WARPWRIGHT_OPTION(verbs, flag, Type, member, placeholder, help)                                      \
  if (takes(verbs, verb.name))                                                                               \
    addOption(*sub, flag, options.member, placeholder, help);
#define WARPWRIGHT_HIDDEN_OPTION(verbs, flag, Type, member, placeholder, help)                               \
  if (takes(verbs, verb.name))                                                                               \
    addOption(*sub, flag, options.member, placeholder, help)->group("");
#include "clang_plugin/Options.def"
}

} // namespace

llvm::ArrayRef<Verb> verbs() {
  return table;
}

int runCommandLine(int argc, char **argv) {
  Options options;
  options.program = llvm::sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&runCommandLine));
  int own = argc;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") != 0)
      continue;
    own = i;
    options.compiler.assign(argv + i + 1, argv + argc);
    break;
  }

  CLI::App app("Makes CUDA kernels faster as a step of the build, and proves that each change was worth it.",
               "warpwright");
  app.require_subcommand(1);
  app.set_version_flag("--version", "warpwright " WARPWRIGHT_VERSION);
  app.footer(
      "Arguments of nvcc follow `--`. Exit codes: 0 clean, 1 findings, 2 could not check, 3 bad usage, "
      "4 a fault of the tool; `cc` returns nvcc's.");
  for (const Verb &verb : table)
    addVerb(app, verb, options);
  if (own > 1 && argv[1][0] != '-' &&
      llvm::none_of(table, [&](const Verb &verb) { return verb.name == std::string(argv[1]); })) {
    std::cerr << "warpwright: error: there is no verb '" << argv[1] << "'; --help lists them\n";
    return static_cast<int>(ExitCode::BadUsage);
  }

  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError &error) {
    bool isHelp = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error);
    return static_cast<int>(isHelp ? ExitCode::Clean : ExitCode::BadUsage);
  }
  // The gate speaks more languages, and names them itself.
  bool isOfTwo = options.format.empty() || options.format == "text" || options.format == "json";
  if (!isOfTwo && !app.got_subcommand("check")) {
    std::cerr << "warpwright: error: there is no format '" << options.format << "', only text and json\n";
    return static_cast<int>(ExitCode::BadUsage);
  }
  for (const Verb &verb : table)
    if (app.got_subcommand(verb.name))
      return static_cast<int>(verb.run(options));
  return static_cast<int>(ExitCode::BadUsage);
}

} // namespace warpwright
