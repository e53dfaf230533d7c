#include "feedback/evaluators/cuda/runner/Fault.h"

namespace warpwright::runner {
namespace {

struct Row {
  std::string_view id;
  std::string_view meaning;
};

constexpr Row rows[] = {
#define WARPWRIGHT_FAULT(Enumerator, id, meaning) {id, meaning},
#include "feedback/evaluators/cuda/runner/Faults.def"
};

} // namespace

std::string_view toString(FaultKind kind) {
  return rows[static_cast<size_t>(kind)].id;
}
std::string_view meaningOf(FaultKind kind) {
  return rows[static_cast<size_t>(kind)].meaning;
}

} // namespace warpwright::runner
