#pragma once

#include "feedback/gate/Checked.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>

namespace warpwright {

/// Gives each finding of the kernel a fingerprint: of its rule, of the text of its line without spaces and
/// comment, of the names in its message, and of its place among findings that are alike in those. Numbers
/// and lines are no part of it, so it survives code that moves and a launch that changes. `lineOf` yields the
/// text of a line, or nothing where it cannot be read; a finding about the kernel as a whole, which is placed
/// at its name, has no text.
void fingerprintFindings(CheckedKernel &kernel, llvm::function_ref<llvm::StringRef(const Place &)> lineOf);

/// A fingerprint for the world outside: of the kernel, wherever its file lies, and of the finding in it.
std::string globalFingerprint(const CheckedKernel &kernel, const CheckedFinding &finding);

/// The key without the file's name: name and signature.
llvm::StringRef signatureOf(llvm::StringRef key);

/// Code without spaces and without what stands behind `//`. Text in quotes is kept whole.
std::string normaliseCode(llvm::StringRef text);

/// A hash of a text, 16 digits.
std::string shortHash(llvm::StringRef text);

} // namespace warpwright
