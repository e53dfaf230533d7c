#pragma once

#include "analysis/simt/Code.h"

namespace warpwright::simt {

/// Takes out of the program all computing that no count can depend on: a value is needed only where it flows
/// into an address, a branch, or a value that is needed, and memory is filled only where a needed value is
/// loaded from it. What is dropped is still counted as executed and its accesses are still counted, so
/// counts, grades and reasons stay what they were.
///
/// A value is needed whole or not at all. Address spaces are told apart as the pointers' types say; a generic
/// pointer may lead anywhere.
/// With `keepWatched`, what a Watcher looks at is needed, too: exchanges between lanes, and integers that
/// become floating-point numbers.
void dropUncountedValues(Program &program, bool keepWatched);

} // namespace warpwright::simt
