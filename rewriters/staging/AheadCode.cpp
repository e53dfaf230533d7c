#include "rewriters/staging/AheadCode.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

class TileMentions : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit TileMentions(const clang::VarDecl *variable) : variable_(variable) {}
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (reference->getDecl() == variable_)
      found.push_back(reference);
    return true;
  }
  std::vector<const clang::DeclRefExpr *> found;

private:
  const clang::VarDecl *variable_;
};

const clang::Stmt &withoutPragma(const clang::Stmt &statement) {
  const auto *attributed = llvm::dyn_cast<clang::AttributedStmt>(&statement);
  return attributed ? withoutPragma(*attributed->getSubStmt()) : statement;
}

} // namespace

AheadCode::AheadCode(const clang::FunctionDecl &kernel, const clang::ASTContext &ast, const TileLoop &tiles,
                     const TileStores &stores)
    : kernel_(kernel), ast_(ast), tiles_(tiles), stores_(stores), builder_(ast), names_(kernel, ast),
      text_(ast), buffer_(names_.take("buffer")) {
  for (const clang::VarDecl *tile : tiles.tiles) {
    TileMentions mentions(tile);
    mentions.TraverseStmt(tiles.body);
    for (const clang::DeclRefExpr *mention : mentions.found)
      text_.replace(mention->getSourceRange(), tile->getNameAsString() + "[" + buffer_ + "]");
  }
}

std::string AheadCode::typeName(clang::QualType type) const {
  return type.getUnqualifiedType().getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
}

std::optional<std::string> AheadCode::textOf(const clang::Expr &expression) const {
  if (std::optional<std::string> text = text_.of(expression.getSourceRange()))
    return text;
  // Out of a macro, which has no tile in it.
  TileMentions none(nullptr);
  for (const clang::VarDecl *tile : tiles_.tiles)
    if (llvm::is_contained(variablesIn(&expression), tile))
      return std::nullopt;
  return builder_.textOf(expression.getSourceRange());
}

std::optional<std::string> AheadCode::addressOf(const clang::Expr &lvalue) const {
  const clang::Expr *place = lvalue.IgnoreParens();
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(place);
      unary && unary->getOpcode() == clang::UO_Deref)
    return textOf(*unary->getSubExpr());
  std::optional<std::string> text = textOf(*place);
  return text ? std::optional("&" + *text) : std::nullopt;
}

std::optional<std::string> AheadCode::ahead(const clang::Expr &expression) const {
  PatchedText text(ast_);
  for (size_t i = 0; i < tiles_.counters.size(); ++i) {
    TileMentions mentions(tiles_.counters[i]);
    mentions.TraverseStmt(&expression);
    for (const clang::DeclRefExpr *mention : mentions.found)
      text.replace(mention->getSourceRange(), ahead_[i]);
  }
  // The end may be a macro's, as in `t += TILE`: what it stands for is not changed.
  const clang::SourceManager &sources = ast_.getSourceManager();
  return text.of({sources.getExpansionLoc(expression.getBeginLoc()),
                  sources.getExpansionRange(expression.getEndLoc()).getEnd()});
}

bool AheadCode::readHead() {
  for (const clang::VarDecl *counter : tiles_.counters) {
    std::optional<std::string> init = builder_.textOf(counter->getInit()->getSourceRange());
    if (!init)
      return false;
    ahead_.push_back(
        names_.take(tiles_.counters.size() == 1 ? "ahead" : counter->getNameAsString() + "Ahead"));
    inits_.push_back(*init);
  }
  std::optional<std::string> goesOn = ahead(*tiles_.statement->getCond()),
                             step = ahead(*tiles_.statement->getInc());
  goesOn_ = goesOn.value_or("");
  step_ = step.value_or("");
  return goesOn && step;
}

std::string AheadCode::parameters() const {
  std::string text;
  for (const clang::VarDecl *counter : tiles_.counters)
    text += (text.empty() ? "" : ", ") + typeName(counter->getType()) + " " + counter->getNameAsString();
  return text;
}

std::string AheadCode::arguments() const {
  return llvm::join(ahead_, ", ");
}

void AheadCode::declareAhead(CodeLines &code) const {
  for (size_t i = 0; i < ahead_.size(); ++i)
    code.line(typeName(tiles_.counters[i]->getType()) + " " + ahead_[i] + " = " + inits_[i] + ";");
}

