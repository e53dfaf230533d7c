#pragma once

#include "feedback/Lock.h"

namespace warpwright {

/// The entry with its checksum, as it stands in a lock.
nlohmann::ordered_json sealed(const LockEntry &entry);

} // namespace warpwright
