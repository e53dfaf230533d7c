#pragma once

#include "feedback/agents/Admission.h"
#include "feedback/agents/SourceTokens.h"

#include <string>
#include <vector>

namespace warpwright::agents {

/// A function of the main file that a submission may change: the kernel, or one for the device alone.
struct ChangeableFunction {
  const clang::FunctionDecl *function = nullptr; ///< of a template, its pattern
  std::string name;                              ///< qualified
  std::string signature;                         ///< name and type: tells overloads apart
  unsigned begin = 0;                            ///< of its text, template header and annotation included
  unsigned end = 0;
  bool isKernel = false;

  bool contains(const SourceToken &token) const { return token.offset >= begin && token.offset < end; }
};

/// A file as admission sees it: its tokens, and the functions that may change.
struct AdmittedText {
  std::vector<SourceToken> tokens;
  std::vector<ChangeableFunction> functions; ///< in order; disjoint

  const ChangeableFunction *kernel() const;
  const ChangeableFunction *find(llvm::StringRef signature) const;
  /// The one whose text holds the token, or null.
  const ChangeableFunction *holderOf(const SourceToken &token) const;
  /// Its tokens without comments, as one text.
  std::string textOf(const ChangeableFunction &function) const;
  /// The words of all tokens that are in no such function, comments left out.
  std::vector<const SourceToken *> rest() const;
};

AdmittedText readText(const AdmissionSide &side);

} // namespace warpwright::agents