void AheadCode::writeTurn(const std::string &condition, llvm::ArrayRef<std::string> calls,
                          CodeLines &code) const {
  code.open("if (" + condition + ") {");
  for (const std::string &call : calls)
    code.line(call);
  code.line(step_ + ";").close();
}

void AheadCode::writeGap(const clang::Stmt &statement, bool hasComments, CodeLines &code) const {
  const clang::Stmt &plain = withoutPragma(statement);
  std::optional<Edit> place = builder_.replaceStatements(plain, plain, "", "its place");
  if (!place)
    return;
  const clang::SourceManager &sources = ast_.getSourceManager();
  llvm::StringRef file = sources.getBufferData(sources.getMainFileID()).take_front(place->offset);
  std::vector<llvm::StringRef> lines;
  for (file = file.take_front(file.rfind('\n') + 1); !file.empty();) {
    llvm::StringRef line = file.drop_back().substr(file.drop_back().rfind('\n') + 1).trim();
    if (!line.starts_with("//") && !line.starts_with("#pragma unroll"))
      break;
    lines.push_back(line);
    file = file.take_front(file.drop_back().rfind('\n') + 1);
  }
  for (llvm::StringRef line : llvm::reverse(lines))
    if (hasComments || line.starts_with("#"))
      code.line(line);
}

bool AheadCode::move(const clang::Stmt &statement, CodeLines &code) {
  const clang::Stmt &plain = withoutPragma(statement);
  std::optional<Edit> place = builder_.replaceStatements(plain, plain, "", "its place");
  std::optional<std::string> text =
      place ? text_.between(place->offset, place->offset + place->length) : std::nullopt;
  if (text)
    code.moved(*text, indentationAt(plain.getBeginLoc(), kernel_, ast_).base);
  return text.has_value();
}

bool AheadCode::isDeclarationOfName(const clang::Stmt &statement) const {
  const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&statement);
  return declaration && llvm::any_of(declaration->decls(), [&](const clang::Decl *declared) {
           return llvm::is_contained(stores_.names, declared);
         });
}

bool AheadCode::writeAll(const std::vector<const clang::Stmt *> &statements, Mode mode, CodeLines &code) {
  return llvm::all_of(statements,
                      [&](const clang::Stmt *statement) { return write(*statement, mode, code); });
}

bool AheadCode::write(const clang::Stmt &statement, Mode mode, CodeLines &code) {
  const clang::Stmt &plain = withoutPragma(statement);
  if (mode == Mode::Copy)
    for (const TileStore &store : stores_.stores)
      if (store.copy && store.copy->through == &plain)
        return true;
  if (!stores_.within(plain)) {
    if (mode == Mode::Keep && !isDeclarationOfName(plain))
      return true;
    writeGap(statement, mode != Mode::Keep, code);
    return move(statement, code);
  }
  writeGap(statement, mode != Mode::Keep, code);
  if (const TileStore *store = stores_.of(plain))
    return writeStore(*store, mode, code);
  if (llvm::isa<clang::CompoundStmt>(plain)) {
    code.open("{");
    bool done = writeBlock(plain, mode, code);
    code.close();
    return done;
  }
  if (const auto *choice = llvm::dyn_cast<clang::IfStmt>(&plain))
    return writeChoice(*choice, mode, code);
  const auto *loop = llvm::dyn_cast<clang::ForStmt>(&plain);
  std::optional<std::string> head = loop ? text_.of({loop->getForLoc(), loop->getRParenLoc()}) : std::nullopt;
  if (!head)
    return false;
  code.open(*head + " {");
  bool done = writeBlock(*loop->getBody(), mode, code);
  code.close();
  return done;
}

bool AheadCode::writeBlock(const clang::Stmt &statement, Mode mode, CodeLines &code) {
  const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(&statement);
  if (!compound)
    return write(statement, mode, code);
  return llvm::all_of(compound->body(), [&](const clang::Stmt *child) { return write(*child, mode, code); });
}

/// The store of the first side, where both store to the same element.
const clang::Stmt *AheadCode::storedIn(const clang::Stmt &code) const {
  if (stores_.of(code))
    return &code;
  for (const clang::Stmt *child : code.children())
    if (const clang::Stmt *found = child ? storedIn(*child) : nullptr)
      return found;
  return nullptr;
}

