#pragma once

#include "analysis/ast/CanonicalLoops.h"
#include "analysis/ast/IntegerReader.h"
#include "analysis/ast/SpecialRegisters.h"
#include "rewriters/Rewriter.h"
#include "rewriters/mapping/BlockShape.h"

#include <clang/Basic/SourceLocation.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
} // namespace clang

namespace warpwright {

/// One coordinate of the points that a kernel works on, one point a thread: a thread's number along an axis
/// of the grid, or a digit of that number where the kernel takes it apart by `/` and `%`. The number is the
/// sum of its digits, each times its weight.
struct PointCoordinate {
  unsigned axis = 0;
  Expression weight = Expression(1);
  /// How many values it takes; nothing for the highest digit of its axis, which the launch bounds.
  std::optional<Expression> extent;
  const Symbol *symbol = nullptr;
  std::string
      name; ///< as the kernel calls it, where it has a variable for it; "x", "y", "z" or "digit" elsewhere

  bool isWholeAxis() const { return weight == Expression(1) && !extent; }
};

/// A loop of a kernel whose iterations are points of their own. Either it takes its threads down the rows of
/// a block's points, `for (int j = 0; j < 32; j += 8)` in blocks of eight rows, or through the whole grid,
/// `for (int i = number; i < n; i += blockDim.x * gridDim.x)`.
struct PointLoop {
  const clang::ForStmt *statement = nullptr;
  const clang::VarDecl *counter = nullptr;
  unsigned axis = 0;
  bool overGrid = false;
  int64_t step = 1;  ///< of the counter, which starts at 0; not over the grid
  int64_t trips = 1; ///< not over the grid
};

/// A kernel as a function of points, which nothing else about threads and blocks goes into. Reads its
/// integers as polynomials over the coordinates.
class PointSpace {
public:
  /// The kernel must be annotated.
  explicit PointSpace(const RewriteContext &context, std::optional<PointLoop> loop = std::nullopt);

  /// Why the kernel is no such function; empty where it is.
  const std::string &whyNot() const { return whyNot_; }
  const std::vector<PointCoordinate> &coordinates() const { return coordinates_; }
  /// Points of a block along each axis; threads, unless a loop takes them further.
  const std::array<int64_t, 3> &block() const { return block_; }
  const std::array<int64_t, 3> &threads() const { return threads_; }
  const std::optional<PointLoop> &loop() const { return loop_; }

  /// What an expression of the body is where it stands; nothing where it is not understood.
  std::optional<Expression> read(const clang::Expr &expression);
  /// What a variable holds throughout, where that is known: null otherwise.
  const clang::Expr *valueOf(const clang::VarDecl &variable) const { return reader_.valueOf(variable); }
  /// Whether nothing writes the variable after its initialisation or takes its address.
  bool isUnchanged(const clang::VarDecl &variable) const { return reader_.isUnchanged(variable); }
  /// Whether the coordinate may take part in the value in any way.
  static bool mayDependOn(const Expression &value, const PointCoordinate &coordinate);

  /// An expression that stands for the thread's place, or a part of it, and has to be written anew where
  /// points go to other threads. They do not overlap.
  struct Place {
    const clang::Expr *expression = nullptr;
    Expression value;
    bool needsBrackets = false; ///< where a sum takes its place
  };
  const std::vector<Place> &places() const { return places_; }
  /// What else asks for the thread, its block, or the loop's counter, outside of places: a part of the number
  /// along an axis.
  struct Ask {
    enum class Kind { Block, Thread, Counter };
    Kind kind = Kind::Thread;
    unsigned axis = 0;
    clang::SourceRange range;
  };
  const std::vector<Ask> &asks() const { return asks_; }
  /// The number along an axis, as a polynomial over coordinates.
  const Expression &numberAlong(unsigned axis) const { return numbers_[axis]; }

  /// How many threads the launch has along the axis: an annotation's expression, and whether the kernel
  /// proves that threads beyond it do nothing. Where it does not, there are no threads beyond it.
  struct Extent {
    std::string things;
    std::optional<Expression> value;
    bool isGuarded = false;
    bool isLaunched = true; ///< as many blocks as are launched, of as many points each, hold all of them
  };
  Extent extentOf(unsigned axis);
  /// A polynomial over parameters and constants as code, in C and in annotations alike. Nothing where
  /// something else takes part.
  std::optional<std::string> textOf(const Expression &value) const;
  /// The value of an annotation's expression for one launch; nothing where that is not known.
  std::optional<int64_t> valueOf(const std::string &text, const Launch &launch) const;
  bool isGridLoop(const CanonicalLoop &loop, unsigned axis);
  /// The quotient where it is exact; nothing elsewhere. The divisor is one product.
  static std::optional<Expression> exactQuotient(const Expression &dividend, const Expression &divisor);

private:
  /// A part of an axis' number: `number / weight % extent`.
  struct Part {
    unsigned axis;
    Expression weight;
    std::optional<Expression> extent;
    Expression value;
  };

  std::optional<Expression> registerValue(SymbolKind kind, unsigned axis) const;
  std::optional<Expression> divide(llvm::StringRef operation, const Expression &dividend,
                                   const Expression &divisor);
  const Part *partOf(const Expression &value) const;
  Expression partNamed(unsigned axis, Expression weight, std::optional<Expression> extent);
  std::string makeCoordinates(unsigned axis);
  void nameCoordinates();
  std::string findAsks();
  void walk(const clang::Stmt *statement, const clang::Stmt *parent);
  void walkAssignment(const clang::Expr &statement);
  void walkLoop(const clang::ForStmt &loop);
  void visit(const clang::Stmt *statement, const clang::Stmt *parent);
  void forget(const clang::Stmt &statement);
  void set(const clang::VarDecl &variable, std::optional<Expression> value);
  void assume(const clang::Expr &condition, bool holds);
  void readGuards(const clang::Stmt &code);
  std::optional<Expression> readAnnotated(llvm::StringRef text);

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  SymbolTable table_;
  IntegerReader reader_;
  RegisterUses registers_;
  std::optional<PointLoop> loop_;
  std::vector<CanonicalLoop> loops_;
  std::array<int64_t, 3> threads_ = {1, 1, 1};
  std::array<int64_t, 3> block_ = {1, 1, 1};
  Expression bound_;                                         ///< of the loop over the grid
  Expression iteration_;                                     ///< of the loop down the rows
  llvm::DenseMap<const clang::Expr *, Expression> readings_; ///< of expressions, where they stand
  std::array<Expression, 3> numbers_;                        ///< the thread's number along each axis
  std::vector<Part> parts_;
  bool isFinal_ = false; ///< parts are sums of coordinates now
  std::vector<PointCoordinate> coordinates_;
  std::vector<Place> places_;
  std::vector<Ask> asks_;
  std::vector<Expression> negative_; ///< below zero wherever the kernel does anything
  std::string whyNot_;
};

/// The loops of the kernel that may be a PointLoop.
std::vector<PointLoop> findPointLoops(const RewriteContext &context);

} // namespace warpwright
