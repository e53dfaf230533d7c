#pragma once

#include "feedback/evaluators/cuda/BundleFolder.h"

namespace warpwright {

/// A `warpwright/bundle/1` document.
nlohmann::ordered_json writeManifest(llvm::ArrayRef<CarriedKernel> kernels);

/// Errors name the place in the document.
llvm::Expected<std::vector<CarriedKernel>> readManifest(const nlohmann::ordered_json &document);

} // namespace warpwright
