#include "rewriters/staging/TileStores.h"

#include "analysis/ast/SourcePlace.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// Registers that a thread may keep a tile's part in.
constexpr int64_t mostRegisters = 64;

/// The two sides of a plain assignment, of numbers or of vector types.
std::pair<const clang::Expr *, const clang::Expr *> assignmentIn(const clang::Stmt *statement) {
  if (const auto *cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(statement))
    statement = cleanups->getSubExpr();
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(statement);
      binary && binary->getOpcode() == clang::BO_Assign)
    return {binary->getLHS(), binary->getRHS()};
  if (const auto *call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(statement);
      call && call->getOperator() == clang::OO_Equal && call->getNumArgs() == 2)
    return {call->getArg(0), call->getArg(1)};
  return {nullptr, nullptr};
}

/// Without brackets, reads, and constructors that copy.
const clang::Expr *plain(const clang::Expr *value) {
  while (true) {
    value = value->IgnoreParenImpCasts();
    if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(value);
        construct && construct->getNumArgs() == 1 && construct->getConstructor()->isCopyOrMoveConstructor())
      value = construct->getArg(0);
    else if (const auto *temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(value))
      value = temporary->getSubExpr();
    else
      return value;
  }
}

class TileStoreReader {
public:
  TileStoreReader(const TileLoop &tiles, const PlaceReader &reader, const std::vector<CanonicalLoop> &loops,
                  const clang::FunctionDecl &kernel, const clang::ASTContext &ast, KnownBlock block)
      : tiles_(tiles), reader_(reader), loops_(loops), ast_(ast), ranges_(ast, kernel, block) {}

