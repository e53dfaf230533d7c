#pragma once

#include "analysis/ast/IntegerReader.h"
#include "rewriters/Rewriter.h"
#include "rewriters/mapping/BlockShape.h"
#include "rewriters/tiling/Nest.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// Finds the coordinates among a kernel's variables: places along an axis of the launch, and what `/` and `%`
/// make of them, `row = i / n` and `col = i % n`. What the reader reads from then on is in terms of these.
class CoordinateReader {
public:
  CoordinateReader(const RewriteContext &context, IntegerReader &reader, SymbolTable &table);

  /// The coordinates of the variables, which are those before the nest, in order. On failure `whyNot` says
  /// what is in the way.
  std::vector<NestCoordinate> read(llvm::ArrayRef<const clang::VarDecl *> variables, std::string &whyNot);

  /// What the annotation's names are to the reader.
  const std::map<std::string, Expression> &names() const { return names_; }
  /// Variables that the coordinates determine and that ask for the thread in their initialiser, with what
  /// they are.
  const std::vector<std::pair<const clang::VarDecl *, Expression>> &derived() const { return derived_; }
  /// Takes the guard `total - flat - 1 >= 0` of an axis that is split into digits; whether it was one.
  bool boundFlat(const Expression &atLeastZero, std::vector<NestCoordinate> &coordinates);

private:
  /// (place / divisor) % modulus of one axis, and `origin` more.
  struct Digit {
    unsigned axis = 0;
    Expression divisor = Expression(1);
    std::optional<Expression> modulus;
    Expression origin;
  };
  struct DigitVariable {
    const clang::VarDecl *variable;
    Digit digit;
  };

  std::optional<Digit> digitOf(const clang::Expr &expression);
  std::optional<Digit> placeOf(const clang::Expr &expression);
  std::optional<Digit> quotientOf(const clang::BinaryOperator &division);
  std::optional<Digit> remainderOf(const clang::BinaryOperator &operation);
  std::string makeAxis(unsigned axis, llvm::ArrayRef<DigitVariable> digits,
                       std::vector<NestCoordinate> &coordinates);
  std::optional<std::string> topPlaces(unsigned axis, const Expression &divisor, bool &areThings);
  NestCoordinate makeCoordinate(const clang::VarDecl &variable, const Digit &digit);
  std::string whyUncovered(llvm::ArrayRef<DigitVariable> digits) const;
  bool mentionsRegisters(const Expression &expression) const;
  const Symbol *registerSymbol(SymbolKind kind, unsigned axis);

  const RewriteContext &context_;
  IntegerReader &reader_;
  SymbolTable &table_;
  RegisterUses registers_;
  std::optional<std::array<LaunchAxis, 3>> axes_;
  std::map<std::string, Expression> names_;
  std::vector<std::pair<const clang::VarDecl *, Expression>> derived_;
  struct FlatAxis {
    Expression flat;       ///< the place along the axis
    Expression topDivisor; ///< of its slowest digit
  };
  std::map<unsigned, FlatAxis> flat_;
};

} // namespace warpwright
