#pragma once

#include "clang_plugin/Pipeline.h"
#include "feedback/Evidence.h"

#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json_fwd.hpp>

namespace warpwright {

/// Findings of a file as Clang prints warnings: place, message, tag, source line and caret.
void printFindings(const FileRecord &record, llvm::raw_ostream &stream);

/// The remarks of a file, one a line: what was done (passed), what was not (missed).
void printRemarks(const FileRecord &record, llvm::raw_ostream &stream);

/// How long each step took, a line each.
void printTimings(const FileOutcome &outcome, llvm::raw_ostream &stream);

/// A `warpwright/evidence/1` document as a table for people: per kernel what was found, changed and declined,
/// and what is predicted before and after.
void printEvidence(const nlohmann::ordered_json &evidence, llvm::raw_ostream &stream);

/// The kernels of any number of such documents, a line each: what was changed, and by how much what is
/// predicted of the main shape changes with it.
void printOverview(const nlohmann::ordered_json &kernels, llvm::raw_ostream &stream);

/// What was measured of each annotated kernel, and what was chosen.
void printTuning(const FileRecord &record, llvm::raw_ostream &stream);

} // namespace warpwright
