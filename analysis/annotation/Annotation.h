#pragma once

#include "analysis/annotation/ScalarExpression.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warpwright {

/// One row of Clauses.def each.
enum class ClauseKind {
#define WARPWRIGHT_CLAUSE(Enumerator, name, repeatable, Arguments, doc) Enumerator,
#include "analysis/annotation/Clauses.def"
};

/// What stands between a clause's parentheses.
enum class ArgumentShape {
  Alignment,      ///< pointer, bytes
  Bindings,       ///< name = value, ...
  Buffers,        ///< pointer[extent], ...
  Extents,        ///< one to three expressions
  GoalWord,       ///< throughput or latency
  Initialisation, ///< pointer, distribution(...)
  Names,          ///< two or more pointers
  Permissions,    ///< words of Permissions.def
  Rewriters,      ///< kebab-case ids
  Text,           ///< anything
  Tolerances,     ///< exact, or rel, abs and bias
  Value           ///< one expression
};

struct ClauseInfo {
  ClauseKind kind;
  llvm::StringLiteral name;
  bool repeatable;
  ArgumentShape arguments;
  llvm::StringLiteral doc;
};
/// Every row of Clauses.def, sorted by name.
llvm::ArrayRef<ClauseInfo> allClauses();

/// What allow() grants, one enumerator a row of Permissions.def.
enum class Permission {
#define WARPWRIGHT_PERMISSION(Enumerator, name, doc) Enumerator,
#include "analysis/annotation/Permissions.def"
};
llvm::StringRef toString(Permission permission);

enum class BufferDirection { In, Out, InOut };
/// "in", "out" or "inout".
llvm::StringRef toString(BufferDirection direction);

enum class Distribution { Integers, Normal, Ones, Permutation, Uniform, Zeros };
llvm::StringRef toString(Distribution distribution);

enum class Goal { Throughput, Latency };

// Every part keeps the range of what it was read from. `range` is that of the whole clause, parentheses
// included, or of the one element where a clause lists several.

/// grid(...) or block(...): one to three extents, the x first.
struct ExtentsClause {
  std::vector<ScalarExpression> extents;
  TextRange range;
};

struct ValueClause {
  ScalarExpression value;
  TextRange range;
};

/// One `name = value` of a shape: an integer expression over constants, or a floating number.
struct Binding {
  std::string name;
  TextRange nameRange;
  std::variant<ScalarExpression, double> value;
  TextRange valueRange;
};

struct ShapeClause {
  std::vector<Binding> bindings;
  TextRange range;
};

/// A pointer with its direction and its extent in elements; no extent means that it is to be inferred.
struct BufferClause {
  std::string name;
  TextRange nameRange;
  BufferDirection direction = BufferDirection::In;
  std::optional<ScalarExpression> extent;
  TextRange range;
};

/// uniform(first, second), normal(mean = first, deviation = second), integers(low, high) with both ends
/// included.
struct Initialiser {
  Distribution distribution = Distribution::Zeros;
  double first = 0;
  double second = 0;
  std::optional<ScalarExpression> low;
  std::optional<ScalarExpression> high;
};

struct InitClause {
  std::string name;
  TextRange nameRange;
  Initialiser initialiser;
  TextRange range;
};

struct AlignedClause {
  std::string name;
  TextRange nameRange;
  uint64_t bytes = 0;
  TextRange range;
};

struct AliasClause {
  std::vector<NameUse> names;
  TextRange range;
};

/// Numbers are unset where the clause does not give them.
struct ToleranceClause {
  bool exact = false;
  std::optional<double> relative;
  std::optional<double> absolute;
  std::optional<double> bias;
  TextRange range;
};

struct AllowClause {
  Permission permission;
  TextRange range;
};

struct ForbidClause {
  std::string rewriter;
  TextRange range;
};

struct MaxRegistersClause {
  unsigned count = 0;
  TextRange range;
};

struct GoalClause {
  Goal goal = Goal::Throughput;
  TextRange range;
};

struct ReferenceClause {
  std::string call;
  TextRange range;
};

/// The annotation of one kernel: what was read without a mistake, in the order written. Parts that are unset
/// or empty were not given.
struct Annotation {
  std::string text; ///< what all ranges point into
  std::optional<ExtentsClause> grid;
  std::optional<ExtentsClause> block;
  std::optional<ValueClause> dynamicShared;
  std::vector<ShapeClause> shapes;
  std::vector<BufferClause> buffers;
  std::vector<InitClause> inits;
  std::vector<ValueClause> requirements;
  std::vector<AlignedClause> alignments;
  std::vector<AliasClause> aliases;
  std::optional<ToleranceClause> tolerance;
  std::vector<AllowClause> allowed;
  std::vector<ForbidClause> forbidden;
  std::optional<MaxRegistersClause> maxRegisters;
  std::optional<GoalClause> goal;
  std::optional<ReferenceClause> reference;
  /// The kinds of clause of which at least one was left out for a mistake. What it would have said is not
  /// known, so the questions below answer on the safe side: nothing is distinct after a lost may_alias(),
  /// every rewriter is forbidden after a lost forbid().
  std::vector<ClauseKind> lost;

  bool hasLost(ClauseKind kind) const;
  bool allows(Permission permission) const;
  bool forbids(llvm::StringRef rewriter) const;
  /// The buffer of that pointer, or nullptr.
  const BufferClause *findBuffer(llvm::StringRef name) const;
  const InitClause *findInit(llvm::StringRef name) const;
  /// Bytes to which the pointer is always aligned; 0 when the annotation does not say.
  uint64_t alignmentOf(llvm::StringRef name) const;
  /// Whether a may_alias() names both.
  bool mayAlias(llvm::StringRef first, llvm::StringRef second) const;
  /// Whether the two pointers never overlap: both are annotated with extents and nothing says that they may
  /// alias.
  bool areDistinct(llvm::StringRef first, llvm::StringRef second) const;
  /// Every expression that is evaluated for a launch: grid, block, shared memory, extents, requirements,
  /// bounds.
  std::vector<const ScalarExpression *> launchExpressions() const;
  /// The names that those expressions use, each once, in order of first use.
  std::vector<NameUse> usedNames() const;
};

/// What was read, and every mistake on the way. The annotation holds what is right.
struct ParsedAnnotation {
  Annotation annotation;
  std::vector<AnnotationDiagnostic> diagnostics;
};

/// Reads the macro's arguments. Looks at the text alone: whether names exist and types fit is
/// checkAnnotation's part. Never fails; a mistake costs the clause it is in.
ParsedAnnotation parseAnnotation(llvm::StringRef text);

} // namespace warpwright
