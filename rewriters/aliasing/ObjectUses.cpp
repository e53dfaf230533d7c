#include "rewriters/aliasing/ObjectUses.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {

std::string inQuotes(llvm::StringRef name) {
  return ("'" + name + "'").str();
}
std::string lineOf(const SourcePlace &access) {
  return std::to_string(access.place.line);
}

std::string describe(const ObjectUse &use) {
  switch (use.object.kind) {
  case MemoryObject::Kind::GlobalVariable:
    return "the device variable " + inQuotes(use.object.name);
  case MemoryObject::Kind::LoadedPointer:
    return "memory behind a pointer that is loaded at run time";
  case MemoryObject::Kind::ParameterMember:
    return "memory behind a pointer inside " + inQuotes(llvm::StringRef(use.object.name).split('.').first);
  default:
    return inQuotes(use.object.name);
  }
}

ObjectUses::ObjectUses(const KernelFacts &facts) {
  for (const MemoryAccess &access : facts.accesses)
    add(access);
  for (const CallFacts &call : facts.calls)
    if (!call.knownMath && call.callee != "vprintf" && call.callee != "__assertfail")
      hide("the call of " +
           (call.callee.empty() ? std::string("a function pointer") : inQuotes(call.callee)) + " at line " +
           lineOf(call.place) + " may access anything");
  for (const InlineAssembly &assembly : facts.assembly)
    if (!assembly.known)
      hide("the inline assembly at line " + lineOf(assembly.place) + " may access anything");
}

const ObjectUse *ObjectUses::find(llvm::StringRef parameter) const {
  auto found = llvm::find_if(uses_, [&](const ObjectUse &use) {
    return use.object.kind == MemoryObject::Kind::Parameter && use.object.name == parameter;
  });
  return found == uses_.end() ? nullptr : &*found;
}

void ObjectUses::hide(std::string why) {
  if (hidden_.empty())
    hidden_ = std::move(why);
}

void ObjectUses::add(const MemoryAccess &access) {
  if (access.space != MemorySpace::Global && access.space != MemorySpace::Generic)
    return;
  if (!access.object.known())
    return hide("the access at line " + lineOf(access.place) +
                " was not tied to a pointer: " + access.object.reason());
  const MemoryObject &object = access.object.value();
  if (object.kind == MemoryObject::Kind::SharedVariable || object.kind == MemoryObject::Kind::LocalArray)
    return;
  auto found = llvm::find_if(uses_, [&](const ObjectUse &use) {
    return use.object.kind == object.kind && use.object.name == object.name;
  });
  if (found == uses_.end())
    found = uses_.insert(uses_.end(), ObjectUse{object, false, false, false, access.place});
  bool writes = access.kind != AccessKind::Read;
  if (writes && !found->written)
    found->place = access.place;
  found->written |= writes;
  // An atomic whose old value nobody uses hands nothing to its thread.
  found->read |= access.kind == AccessKind::Read || (access.kind == AccessKind::Atomic && access.resultUsed);
  found->isVolatile |= access.isVolatile;
}

} // namespace warpwright
