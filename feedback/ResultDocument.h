#pragma once

#include "feedback/evaluators/cuda/runner/JsonReader.h"

namespace warpwright {

/// A reader of what a runner wrote (schema warpwright/result/1), with every key that it may have; another
/// schema is a mistake.
runner::JsonReader readResultDocument(const runner::Json &result, runner::Mistake &mistake);

} // namespace warpwright