bool AheadCode::writeChoice(const clang::IfStmt &choice, Mode mode, CodeLines &code) {
  if (stores_.isPaired(choice)) {
    const clang::Stmt *first = storedIn(choice);
    if (mode == Mode::Keep)
      return writeStore(*stores_.of(*first), mode, code);
    if (mode == Mode::Fetch)
      for (const TileStore &store : stores_.stores)
        if (ast_.getSourceManager().isPointWithin(store.statement->getBeginLoc(), choice.getBeginLoc(),
                                                  choice.getEndLoc()))
          registers_[store.statement] = registerOf(*stores_.of(*first));
  }
  std::optional<std::string> condition = textOf(*choice.getCond());
  if (!condition)
    return false;
  code.open("if (" + *condition + ") {");
  if (!writeBlock(*choice.getThen(), mode, code))
    return false;
  if (choice.getElse()) {
    code.otherwise();
    if (!writeBlock(*choice.getElse(), mode, code))
      return false;
  }
  code.close();
  return true;
}

std::string AheadCode::registerOf(const TileStore &store) {
  std::string &name = registers_[store.statement];
  if (!name.empty())
    return name;
  name = names_.take(store.tile->getNameAsString() + "Next");
  std::string counts, place;
  for (const TileStore::Turns &turns : store.turns) {
    std::string counter = turns.loop->counter->getNameAsString();
    if (turns.first != 0)
      counter = "(" + counter + " - " + std::to_string(turns.first) + ")";
    if (*turns.loop->constantStep != 1)
      counter += " / " + std::to_string(*turns.loop->constantStep);
    counts += "[" + std::to_string(turns.count) + "]";
    place += "[" + counter + "]";
  }
  registerLines_.line(typeName(store.target->getType()) + " " + name + counts + ";");
  return name += place;
}

bool AheadCode::writeStore(const TileStore &store, Mode mode, CodeLines &code) {
  if (mode == Mode::Copy)
    return store.copy ? writeCopy(store, code) : move(*store.statement, code);
  std::optional<std::string> target = textOf(*store.target), value = textOf(*store.value);
  if (!target || !value)
    return false;
  std::string kept = registerOf(store);
  code.line(mode == Mode::Fetch ? kept + " = " + *value + ";" : *target + " = " + kept + ";");
  return true;
}

bool AheadCode::writeCopy(const TileStore &store, CodeLines &code) {
  const TileStore::Copy &copy = *store.copy;
  std::string &function = copies_[copy.bytes];
  if (function.empty())
    function = names_.take("copy" + std::to_string(copy.bytes));
  std::optional<std::string> to = addressOf(*store.target), target = textOf(*store.target),
                             from = copy.isAddress ? textOf(*copy.source) : addressOf(*copy.source),
                             condition = copy.condition ? textOf(*copy.condition) : std::string(),
                             otherwise = copy.otherwise ? textOf(*copy.otherwise) : std::string();
  if (!to || !target || !from || !condition || !otherwise)
    return false;
  const std::string call = function + "(" + *to + ", " + *from + ");",
                    plain = *target + " = " + *otherwise + ";";
  if (!copy.condition) {
    code.line(call);
    return true;
  }
  code.open("if (" + *condition + ") {").line(copy.whereFalse ? plain : call);
  code.otherwise().line(copy.whereFalse ? call : plain);
  code.close();
  return true;
}

bool AheadCode::writeWork(CodeLines &code) {
  return llvm::all_of(tiles_.work, [&](const clang::Stmt *statement) {
    writeGap(*statement, true, code);
    return move(*statement, code);
  });
}

/// The tiles that are declared in the loop move before it.
bool AheadCode::writeTiles(unsigned stages, CodeLines &code) {
  for (const clang::DeclStmt *declaration : tiles_.declarations) {
    std::optional<Edit> place = builder_.replaceStatements(*declaration, *declaration, "", "its place");
    PatchedText text(ast_);
    for (const clang::Decl *declared : declaration->decls()) {
      const auto &tile = llvm::cast<clang::VarDecl>(*declared);
      text.replace(tile.getLocation(), tile.getNameAsString() + count(stages));
    }
    std::optional<std::string> moved =
        place ? text.between(place->offset, place->offset + place->length) : std::nullopt;
    if (!moved)
      return false;
    code.moved(*moved, indentationAt(declaration->getBeginLoc(), kernel_, ast_).base);
  }
  return true;
}

