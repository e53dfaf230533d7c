#include "feedback/evaluators/virtual/checks/AccessFinder.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace warpwright::vdevice {

uint64_t AccessFinder::access(const Access &access) {
  if (access.bytes == 0 || objects_.find(access.address, access.bytes, access.thread))
    return access.address;
  if (!fault_ && isWanted(access))
    describe(access);
  constexpr uint64_t usual = 65536;
  if (!scratch_ || scratch_.bytes() < access.bytes)
    scratch_ = Mapping::zeroed(llvm::alignTo(std::max<uint64_t>(access.bytes, usual), Mapping::pageBytes()));
  return scratch_.begin();
}

/// Of addresses of more bits than the host has it says nothing but that there was one.
bool AccessFinder::isWanted(const Access &access) const {
  constexpr unsigned hostBits = 48;
  if (wanted_.address == 0 && !llvm::isInt<hostBits>(static_cast<int64_t>(access.address)))
    return true;
  uint64_t fromShared = access.address - objects_.place().shared;
  return wanted_.address - access.address < access.bytes || wanted_.fromShared - fromShared < access.bytes;
}

void AccessFinder::describe(const Access &access) {
  Fault &fault = fault_.emplace();
  fault.kind = FaultKind::OutOfBounds;
  std::optional<Object> object = objects_.findNear(access.address, access.thread);
  writer_.describe(fault, objects_, access, object);
  if (object)
    fault.detail = writer_.distance(objects_, access, *object);
}

} // namespace warpwright::vdevice
