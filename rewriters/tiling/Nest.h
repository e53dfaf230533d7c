#pragma once

#include "analysis/ir/Expression.h"

#include <clang/AST/Type.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class Expr;
class ForStmt;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// One coordinate of what a kernel computes: a variable that counts, from `origin` on, the places along an
/// axis of the launch, or one digit of that axis where the kernel splits it by `/` and `%`. Each combination
/// of coordinates belongs to one thread.
struct NestCoordinate {
  const clang::VarDecl *variable = nullptr;
  std::string name;
  std::string type;
  const Symbol *symbol = nullptr;   ///< what it is called in expressions
  unsigned axis = 0;                ///< of the launch; those of one axis follow each other, the fastest first
  Expression origin;                ///< its value at the first place
  std::string placesCode;           ///< `places` in the kernel's words
  std::string places;               ///< how many there are, an annotation's expression
  bool placesAreThings = false;     ///< places are those that guards leave, not all that were launched
  std::optional<Expression> lowest; ///< what guards ask for
  std::optional<Expression> end;    ///< likewise, the first value beyond; of the launch where none does
  bool isLaunchBound = false;       ///< `end` is the launch's
  bool isFilled = false;            ///< every block that is launched has a place that passes the guards
  std::string endName, endCode;     ///< of a variable that has to hold `end`; empty where it can be written
};

/// A loop that all threads run alike.
struct NestLoop {
  const clang::ForStmt *statement = nullptr;
  const clang::VarDecl *counter = nullptr;
  std::string name;
  std::string type;
  const Symbol *symbol = nullptr;
  Expression first;
  Expression end; ///< the first value that is not run
  int64_t step = 1;
  std::optional<int64_t> trips; ///< where it is constant
  std::optional<unsigned> parent;
};

/// A condition: all of `atLeastZero` are, or what is not understood.
struct NestCondition {
  std::vector<Expression> atLeastZero;
  bool isKnown = true;
};

/// A read of memory that the kernel never writes, at a place that is affine in coordinates and counters.
struct NestRead {
  const clang::Expr *expression = nullptr;
  std::string base; ///< the pointer as the source names it: "a", "p.x"
  clang::QualType type;
  Expression index;            ///< in elements
  bool isWide = false;         ///< the source computes the index in 64 bits
  std::vector<unsigned> loops; ///< around it, outermost first
  NestCondition condition;     ///< under which it is made, besides the guards of the whole kernel
  /// `condition ? read : 0`, of which the read is a part, where nothing else is in it.
  const clang::Expr *paddedWhole = nullptr;
  std::string whyNot; ///< why it cannot be staged; empty where it can
};

/// A statement of the nest's body.
struct NestItem {
  enum class Kind { Loop, Guard, Plain };
  Kind kind = Kind::Plain;
  const clang::Stmt *statement = nullptr;
  unsigned loop = 0;                      ///< of a loop: its position in Nest::loops
  const clang::Expr *condition = nullptr; ///< of a guard
  bool isNegated = false;                 ///< what is in it runs where the condition does not hold
  NestCondition known;                    ///< of a guard
  std::vector<NestItem> items;            ///< of a loop or a guard
};

/// What a kernel does with one combination of coordinates, apart from who does it: declarations, a loop nest
/// that gathers in local variables, and what is made of them. The same for every combination that passes the
/// guards; the others do nothing.
struct Nest {
  std::vector<NestCoordinate> coordinates;
  std::optional<unsigned> freedAxis; ///< of the launch: its coordinates are counted along another now
  std::vector<NestLoop> loops;       ///< outer before inner
  std::vector<NestRead> reads;       ///< in the loops; where there are none, in the epilogue
  struct Guard {
    const clang::Expr *condition;
    bool isNegated;
  };
  std::vector<Guard> guards;
  std::vector<const clang::VarDecl *> declarations; ///< before the loops, in order
  std::vector<const clang::VarDecl *> accumulators; ///< those of them that the loops change
  std::optional<NestItem> nest;                     ///< the outermost loop
  std::vector<const clang::Stmt *> epilogue;
  const NestCoordinate *coordinateOf(const Symbol *symbol) const;
  const NestLoop *loopOf(const Symbol *symbol) const;
};

} // namespace warpwright
