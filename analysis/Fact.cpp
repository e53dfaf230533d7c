#include "analysis/Fact.h"

namespace warpwright {

const char *toString(Grade grade) {
  switch (grade) {
  case Grade::Proved:
    return "proved";
  case Grade::Assumed:
    return "assumed";
  case Grade::Unknown:
    break;
  }
  return "unknown";
}

} // namespace warpwright
