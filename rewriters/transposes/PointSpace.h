#pragma once

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

/// A kernel that asks for its thread's place in the whole grid and for nothing else about threads and blocks:
/// a function of points that cannot tell which thread computes it. Reads its integers as polynomials over the
/// coordinates.
class PointSpace {
public:
  /// The kernel must be annotated.
  explicit PointSpace(const RewriteContext &context);

  /// Why the kernel is no such function; empty where it is.
  const std::string &whyNot() const { return whyNot_; }
  const std::vector<PointCoordinate> &coordinates() const { return coordinates_; }
  /// Threads of a block along each axis.
  const std::array<int64_t, 3> &block() const { return block_; }

  /// Nothing where it is not understood, or where a variable that changes takes part.
  std::optional<Expression> read(const clang::Expr &expression);
  /// What a variable holds throughout, where that is known: null otherwise.
  const clang::Expr *valueOf(const clang::VarDecl &variable) const { return reader_.valueOf(variable); }
  /// Whether nothing writes the variable after its initialisation or takes its address.
  bool isUnchanged(const clang::VarDecl &variable) const { return reader_.isUnchanged(variable); }
  /// Whether the coordinate may take part in the value in any way.
  static bool mayDependOn(const Expression &value, const PointCoordinate &coordinate);

  /// An expression that stands for the thread's place, or a part of it, and has to be written anew where
  /// points go to other threads. They do not overlap, and hold every use of a special register.
  struct Place {
    const clang::Expr *expression = nullptr;
    Expression value;
    bool needsBrackets = false; ///< where a sum takes its place
  };
  const std::vector<Place> &places() const { return places_; }

  /// How many threads the launch has along the axis: an annotation's expression, and whether the kernel
  /// proves that threads beyond it do nothing. Where it does not, there are no threads beyond it.
  struct Extent {
    std::string things;
    std::optional<Expression> value;
    bool isGuarded = false;
  };
  Extent extentOf(unsigned axis);
  /// A polynomial over parameters and constants as code, in C and in annotations alike. Nothing where
  /// something else takes part.
  std::optional<std::string> textOf(const Expression &value) const;
  /// The value of an annotation's expression for one launch; nothing where that is not known.
  std::optional<int64_t> valueOf(const std::string &text, const Launch &launch) const;
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
  void findParts();
  std::string makeCoordinates(unsigned axis);
  void nameCoordinates();
  std::string findPlaces();
  void assume(const clang::Expr &condition, bool holds);
  void readGuards();
  std::optional<Expression> readAnnotated(llvm::StringRef text);

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  SymbolTable table_;
  IntegerReader reader_;
  RegisterUses registers_;
  std::array<int64_t, 3> block_ = {1, 1, 1};
  std::array<Expression, 3> numbers_; ///< the thread's number along each axis
  std::vector<Part> parts_;
  bool isFinal_ = false; ///< parts are sums of coordinates now
  std::vector<PointCoordinate> coordinates_;
  std::vector<Place> places_;
  std::vector<Expression> negative_; ///< below zero wherever the kernel does anything
  std::string whyNot_;
};

} // namespace warpwright
