#pragma once

#include "analysis/ast/VariableChanges.h"

#include <clang/AST/Type.h>

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

struct Annotation;

/// Whose memory a place lies in: what a pointer parameter points to, an array, a variable of the device, or
/// what a pointer inside a struct points to. Without a variable it is not known.
struct MemoryRoot {
  const clang::VarDecl *variable = nullptr;
  std::string member; ///< "data" of `p.data[i]`; empty elsewhere

  bool known() const { return variable != nullptr; }
  bool operator==(const MemoryRoot &) const = default;
  /// What a pointer parameter points to, and nothing that hides behind a struct.
  bool isParameter() const;
  /// A `__shared__` variable or one of a thread's own: no pointer parameter leads there.
  bool isOnChip() const;
  /// As annotations name it: "x", "p.data".
  std::string name() const;
};

/// One use of a place that is not simply a local variable: `a[i]`, `*p`, `p->x`, `tile[y][x]`.
struct PlaceUse {
  enum class Kind {
    Read,
    Write,  ///< `=` alone
    Update, ///< read and written: `+=`, `++`
    Escape  ///< its address, or a reference to it, goes elsewhere
  };
  const clang::Expr *place = nullptr;   ///< the whole lvalue, brackets and casts around it aside
  const clang::Expr *spelled = nullptr; ///< what reads it: `place`, or `__ldg(&place)`
  MemoryRoot root;
  Kind kind = Kind::Read;
  bool sure = true;    ///< it runs whenever the code that was asked about runs to its end
  bool inLoop = false; ///< in a loop of that code, which may run it again
  bool isVolatile = false;

  bool reads() const { return kind == Kind::Read || kind == Kind::Update; }
  bool writes() const { return kind != Kind::Read; }
};

/// What a piece of code does with memory.
struct CodeUses {
  std::vector<PlaceUse> places;            ///< in the order of evaluation, as far as there is one
  std::vector<const clang::Stmt *> others; ///< calls that may do anything, barriers, atomics, inline PTX
  bool leaves = false;                     ///< a return or a goto
  bool mayLeave = false;                   ///< that, or a break or continue of a loop around the code

  /// Whether it writes memory that other threads may see, or does what is not known.
  bool acts() const;
};

/// Reads places in one function's body, which must not be a template's.
class PlaceReader {
public:
  explicit PlaceReader(const clang::FunctionDecl &function);

  CodeUses usesOf(const clang::Stmt &code) const;
  MemoryRoot rootOf(const clang::Expr &pointerOrPlace) const;
  const VariableChanges &changes() const { return changes_; }

private:
  MemoryRoot rootOf(const clang::Expr &expression, unsigned depth) const;

  VariableChanges changes_;
  llvm::DenseSet<const clang::VarDecl *> assigned_; ///< pointers that are set anew, rather than moved
};

/// Whether the two may be the same memory. What a no rests on beyond the code (extents in the annotation) is
/// added to `assumptions`.
bool mayOverlap(const MemoryRoot &left, const MemoryRoot &right, const Annotation &annotation,
                std::vector<std::string> &assumptions);

/// Whether both are written alike, names and template arguments resolved: equal values where nothing that
/// they mention has changed in between.
bool areAlike(const clang::Expr *left, const clang::Expr *right, const clang::ASTContext &ast);

/// The variables that an expression mentions, each once.
std::vector<const clang::VarDecl *> variablesIn(const clang::Stmt *code);

} // namespace warpwright
