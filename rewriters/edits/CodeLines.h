#pragma once

#include <clang/Basic/SourceLocation.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/StringSet.h>

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace warpwright {

/// How the lines of a function are indented, as its author does it.
struct Indentation {
  std::string base; ///< of the line that holds the location asked for
  std::string step; ///< what a nested block adds
};

/// The indentation of the statement at `location` in the function's definition. Two spaces a level where the
/// body does not tell.
Indentation indentationAt(clang::SourceLocation location, const clang::FunctionDecl &function,
                          const clang::ASTContext &ast);

/// Statements to be written into a function, one a line, nested as the braces say.
class CodeLines {
public:
  CodeLines &line(llvm::StringRef text);
  /// A line that ends with `{`; what follows is nested.
  CodeLines &open(llvm::StringRef text);
  /// Ends a nesting: a line with the brace, or with `text`.
  CodeLines &close(llvm::StringRef text = "}");
  /// Ends the nesting of an `if` and opens that of its `else`.
  CodeLines &otherwise();
  /// `//` lines, broken between words before the hundredth column.
  CodeLines &comment(llvm::StringRef text);
  /// Statements as they stand in the source, whose first line is indented by `from`: they move as one.
  CodeLines &moved(llvm::StringRef text, llvm::StringRef from);
  /// All lines of another, nested here.
  CodeLines &append(const CodeLines &other);

  bool empty() const { return lines_.empty(); }
  /// The lines without indentation before the first and without an end after the last: they take the place of
  /// a statement.
  std::string str(const Indentation &indentation) const;

private:
  struct Line {
    unsigned depth;
    std::string text;
    bool isComment;
  };
  std::vector<Line> lines_;
  unsigned depth_ = 0;
};

/// Names for new variables in a function that mean nothing there yet, neither as a variable, a function, a
/// type nor a macro.
class FreshNames {
public:
  FreshNames(const clang::FunctionDecl &function, const clang::ASTContext &ast);

  /// `wish`, or with a number behind it. Never the same twice.
  std::string take(llvm::StringRef wish);
  /// The same for a name that ends with a block of the new code alone: others there may have it, too.
  std::string scoped(llvm::StringRef wish) const;

private:
  const clang::ASTContext &ast_;
  llvm::StringSet<> taken_;
};

} // namespace warpwright
