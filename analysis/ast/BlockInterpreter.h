#pragma once

#include "analysis/ast/BlockSlots.h"
#include "analysis/ast/IndexRange.h"
#include "analysis/ast/VariableChanges.h"

#include <llvm/ADT/ArrayRef.h>

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class BinaryOperator;
class CallExpr;
class CastExpr;
class Expr;
class FunctionDecl;
class IfStmt;
class Stmt;
} // namespace clang

namespace warpwright {

/// Whether the statement makes all threads of the block wait for each other and does nothing else.
bool isBlockBarrier(const clang::Stmt *statement);

/// Runs a piece of a kernel for all threads of a block at once, with integers as they are and other numbers
/// as FoldNodes: what it leaves in shared slots and variables says what the piece computes, however it is
/// written. It knows the statements that trees and serial folds are made of and nothing else: a store outside
/// shared memory, an unknown call, a branch on data (a choice of the larger or the smaller of two aside), or
/// two threads that meet in a slot without a barrier end it with a reason.
class BlockInterpreter {
public:
  /// A block of known extents, and what the function around the piece does with its variables.
  BlockInterpreter(const clang::ASTContext &ast, KnownBlock block, const VariableChanges &changes,
                   FoldNodes &nodes);

  using Lanes = std::vector<unsigned>; ///< threads, ascending
  Lanes allLanes() const;

  /// A parameter of the function around the piece, one value a thread.
  void bind(const clang::VarDecl *parameter, std::vector<LaneValue> values);
  /// Runs an assignment that each thread makes once: its value is what the expression is for the thread,
  /// whatever is known of it.
  bool runOnce(const clang::Expr *assignment, const Lanes &lanes);
  /// Runs one statement on those threads. False: whyNot() says why it cannot.
  bool run(const clang::Stmt *statement, const Lanes &lanes);
  /// What an expression is for each of all threads; nothing is changed.
  std::vector<LaneValue> evaluate(const clang::Expr *expression);
  /// Where an lvalue lies for each of all threads; unknown outside shared memory.
  std::vector<LaneValue> placesOf(const clang::Expr *lvalue);
  unsigned threads() const { return threads_; }
  /// What a variable holds now.
  LaneValue valueOf(const clang::VarDecl *variable, unsigned lane);
  /// The threads of `lanes` for which the condition holds; nothing where it is not known.
  std::optional<Lanes> lanesWhere(const clang::Expr *condition, const Lanes &lanes);

  const clang::ASTContext &ast() const { return *ast_; }
  const BlockSlots &slots() const { return slots_; }
  /// The variables that were given values.
  const std::map<const clang::VarDecl *, std::vector<LaneValue>> &variables() const { return variables_; }
  bool sawVolatile() const { return sawVolatile_; }
  const std::string &whyNot() const { return slots_.race().empty() ? whyNot_ : slots_.race(); }

private:
  bool fail(std::string why);
  /// Far beyond what a fold of 1024 slots takes: a loop that does not end stops here.
  bool isSpent() const { return steps_ > 20'000'000 || depth_ > 96; }
  bool runDeclaration(const clang::Stmt *statement, const Lanes &lanes);
  bool runExpression(const clang::Expr *expression, const Lanes &lanes);
  bool runAssignment(const clang::Expr *expression, const Lanes &lanes);
  bool runIncrement(const clang::Expr *target, int64_t step, const Lanes &lanes);
  bool runCall(const clang::CallExpr *call, const Lanes &lanes);
  bool runIf(const clang::IfStmt *statement, const Lanes &lanes);
  bool runChoice(const clang::IfStmt *statement, llvm::ArrayRef<LaneValue> conditions, const Lanes &lanes);
  bool runLoop(const clang::Stmt *init, const clang::Expr *condition, const clang::Expr *increment,
               const clang::Stmt *body, bool bodyFirst, const Lanes &lanes);
  bool assign(const clang::Expr *target, llvm::ArrayRef<LaneValue> values, const Lanes &lanes);

  LaneValue value(const clang::Expr *expression, unsigned lane);
  LaneValue castValue(const clang::CastExpr *cast, unsigned lane);
  LaneValue binaryValue(const clang::BinaryOperator *binary, unsigned lane);
  LaneValue combined(unsigned opcode, LaneValue left, LaneValue right, const clang::Expr *where);
  LaneValue integers(unsigned opcode, int64_t left, int64_t right, const clang::Expr *where);
  LaneValue choose(LaneValue condition, LaneValue yes, LaneValue no, const clang::Expr *where);
  LaneValue callValue(const clang::CallExpr *call, unsigned lane);
  LaneValue load(const clang::Expr *place, unsigned lane);
  LaneValue addressOf(const clang::Expr *place, unsigned lane);
  LaneValue wrapped(int64_t integer, const clang::Expr *typed) const;
  std::optional<int64_t> constantOf(const clang::Expr *expression);
  std::optional<int64_t> specialRegister(const clang::Expr *expression, unsigned lane) const;
  LaneValue shifted(LaneValue pointer, const clang::Expr *typed, int64_t elements) const;
  const FoldNode *asNode(LaneValue value, const clang::Expr *where);

  const clang::ASTContext *ast_;
  uint64_t extents_[3];
  unsigned threads_;
  const VariableChanges *changes_;
  FoldNodes *nodes_;
  BlockSlots slots_;
  std::map<const clang::VarDecl *, std::vector<LaneValue>> variables_;
  std::map<const clang::Expr *, std::optional<int64_t>> constants_;
  std::string whyNot_;
  bool sawVolatile_ = false;
  bool once_ = false; ///< the assignment that runs is made once
  unsigned depth_ = 0;
  uint64_t steps_ = 0;
};

} // namespace warpwright
