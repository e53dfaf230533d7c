#pragma once

#include "feedback/Calibration.h"
#include "feedback/DeviceFigures.h"
#include "feedback/Evidence.h"

namespace warpwright {

/// Spearman's correlation of ranks, ties sharing theirs; 0 for fewer than two.
double rankCorrelation(llvm::ArrayRef<double> left, llvm::ArrayRef<double> right);

/// Whether two labels are of one shape, "m = 4, n = 8" and "n = 8, m = 4": analysis has the annotation's order,
/// measurements that of the names.
bool isSameShape(llvm::StringRef left, llvm::StringRef right);

/// The record's candidate of that name, or null.
const CandidateRecord *findCandidate(const KernelRecord &record, llvm::StringRef name);
/// What is predicted of it on that architecture, or null.
const Prediction *predictionFor(const CandidateRecord &candidate, llvm::StringRef architecture);

/// How the cost model ranks the candidates that were timed, the original among them, against their times on
/// each shape; and how their times on the shape that takes least rank them against those on the main one.
/// Nothing of fewer than three. Candidates whose results were wrong are not ranked.
std::vector<RankComparison> compareRanks(const KernelRecord &record, llvm::StringRef architecture,
                                         const DeviceFigures &figures);

} // namespace warpwright
