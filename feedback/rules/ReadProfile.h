#pragma once

#include "feedback/Profile.h"
#include "feedback/rules/Diagnosis.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/raw_ostream.h>

namespace warpwright {

class Calibration;

/// All rules on the profile's longest launch, joined with static findings of the same kernel: what they say
/// of the same cause is named, and where a finding says it is there and the counters say it is not, the
/// reading says so and the rule's confidence falls. Without counters there is no primary bottleneck.
/// Where a calibration is given, confidences are drawn towards how the rules held on that architecture.
ProfileReading diagnose(const Profile &profile, llvm::ArrayRef<Finding> findings = {},
                        const Calibration *calibration = nullptr);

/// For people: the two bottlenecks, then every diagnosis that explains a tenth of the time.
void printReading(const ProfileReading &reading, llvm::raw_ostream &stream);

} // namespace warpwright
