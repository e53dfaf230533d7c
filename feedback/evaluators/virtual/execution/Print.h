#pragma once

#include <cstdint>
#include <string>

namespace warpwright::vdevice {

/// What the device's printf prints. `arguments` holds the promoted values one after the other, each aligned
/// to its size; `count` receives how many were read.
std::string formatText(const char *format, const uint8_t *arguments, unsigned &count);

} // namespace warpwright::vdevice
