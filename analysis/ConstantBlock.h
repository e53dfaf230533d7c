#pragma once

#include "analysis/Launch.h"

#include <optional>

namespace warpwright {

struct KernelAnalysis;

/// The block of every launch there can be: the annotation states it in constants, or no other file can launch
/// the kernel and all launches in this one have the same. Nothing where that is not so, or where a launch in
/// the file contradicts the annotation.
std::optional<Dim3> constantBlock(const KernelAnalysis &analysis);

} // namespace warpwright
