#include "rewriters/Verdict.h"

namespace warpwright {

const char *toString(Verdict::Kind kind) {
  switch (kind) {
  case Verdict::Kind::Accepted:
    return "accepted";
  case Verdict::Kind::Declined:
    return "declined";
  case Verdict::Kind::Undecided:
    break;
  }
  return "undecided";
}

} // namespace warpwright