  TileStores read() {
    findVarying();
    for (const clang::Stmt *statement : tiles_.loads)
      if (result_.whyNot.empty())
        visit(*statement, nullptr);
    if (result_.whyNot.empty())
      checkCopies();
    if (result_.whyNot.empty() && result_.whyNotRegisters.empty())
      checkRegisters();
    return std::move(result_);
  }

private:
  // Variables that differ between iterations of the tile loop.
  void findVarying() {
    varying_.insert(tiles_.counters.begin(), tiles_.counters.end());
    varying_.insert(tiles_.carried.begin(), tiles_.carried.end());
    for (size_t before = 0; before != varying_.size();) {
      before = varying_.size();
      for (const clang::Stmt *statement : tiles_.loads)
        spread(*statement);
    }
  }
  /// A variable varies that is declared, or set, from one that does, or under one's control.
  void spread(const clang::Stmt &code) {
    if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&code)) {
      for (const clang::Decl *declared : declaration->decls())
        if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declared);
            variable && variable->getInit() && (varies(*variable->getInit()) || reads(*variable->getInit())))
          varying_.insert(variable);
      return;
    }
    const bool isControl =
        llvm::isa<clang::IfStmt, clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::Expr>(code);
    if (isControl && (varies(code) || reads(code)))
      for (const clang::VarDecl *variable : changedBy(code))
        if (!isCountedByConstants(variable))
          varying_.insert(variable);
    for (const clang::Stmt *child : code.children())
      if (child)
        spread(*child);
  }
  /// The counter of a loop in the loads whose head does not vary.
  bool isCountedByConstants(const clang::VarDecl *variable) const {
    return llvm::any_of(loops_, [&](const CanonicalLoop &loop) {
      return loop.counter == variable && loop.statement != tiles_.statement && !varies(*loop.init) &&
             !varies(*loop.bound) && !(loop.step && varies(*loop.step)) && !reads(*loop.init) &&
             !reads(*loop.bound);
    });
  }
  bool varies(const clang::Stmt &code) const {
    return llvm::any_of(variablesIn(&code),
                        [&](const clang::VarDecl *variable) { return varying_.contains(variable); });
  }
  /// What is loaded may be another number in each iteration.
  bool reads(const clang::Stmt &code) const {
    return llvm::any_of(reader_.usesOf(code).places, [](const PlaceUse &use) { return use.reads(); });
  }

  void visit(const clang::Stmt &statement, const clang::CompoundStmt *scope) {
    if (!result_.whyNot.empty())
      return;
    if (const auto *attributed = llvm::dyn_cast<clang::AttributedStmt>(&statement))
      return visit(*attributed->getSubStmt(), scope);
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
      for (const clang::Stmt *child : compound->body())
        visit(*child, compound);
      return;
    }
    if (!storesToTile(statement))
      return;
    if (const auto *choice = llvm::dyn_cast<clang::IfStmt>(&statement))
      return visitChoice(*choice);
    if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(&statement))
      return visitLoop(*loop);
    if (auto [target, value] = assignmentIn(&statement); target)
      return addStore(statement, *target, *value, scope);
    fail("the store to a tile at line " + lineOf(statement) + " is no statement of its own");
  }

  void visitChoice(const clang::IfStmt &choice) {
    const bool isPlain =
        !choice.getInit() && !choice.getConditionVariable() && changedBy(*choice.getCond()).empty();
    if (!isPlain || !reader_.usesOf(*choice.getCond()).places.empty())
      return fail("what is loaded at line " + lineOf(choice) + " depends on what memory holds");
    const bool isPaired = storesAlike(choice);
    if (!isPaired && varies(*choice.getCond()))
      return fail("elements of a tile may be left as they were at line " + lineOf(choice) +
                  ", in some iterations: what they hold then is not known");
    if (isPaired)
      result_.paired.push_back(&choice);
    else
      need(*choice.getCond());
    visit(*choice.getThen(), nullptr);
    if (choice.getElse())
      visit(*choice.getElse(), nullptr);
  }

  /// The one assignment that the code is made of.
  const clang::Stmt *loneStatement(const clang::Stmt *code) const {
    const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(code);
    if (!compound)
      return code;
    return compound->size() == 1 ? loneStatement(compound->body_front()) : nullptr;
  }
  const clang::Expr *loneTarget(const clang::Stmt *code) const {
    code = loneStatement(code);
    if (!code)
      return nullptr;
    if (const auto *choice = llvm::dyn_cast<clang::IfStmt>(code))
      return storesAlike(*choice) ? loneTarget(choice->getThen()) : nullptr;
    return assignmentIn(code).first;
  }
  bool storesAlike(const clang::IfStmt &choice) const {
    if (!choice.getElse())
      return false;
    const clang::Expr *one = loneTarget(choice.getThen()), *other = loneTarget(choice.getElse());
    return one && other && areAlike(one, other, ast_);
  }

  void visitLoop(const clang::ForStmt &loop) {
    auto found = llvm::find_if(loops_, [&](const CanonicalLoop &one) { return one.statement == &loop; });
    if (found == loops_.end())
      return fail("the loop at line " + lineOf(loop) + " does not count from one number to another");
    for (const clang::Expr *part : {found->init, found->bound, found->step})
      if (part && (varies(*part) || reads(*part)))
        return fail("how many elements the loop at line " + lineOf(loop) + " loads depends on the iteration");
    TileStore::Turns turns{&*found, 0, 0};
    std::optional<IntegerRange> first = ranges_.rangeOf(found->init), bound = ranges_.rangeOf(found->bound);
    const bool isConstant = first && bound && first->lowest == first->highest &&
                            bound->lowest == bound->highest && found->upward && found->constantStep &&
                            *found->constantStep > 0 && !found->notEqual;
    if (isConstant) {
      turns.first = first->lowest;
      int64_t end = bound->lowest + found->inclusive;
      turns.count =
          std::max<int64_t>(0, (end - turns.first + *found->constantStep - 1) / *found->constantStep);
    } else if (result_.whyNotRegisters.empty()) {
      result_.whyNotRegisters = "how often the loop at line " + lineOf(loop) +
                                " runs is no constant, so that its elements have no registers";
    }
    for (const clang::Expr *part : {found->init, found->bound, found->step})
      if (part)
        need(*part);
    around_.push_back(turns);
    visit(*loop.getBody(), nullptr);
    around_.pop_back();
  }

  void addStore(const clang::Stmt &statement, const clang::Expr &target, const clang::Expr &value,
                const clang::CompoundStmt *scope) {
    TileStore store;
    store.statement = &statement;
    store.target = &target;
    store.value = &value;
    store.tile = reader_.rootOf(target).variable;
    store.turns = around_;
    if (varies(target) || reads(target) || !changedBy(target).empty())
      return fail("where in a tile an element goes, at line " + lineOf(statement) +
                  ", depends on the iteration");
    need(target);
    store.copy = copyOf(store, scope);
    result_.stores.push_back(std::move(store));
  }

  bool storesToTile(const clang::Stmt &code) const {
    return llvm::any_of(reader_.usesOf(code).places, [&](const PlaceUse &use) {
      return use.kind == PlaceUse::Kind::Write && llvm::is_contained(tiles_.tiles, use.root.variable);
    });
  }

  std::optional<TileStore::Copy> copyOf(const TileStore &store, const clang::CompoundStmt *scope) const {
    TileStore::Copy copy;
    const clang::QualType type = store.target->getType().getCanonicalType().getUnqualifiedType();
    copy.bytes = ast_.getTypeSizeInChars(type).getQuantity();
    const bool hasWidth = copy.bytes == 4 || copy.bytes == 8 || copy.bytes == 16;
    if (!hasWidth || ast_.getTypeAlignInChars(type).getQuantity() < copy.bytes)
      return std::nullopt;
    const clang::Expr *value = plain(store.value);
    if (const clang::VarDecl *variable = namedVariable(value); variable && scope) {
      copy.through = declarationFor(*variable, *store.statement, *scope);
      if (!copy.through)
        return std::nullopt;
      value = plain(variable->getInit());
    }
    if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(value)) {
      copy.condition = choice->getCond();
      const clang::Expr *yes = plain(choice->getTrueExpr()), *no = plain(choice->getFalseExpr());
      copy.whereFalse = !isSource(yes, type, copy);
      copy.otherwise = copy.whereFalse ? yes : no;
      if (reads(*copy.condition) || (copy.whereFalse && !isSource(no, type, copy)))
        return std::nullopt;
      return copy;
    }
    return isSource(value, type, copy) ? std::optional(copy) : std::nullopt;
  }

  /// The declaration of a constant that only the store uses, with nothing in between that changes what it is.
  const clang::DeclStmt *declarationFor(const clang::VarDecl &variable, const clang::Stmt &store,
                                        const clang::CompoundStmt &scope) const {
    if (!variable.getInit() || !reader_.changes().isConstant(&variable) ||
        reader_.changes().mentionsOf(&variable) != 1)
      return nullptr;
    const clang::DeclStmt *found = nullptr;
    for (const clang::Stmt *statement : scope.body()) {
      if (statement == &store)
        return found;
      if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(statement);
          declaration && declaration->isSingleDecl() && declaration->getSingleDecl() == &variable)
        found = declaration;
      else if (found && !changedBy(*statement).empty())
        return nullptr;
    }
    return nullptr;
  }

  /// Whether the value is what an element of global memory holds, unchanged.
  bool isSource(const clang::Expr *value, clang::QualType type, TileStore::Copy &copy) const {
    if (value->getType().getCanonicalType().getUnqualifiedType() != type)
      return false;
    const auto *call = llvm::dyn_cast<clang::CallExpr>(value);
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (callee && callee->getDeclName().isIdentifier() && callee->getName() == "__ldg" &&
        call->getNumArgs() == 1) {
      copy.source = call->getArg(0);
      copy.isAddress = true;
      return reader_.rootOf(*copy.source).isParameter();
    }
    if (!value->isGLValue() || namedVariable(value) || !reader_.rootOf(*value).isParameter())
      return false;
    copy.source = value;
    copy.isAddress = false;
    return true;
  }

  /// Notes what is needed to say where elements go, and what of it is declared in the loads.
  void need(const clang::Expr &expression) {
    for (const clang::VarDecl *variable : variablesIn(&expression)) {
      if (llvm::is_contained(result_.names, variable) || isCountedByConstants(variable))
        continue;
      const clang::VarDecl *declared = nullptr;
      for (const clang::Stmt *statement : tiles_.loads) {
        if (llvm::is_contained(changedBy(*statement), variable) && result_.whyNotRegisters.empty())
          result_.whyNotRegisters = "'" + variable->getNameAsString() +
                                    "', which says where elements go, changes while they are loaded";
        if (declares(*statement, variable))
          declared = variable;
      }
      if (!declared)
        continue;
      result_.names.push_back(variable);
      if (!variable->getInit())
        continue;
      CodeUses uses = reader_.usesOf(*variable->getInit());
      if ((!uses.places.empty() || !uses.others.empty()) && result_.whyNotRegisters.empty())
        result_.whyNotRegisters =
            "'" + variable->getNameAsString() + "', which says where elements go, is read from memory";
      need(*variable->getInit());
    }
  }
  static bool declares(const clang::Stmt &code, const clang::VarDecl *variable) {
    const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&code);
    return (declaration && llvm::is_contained(declaration->decls(), variable)) ||
           llvm::any_of(code.children(),
                        [&](const clang::Stmt *child) { return child && declares(*child, variable); });
  }

  void checkCopies() {
    if (llvm::none_of(result_.stores, [](const TileStore &store) { return store.copy.has_value(); }))
      result_.whyNotCopies = "none of its tiles gets 4, 8 or 16 bytes as they are in global memory";
  }

  void checkRegisters() {
    int64_t registers = 0;
    for (const TileStore &store : result_.stores) {
      int64_t words = (ast_.getTypeSizeInChars(store.target->getType()).getQuantity() + 3) / 4;
      for (const TileStore::Turns &turns : store.turns)
        words *= turns.count;
      registers += words;
    }
    if (registers > mostRegisters)
      result_.whyNotRegisters =
          "a thread would keep " + std::to_string(registers) + " registers of the next tile";
  }

  std::string lineOf(const clang::Stmt &statement) const {
    return std::to_string(placeOf(statement.getBeginLoc(), ast_.getSourceManager()).line);
  }
  void fail(std::string why) {
    if (result_.whyNot.empty())
      result_.whyNot = std::move(why);
  }

  const TileLoop &tiles_;
  const PlaceReader &reader_;
  const std::vector<CanonicalLoop> &loops_;
  const clang::ASTContext &ast_;
  IndexRanges ranges_;
  llvm::DenseSet<const clang::VarDecl *> varying_;
  std::vector<TileStore::Turns> around_;
  TileStores result_;
};

} // namespace

const TileStore *TileStores::of(const clang::Stmt &statement) const {
  auto found = llvm::find_if(stores, [&](const TileStore &store) { return store.statement == &statement; });
  return found == stores.end() ? nullptr : &*found;
}

bool TileStores::isPaired(const clang::IfStmt &choice) const {
  return llvm::is_contained(paired, &choice);
}

bool TileStores::within(const clang::Stmt &code) const {
  return of(code) ||
         llvm::any_of(code.children(), [&](const clang::Stmt *child) { return child && within(*child); });
}

TileStores readTileStores(const TileLoop &tiles, const PlaceReader &reader,
                          const std::vector<CanonicalLoop> &loops, const clang::FunctionDecl &kernel,
                          const clang::ASTContext &ast, KnownBlock block) {
  return TileStoreReader(tiles, reader, loops, kernel, ast, block).read();
}

} // namespace warpwright
