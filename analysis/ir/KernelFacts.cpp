#include "analysis/ir/KernelFacts.h"

namespace warpwright {

const char *toString(MemorySpace space) {
  switch (space) {
  case MemorySpace::Global:
    return "global";
  case MemorySpace::Shared:
    return "shared";
  case MemorySpace::Local:
    return "local";
  case MemorySpace::Constant:
    return "constant";
  case MemorySpace::Parameter:
    return "parameter";
  case MemorySpace::ClusterShared:
    return "cluster-shared";
  case MemorySpace::Generic:
    return "generic";
  }
  return "";
}

const char *toString(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "write";
  case AccessKind::Atomic:
    return "atomic";
  }
  return "";
}

const char *toString(CombineKind kind) {
  switch (kind) {
  case CombineKind::None:
    return "none";
  case CombineKind::Sum:
    return "sum";
  case CombineKind::Product:
    return "product";
  case CombineKind::Min:
    return "min";
  case CombineKind::Max:
    return "max";
  case CombineKind::And:
    return "and";
  case CombineKind::Or:
    return "or";
  case CombineKind::Xor:
    return "xor";
  case CombineKind::Exchange:
    return "exchange";
  case CombineKind::CompareExchange:
    return "compare-exchange";
  case CombineKind::Increment:
    return "increment";
  case CombineKind::Decrement:
    return "decrement";
  case CombineKind::Other:
    return "other";
  }
  return "";
}

const char *toString(Synchronisation::Kind kind) {
  switch (kind) {
  case Synchronisation::Kind::Barrier:
    return "barrier";
  case Synchronisation::Kind::WarpSync:
    return "warp-sync";
  case Synchronisation::Kind::Shuffle:
    return "shuffle";
  case Synchronisation::Kind::Vote:
    return "vote";
  case Synchronisation::Kind::Match:
    return "match";
  case Synchronisation::Kind::WarpReduce:
    return "warp-reduce";
  case Synchronisation::Kind::Fence:
    return "fence";
  case Synchronisation::Kind::AsyncWait:
    return "async-wait";
  case Synchronisation::Kind::ClusterBarrier:
    return "cluster-barrier";
  case Synchronisation::Kind::MBarrier:
    return "mbarrier";
  case Synchronisation::Kind::Other:
    return "other";
  }
  return "";
}

const char *toString(MemoryObject::Kind kind) {
  switch (kind) {
  case MemoryObject::Kind::Parameter:
    return "parameter";
  case MemoryObject::Kind::SharedVariable:
    return "shared-variable";
  case MemoryObject::Kind::GlobalVariable:
    return "global-variable";
  case MemoryObject::Kind::LocalArray:
    return "local-array";
  case MemoryObject::Kind::ParameterMember:
    return "parameter-member";
  case MemoryObject::Kind::LoadedPointer:
    return "loaded-pointer";
  }
  return "";
}

const char *toString(IntegerDivision::Divisor divisor) {
  switch (divisor) {
  case IntegerDivision::Divisor::Constant:
    return "constant";
  case IntegerDivision::Divisor::LoopInvariant:
    return "loop-invariant";
  case IntegerDivision::Divisor::Varying:
    return "varying";
  }
  return "";
}

} // namespace warpwright
