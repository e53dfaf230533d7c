#include "rewriters/edits/CodeLines.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr size_t commentWidth = 100;

/// The white space that the line of the location begins with.
std::string leadingSpace(clang::SourceLocation location, const clang::SourceManager &sources) {
  location = sources.getExpansionLoc(location);
  llvm::StringRef text = sources.getBufferData(sources.getFileID(location));
  unsigned offset = sources.getFileOffset(location);
  size_t start = text.rfind('\n', offset);
  start = start == llvm::StringRef::npos ? 0 : start + 1;
  return text.slice(start, std::min<size_t>(text.find_first_not_of(" \t", start), offset)).str();
}

class NameCollector : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit NameCollector(llvm::StringSet<> &names) : names_(names) {}
  bool VisitNamedDecl(const clang::NamedDecl *declaration) override { return add(declaration); }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override { return add(reference->getDecl()); }
  bool VisitMemberExpr(const clang::MemberExpr *member) override { return add(member->getMemberDecl()); }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) override { return add(type.getDecl()); }
  bool VisitTagTypeLoc(clang::TagTypeLoc type) override { return add(type.getDecl()); }

private:
  bool add(const clang::NamedDecl *declaration) {
    if (declaration && declaration->getDeclName().isIdentifier())
      names_.insert(declaration->getName());
    return true;
  }
  llvm::StringSet<> &names_;
};

} // namespace

Indentation indentationAt(clang::SourceLocation location, const clang::FunctionDecl &function,
                          const clang::ASTContext &ast) {
  const clang::SourceManager &sources = ast.getSourceManager();
  Indentation result{leadingSpace(location, sources), "  "};
  const auto *body = llvm::dyn_cast_or_null<clang::CompoundStmt>(function.getBody());
  if (!body || body->body_empty())
    return result;
  std::string outer = leadingSpace(body->getRBracLoc(), sources);
  std::string inner = leadingSpace(body->body_front()->getBeginLoc(), sources);
  bool ownLine = sources.getExpansionLineNumber(body->body_front()->getBeginLoc()) !=
                 sources.getExpansionLineNumber(body->getRBracLoc());
  if (ownLine && inner.size() > outer.size() && llvm::StringRef(inner).starts_with(outer))
    result.step = inner.substr(outer.size());
  return result;
}

CodeLines &CodeLines::line(llvm::StringRef text) {
  lines_.push_back({depth_, text.str(), false});
  return *this;
}

CodeLines &CodeLines::open(llvm::StringRef text) {
  line(text);
  ++depth_;
  return *this;
}

CodeLines &CodeLines::close(llvm::StringRef text) {
  assert(depth_ > 0 && "every brace that closes was opened");
  --depth_;
  return line(text);
}

CodeLines &CodeLines::otherwise() {
  assert(depth_ > 0 && "an if was opened");
  --depth_;
  return open("} else {");
}

CodeLines &CodeLines::comment(llvm::StringRef text) {
  lines_.push_back({depth_, text.str(), true});
  return *this;
}

CodeLines &CodeLines::moved(llvm::StringRef text, llvm::StringRef from) {
  llvm::SmallVector<llvm::StringRef> rows;
  text.split(rows, '\n');
  for (size_t i = 0; i < rows.size(); ++i) {
    llvm::StringRef row = rows[i].rtrim();
    if (i != 0)
      row.consume_front(from);
    line(row);
  }
  return *this;
}

CodeLines &CodeLines::append(const CodeLines &other) {
  for (const Line &line : other.lines_)
    lines_.push_back({depth_ + line.depth, line.text, line.isComment});
  return *this;
}

std::string CodeLines::str(const Indentation &indentation) const {
  std::string result;
  auto add = [&](const Line &line, llvm::StringRef text) {
    if (!result.empty() || &line != &lines_.front()) {
      result += '\n';
      if (!text.empty() && !text.starts_with("#")) { // directives stand at the margin
        result += indentation.base;
        for (unsigned level = 0; level < line.depth; ++level)
          result += indentation.step;
      }
    }
    result += text;
  };
  for (const Line &line : lines_) {
    if (!line.isComment) {
      add(line, line.text);
      continue;
    }
    size_t width = indentation.base.size() + line.depth * indentation.step.size();
    std::string row = "//";
    for (llvm::StringRef word : llvm::split(line.text, ' ')) {
      if (row.size() > 2 && width + row.size() + 1 + word.size() > commentWidth) {
        add(line, row);
        row = "//";
      }
      row += " " + word.str();
    }
    add(line, row);
  }
  return result;
}

FreshNames::FreshNames(const clang::FunctionDecl &function, const clang::ASTContext &ast) : ast_(ast) {
  NameCollector collector(taken_);
  for (const clang::ParmVarDecl *parameter : function.parameters())
    collector.TraverseDecl(const_cast<clang::ParmVarDecl *>(parameter));
  collector.TraverseStmt(function.getBody());
}

std::string FreshNames::take(llvm::StringRef wish) {
  std::string name = scoped(wish);
  taken_.insert(name);
  return name;
}

std::string FreshNames::scoped(llvm::StringRef wish) const {
  auto isFree = [&](llvm::StringRef name) {
    if (taken_.contains(name))
      return false;
    auto known = ast_.Idents.find(name);
    return known == ast_.Idents.end() ||
           !(known->second->hasMacroDefinition() || known->second->isKeyword(ast_.getLangOpts()));
  };
  std::string name = wish.str();
  for (unsigned number = 2; !isFree(name); ++number)
    name = wish.str() + std::to_string(number);
  return name;
}

} // namespace warpwright