bool AheadCode::writeHead(CodeLines &code) {
  std::optional<std::string> head =
      text_.of({tiles_.statement->getForLoc(), tiles_.statement->getRParenLoc()});
  if (head)
    code.open(*head + " {");
  return head.has_value();
}

void AheadCode::declareCopies(CodeLines &code) const {
  for (const auto &[bytes, function] : copies_) {
    const std::string number = std::to_string(bytes), cache = bytes == 16 ? "cg" : "ca";
    code.comment("Copies " + number + " bytes to shared memory without waiting for them.");
    code.open("const auto " + function + " = [](void *to, const void *from) {");
    code.line("const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));");
    code.line("asm volatile(\"cp.async." + cache + ".shared.global [%0], [%1], " + number +
              ";\" ::\"r\"(place), \"l\"(from) : \"memory\");");
    code.close("};");
  }
}

std::optional<CodeLines> AheadCode::withCopies(unsigned stages) {
  const std::string under = std::to_string(stages - 1), fill = names_.take("fill"),
                    stage = names_.scoped("stage"),
                    commit = "asm volatile(\"cp.async.commit_group;\" ::: \"memory\");";
  CodeLines body, code, work;
  if (!readHead() || !writeAll(tiles_.loads, Mode::Copy, body) || !writeWork(work) ||
      !writeTiles(stages, code))
    return std::nullopt;
  declareCopies(code);
  code.open("const auto " + fill + " = [&](" + parameters() + ", int " + buffer_ + ") {");
  code.append(body).close("};");
  code.comment(under + (stages == 2 ? " tile is" : " tiles are") +
               " on their way while one is worked on; each group of copies is one tile's.");
  declareAhead(code);
  code.open("for (int " + stage + " = 0; " + stage + " < " + under + "; ++" + stage + ") {");
  writeTurn(goesOn_, {fill + "(" + arguments() + ", " + stage + ");"}, code);
  code.line(commit).close();
  code.line("int " + buffer_ + " = 0;");
  if (!writeHead(code))
    return std::nullopt;
  code.comment("This tile is complete, and nobody reads the one before it any more.");
  code.line("asm volatile(\"cp.async.wait_group " + std::to_string(stages - 2) + ";\" ::: \"memory\");");
  code.line("__syncthreads();");
  const std::string free =
      stages == 2 ? buffer_ + " ^ 1" : buffer_ + " == 0 ? " + under + " : " + buffer_ + " - 1";
  writeTurn(goesOn_, {fill + "(" + arguments() + ", " + free + ");"}, code);
  code.line(commit).append(work);
  code.line(stages == 2 ? buffer_ + " ^= 1;"
                        : buffer_ + " = " + buffer_ + " == " + under + " ? 0 : " + buffer_ + " + 1;");
  code.close();
  if (tiles_.isRepeated)
    code.line("__syncthreads();");
  return code;
}

std::optional<CodeLines> AheadCode::throughRegisters() {
  const std::string fetch = names_.take("fetch"), keep = names_.take("keep"), more = names_.take("goesOn");
  CodeLines fetched, kept, work, code;
  if (!readHead() || !writeAll(tiles_.loads, Mode::Fetch, fetched) ||
      !writeAll(tiles_.loads, Mode::Keep, kept) || !writeWork(work) || !writeTiles(2, code))
    return std::nullopt;
  code.comment("While a tile is worked on, the next one is on its way from memory into registers.");
  code.append(registerLines_);
  code.open("const auto " + fetch + " = [&](" + parameters() + ") {").append(fetched).close("};");
  code.open("const auto " + keep + " = [&](int " + buffer_ + ") {").append(kept).close("};");
  declareAhead(code);
  const std::string next = fetch + "(" + arguments() + ");";
  writeTurn(goesOn_, {next, keep + "(0);"}, code);
  code.line("__syncthreads();").line("int " + buffer_ + " = 0;");
  if (!writeHead(code))
    return std::nullopt;
  code.line("const bool " + more + " = " + goesOn_ + ";");
  writeTurn(more, {next}, code);
  code.append(work);
  code.line("if (" + more + ")").line("  " + keep + "(" + buffer_ + " ^ 1);");
  code.line("__syncthreads();").line(buffer_ + " ^= 1;").close();
  return code;
}

} // namespace warpwright
