#pragma once

#include <string>
#include <string_view>

namespace warpwright::runner {

/// SHA-256 (FIPS 180-4) of the bytes, in lower-case hexadecimal.
std::string sha256(std::string_view bytes);

} // namespace warpwright::runner
