#pragma once

#include "feedback/Measurement.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// An edit as the lock has it, without its place: that is found anew in each
/// build.
struct LockedEdit {
  unsigned number = 0;  ///< among the edits of its candidate, from 1 on
  std::string replaces; ///< the original's text there
  std::string text;     ///< what stands there instead

  bool operator==(const LockedEdit &) const = default;
};

/// One rewriter at one point of its parameter space.
struct LockedStep {
  std::string rewriter;
  std::string subject;
  std::map<std::string, int64_t> parameters;

  bool operator==(const LockedStep &) const = default;
};

/// What was taken of one candidate: all of its edits, or those that ablation left.
struct LockedChange {
  std::vector<LockedStep> steps; ///< those that made it, in their order
  std::vector<LockedEdit> edits;
  /// A condition on the annotation's integers: the change is made in a copy, launched where it holds, and the
  /// original elsewhere. Changes in a row that have the same are one copy, and guards are asked in the order
  /// of the changes; "1" is that of what is launched everywhere else. Empty: everywhere.
  std::string guard;

  /// "pad-shared-array pad=1", steps joined by " + ".
  std::string name() const;
  bool operator==(const LockedChange &) const = default;
};

struct LockedShape {
  std::string shape;
  std::string verdict; ///< "FASTER", ...; of the original itself "SAME"
  double originalMicroseconds = 0;
  double chosenMicroseconds = 0;
};

/// A measured choice for one kernel on one architecture, and all that it holds
/// for.
struct LockEntry {
  std::string file;   ///< from the lock's folder, with slashes
  std::string kernel; ///< the kernel's key
  std::string architecture;
  std::vector<std::string> shapes; ///< the main shape first
  std::string tokens;              ///< checksum of the kernel's source: analysis/ast/KernelTokens.h
  std::vector<std::string> flags;  ///< of nvcc, those that bear on device code
  std::string toolkit;
  std::string protocol;
  std::string device;
  std::string driver;
  std::vector<LockedChange> choice; ///< empty: the original
  std::string reason;
  std::vector<LockedShape> measured; ///< of the choice; empty where the original stays
  /// Whether the entry is as it was written, by its own checksum: what a hand
  /// changed is no measurement.
  bool isIntact = true;

  /// "file:kernel on sm_90"
  std::string title() const;
};

/// A `warpwright/lock/1` document: made to be committed, read in a diff, and
/// changed by explicit commands alone.
class Lock {
public:
  /// Errors name the file, and what keeps it from being a lock.
  static llvm::Expected<Lock> read(llvm::StringRef path);
  /// One that holds nothing, where there is no file yet; else as read().
  static llvm::Expected<Lock> readOrEmpty(llvm::StringRef path);

  llvm::ArrayRef<LockEntry> entries() const { return entries_; }
  /// The entry of that kernel; null where there is none.
  const LockEntry *find(llvm::StringRef file, llvm::StringRef kernel, llvm::StringRef architecture) const;
  /// Puts the entry in the place of the one of the same kernel and
  /// architecture. Entries are kept in order.
  void update(LockEntry entry);
  /// The document, each entry with its checksum, each thing on a line of its
  /// own.
  std::string text() const;

private:
  std::vector<LockEntry> entries_;
};

/// What an entry has to hold for: the present source, flags and tools, and the
/// device where one is there.
struct LockConditions {
  std::vector<std::string> shapes;
  std::string tokens;
  std::vector<std::string> flags;
  std::string toolkit;
  std::string protocol;
  std::optional<std::string> device; ///< nothing: builds do not ask for one
  std::optional<std::string> driver;
};

/// Why the entry is not to be used, in words for the user; nothing where it is
/// fresh.
std::optional<std::string> whyStale(const LockEntry &entry, const LockConditions &conditions);

nlohmann::ordered_json toJson(const LockEntry &entry);
/// As an entry of a lock; one without a checksum is not intact. Errors name the place.
llvm::Expected<LockEntry> readLockEntry(const nlohmann::ordered_json &value, const std::string &place);
nlohmann::ordered_json toJson(const LockedChange &change);
llvm::Expected<LockedChange> readLockedChange(const nlohmann::ordered_json &value, const std::string &place);

/// The path from the folder of `from` to the file, with slashes; absolute where
/// there is no way.
std::string pathFrom(llvm::StringRef from, llvm::StringRef file);

} // namespace warpwright
