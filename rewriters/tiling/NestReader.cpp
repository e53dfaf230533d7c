#include "rewriters/tiling/NestReader.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/EarlyReturns.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/mapping/Effects.h"
#include "rewriters/tiling/Conditions.h"
#include "rewriters/tiling/NestReads.h"
#include "rewriters/tiling/Polynomials.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {

const NestCoordinate *Nest::coordinateOf(const Symbol *symbol) const {
  auto found = llvm::find_if(coordinates, [&](const NestCoordinate &one) { return one.symbol == symbol; });
  return found == coordinates.end() ? nullptr : &*found;
}

const NestLoop *Nest::loopOf(const Symbol *symbol) const {
  auto found = llvm::find_if(loops, [&](const NestLoop &one) { return one.symbol == symbol; });
  return found == loops.end() ? nullptr : &*found;
}

std::vector<const clang::Stmt *> statementsOf(const clang::Stmt &statement) {
  if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(&statement))
    return {compound->body_begin(), compound->body_end()};
  return {&statement};
}

const clang::ForStmt *loopUnder(const clang::Stmt &statement) {
  const clang::Stmt *inner = &statement;
  while (const auto *attributed = llvm::dyn_cast<clang::AttributedStmt>(inner))
    inner = attributed->getSubStmt();
  return llvm::dyn_cast<clang::ForStmt>(inner);
}

namespace {

template <typename Leaf> bool isOnly(const clang::Stmt *statement) {
  std::vector<const clang::Stmt *> all = statementsOf(*statement);
  return all.size() == 1 && llvm::isa<Leaf>(all.front());
}

bool isPlainBranch(const clang::IfStmt &branch) {
  return !branch.getElse() && !branch.getInit() && !branch.getConditionVariable() && !branch.isConstexpr();
}

} // namespace

NestReader::NestReader(const RewriteContext &context, SymbolTable &table)
    : context_(context), ast_(context.unit.ast()), table_(table),
      reader_(ast_, *context.analysis.kernel.declaration->getBody(), table, IntegerReader::Moment::WholeBody),
      coordinates_(context, reader_, table),
      canonical_(findCanonicalLoops(*context.analysis.kernel.declaration, ast_, context.analysis.facts)) {}

void NestReader::fail(std::string why) {
  if (whyNot_.empty())
    whyNot_ = std::move(why);
}

void NestReader::failAt(const clang::Stmt &statement, const std::string &why) {
  fail("the statement at line " +
       std::to_string(warpwright::placeOf(statement.getBeginLoc(), ast_.getSourceManager()).line) + " " +
       why);
}

/// Threads must work alone: only then is it the same who does whose part.
void NestReader::checkKernel() {
  const KernelFacts &facts = context_.analysis.facts;
  if (!facts.sharedVariables.empty())
    return fail("its block shares memory already");
  if (!facts.synchronisations.empty())
    return fail("its threads work together by '" + facts.synchronisations.front().operation + "'");
  if (llvm::any_of(facts.assembly, [](const InlineAssembly &assembly) { return !assembly.known; }))
    return fail("it holds inline assembly that is not understood");
  if (llvm::any_of(facts.accesses, [](const MemoryAccess &access) {
        return access.kind == AccessKind::Atomic || access.isVolatile;
      }))
    return fail("it holds atomics or volatile accesses");
  for (const CallFacts &call : facts.calls)
    if (!call.knownMath)
      return fail("it calls '" + call.callee + "', which may do anything");
}

Nest NestReader::read(std::string &whyNot) {
  checkKernel();
  const auto *body = llvm::dyn_cast<clang::CompoundStmt>(context_.analysis.kernel.declaration->getBody());
  if (whyNot_.empty() && !body)
    fail("its body is no block");
  if (whyNot_.empty())
    walkBody(statementsOf(*body));
  if (whyNot_.empty() && !isBehindNest_)
    readCoordinates();
  if (whyNot_.empty())
    for (const clang::Stmt *statement : nest_.epilogue)
      if (effectsOf(*statement).leaves || !effectsOf(*statement).calls.empty())
        failAt(*statement, "leaves the kernel, or calls what may do anything");
  if (whyNot_.empty() && nest_.nest)
    readReads({*nest_.nest}, {}, {});
  if (whyNot_.empty() && !nest_.nest)
    for (const clang::Stmt *statement : nest_.epilogue)
      collectReads(*statement, {}, {}, reader_, nest_);
  findAccumulators();
  whyNot = whyNot_;
  return std::move(nest_);
}

void NestReader::walkBody(llvm::ArrayRef<const clang::Stmt *> statements) {
  for (size_t i = 0; i < statements.size() && whyNot_.empty(); ++i) {
    const clang::Stmt &statement = *statements[i];
    bool isLast = i + 1 == statements.size();
    bool isBegun = nest_.nest || !nest_.epilogue.empty();
    if (llvm::isa<clang::NullStmt>(statement) || (isLast && llvm::isa<clang::ReturnStmt>(statement)))
      continue;
    if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&statement); declaration && !isBegun) {
      takeDeclaration(*declaration);
      continue;
    }
    if (!isBegun && takeGuard(statement, isLast))
      continue;
    const clang::ForStmt *loop = loopUnder(statement);
    if (loop && !isBegun && !effectsOf(*loop).seenByOthers()) {
      if (effectsOf(*loop).leaves)
        return failAt(*loop, "leaves the kernel, or holds inline assembly");
      readCoordinates();
      isBehindNest_ = true;
      if (whyNot_.empty())
        nest_.nest = readLoop(*loop, std::nullopt);
      continue;
    }
    nest_.epilogue.push_back(&statement);
  }
}

void NestReader::takeDeclaration(const clang::DeclStmt &declaration) {
  for (const clang::Decl *one : declaration.decls()) {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(one);
    if (!variable || variable->isStaticLocal() || variable->getType()->isReferenceType())
      return failAt(declaration, "declares what is not understood");
    if (variable->getInit() && effectsOf(*variable->getInit()).seenByOthers())
      return failAt(declaration, "has an effect");
    nest_.declarations.push_back(variable);
  }
}

/// `if (c) return;`, or an `if` around all that is left.
bool NestReader::takeGuard(const clang::Stmt &statement, bool isLast) {
  const auto *branch = llvm::dyn_cast<clang::IfStmt>(&statement);
  if (!branch || !isPlainBranch(*branch))
    return false;
  bool leaves = isOnly<clang::ReturnStmt>(branch->getThen());
  if (!leaves && !isLast)
    return false;
  nest_.guards.push_back({branch->getCond(), leaves});
  if (!leaves)
    walkBody(statementsOf(*branch->getThen()));
  return true;
}

void NestReader::readCoordinates() {
  if (isBehindNest_)
    return;
  std::string why;
  nest_.coordinates = coordinates_.read(nest_.declarations, why);
  if (!why.empty())
    return fail(why);
  bindOpaque();
  for (const Nest::Guard &guard : nest_.guards)
    readGuard(guard);
  completeBounds();
}

/// What cannot be written as a polynomial keeps its name.
void NestReader::bindOpaque() {
  for (const clang::VarDecl *variable : nest_.declarations) {
    if (!variable->getType()->isIntegerType() || !reader_.valueOf(*variable))
      continue;
    std::optional<Expression> value = reader_.read(*variable);
    if (value && !toCode(*value))
      reader_.bind(*variable, reader_.named(variable->getNameAsString()));
  }
}

void NestReader::readGuard(const Nest::Guard &guard) {
  NestCondition condition = readCondition(*guard.condition, !guard.isNegated, reader_);
  if (!condition.isKnown)
    return failAt(*guard.condition, "guards by a condition that is no conjunction of bounds");
  for (const Expression &atLeastZero : condition.atLeastZero) {
    NestCoordinate *bounded = nullptr;
    unsigned mentioned = 0;
    for (NestCoordinate &coordinate : nest_.coordinates)
      if (atLeastZero.mentions([&](const Symbol &symbol) { return &symbol == coordinate.symbol; })) {
        bounded = &coordinate;
        ++mentioned;
      }
    if (mentioned == 1)
      tighten(*bounded, atLeastZero);
    else if (!coordinates_.boundFlat(atLeastZero, nest_.coordinates))
      failAt(*guard.condition, "guards by a condition that bounds no single coordinate");
  }
}

void NestReader::tighten(NestCoordinate &coordinate, const Expression &atLeastZero) {
  Expression symbol(coordinate.symbol);
  std::optional<Expression> factor = atLeastZero.coefficient(coordinate.symbol);
  std::optional<int64_t> sign = factor ? factor->asConstant() : std::nullopt;
  Expression rest = atLeastZero.without(coordinate.symbol);
  if (!sign || (*sign != 1 && *sign != -1))
    return fail("the bound of '" + coordinate.name + "' is not linear in it");
  std::optional<Expression> &bound = *sign > 0 ? coordinate.lowest : coordinate.end;
  Expression value = *sign > 0 ? Expression() - rest : rest + Expression(1);
  if (!bound) {
    bound = value;
    return;
  }
  std::optional<int64_t> difference = (value - *bound).asConstant();
  if (!difference)
    return fail("'" + coordinate.name + "' has two bounds that were not compared");
  if ((*sign > 0) == (*difference > 0))
    bound = value;
}

/// Where nothing guards a coordinate, the launch bounds it.
void NestReader::completeBounds() {
  if (!whyNot_.empty())
    return;
  std::optional<std::array<LaunchAxis, 3>> axes = annotatedAxes(context_.analysis);
  for (NestCoordinate &coordinate : nest_.coordinates) {
    int64_t block = (*axes)[coordinate.axis].block;
    bool isSplit = llvm::count_if(nest_.coordinates, [&](const NestCoordinate &other) {
                     return other.axis == coordinate.axis;
                   }) > 1;
    bool isExact = !coordinate.placesAreThings || block == 1 || isSplit;
    if (!coordinate.end && !isExact) {
      coordinate.places =
          "ceil_div(" + coordinate.places + ", " + std::to_string(block) + ") * " + std::to_string(block);
      isExact = true;
    }
    llvm::Expected<ScalarExpression> places = ScalarExpression::parse(coordinate.places);
    std::optional<Expression> count = places ? reader_.read(*places, coordinates_.names()) : std::nullopt;
    if (!places) {
      llvm::consumeError(places.takeError());
      return fail("how many '" + coordinate.name + "' there are was not understood");
    }
    std::map<std::string, std::string> names;
    for (const auto &[name, value] : coordinates_.names())
      names[name] = value.asConstant() ? std::to_string(*value.asConstant()) : name;
    coordinate.placesCode =
        count && toFactor(*count) ? *toFactor(*count) : "(" + toHostCode(*places, names) + ")";
    if (!coordinate.end) {
      coordinate.isLaunchBound = true;
      coordinate.isFilled = !coordinate.lowest || *coordinate.lowest == coordinate.origin;
      if (count && toCode(*count)) {
        coordinate.end = coordinate.origin + *count;
        continue;
      }
      if (!coordinate.origin.isZero())
        return fail("the end of '" + coordinate.name + "' was not understood");
      coordinate.endName = coordinate.name + "End";
      coordinate.endCode = coordinate.placesCode;
      coordinate.end = reader_.named(coordinate.endName);
      continue;
    }
    std::optional<int64_t> slack =
        count ? (coordinate.origin + *count - *coordinate.end).asConstant() : std::nullopt;
    coordinate.isFilled =
        slack && *slack == 0 && (!coordinate.lowest || *coordinate.lowest == coordinate.origin);
    if (!slack || *slack < 0)
      return fail("the guard of '" + coordinate.name + "' was not proved to lie within the launch");
  }
}

NestItem NestReader::readLoop(const clang::ForStmt &statement, std::optional<unsigned> parent) {
  NestItem item;
  item.kind = NestItem::Kind::Loop;
  item.statement = &statement;
  auto found =
      llvm::find_if(canonical_, [&](const CanonicalLoop &one) { return one.statement == &statement; });
  if (found == canonical_.end() || !found->constantStep || *found->constantStep < 1) {
    failAt(statement, "is no loop that a variable counts upwards");
    return item;
  }
  std::optional<Expression> first = reader_.read(*found->init), end = reader_.read(*found->bound);
  auto differs = [&](const Symbol &symbol) { return nest_.coordinateOf(&symbol) != nullptr; };
  if (!first || !end || first->mentions(differs) || end->mentions(differs) || !toCode(*first) ||
      !toCode(*end)) {
    failAt(statement, "is a loop whose bounds were not proved to be the same for all threads");
    return item;
  }
  NestLoop loop;
  loop.statement = &statement;
  loop.counter = found->counter;
  loop.name = found->counter->getNameAsString();
  loop.type = found->counter->getType().getUnqualifiedType().getAsString(ast_.getPrintingPolicy());
  Symbol symbol;
  symbol.kind = SymbolKind::LoopCounter; // printed before what it is multiplied by
  symbol.text = loop.name;
  loop.symbol = table_.make(std::move(symbol));
  loop.first = *first;
  loop.end = *end + Expression(int64_t(found->inclusive));
  loop.step = *found->constantStep;
  loop.parent = parent;
  if (std::optional<int64_t> distance = (loop.end - loop.first).asConstant())
    loop.trips = std::max<int64_t>(0, (*distance + loop.step - 1) / loop.step);
  item.loop = nest_.loops.size();
  reader_.bind(*loop.counter, Expression(loop.symbol));
  nest_.loops.push_back(std::move(loop));
  item.items = readItems(statementsOf(*statement.getBody()), item.loop);
  return item;
}

std::vector<NestItem> NestReader::readItems(llvm::ArrayRef<const clang::Stmt *> statements,
                                            std::optional<unsigned> loop) {
  std::vector<NestItem> items;
  for (size_t i = 0; i < statements.size() && whyNot_.empty(); ++i) {
    const clang::Stmt &statement = *statements[i];
    if (llvm::isa<clang::NullStmt>(statement))
      continue;
    if (const clang::ForStmt *inner = loopUnder(statement)) {
      items.push_back(readLoop(*inner, loop));
      continue;
    }
    NestItem item;
    item.statement = &statement;
    const auto *branch = llvm::dyn_cast<clang::IfStmt>(&statement);
    if (branch && isPlainBranch(*branch) && !effectsOf(*branch->getCond()).seenByOthers()) {
      // What follows a `continue` runs where it is not reached.
      bool skips = isOnly<clang::ContinueStmt>(branch->getThen());
      item.kind = NestItem::Kind::Guard;
      item.condition = branch->getCond();
      item.isNegated = skips;
      item.known = readCondition(*branch->getCond(), !skips, reader_);
      item.items = skips ? readItems(statements.drop_front(i + 1), loop)
                         : readItems(statementsOf(*branch->getThen()), loop);
      items.push_back(std::move(item));
      if (skips)
        return items;
      continue;
    }
    if (llvm::isa<clang::ContinueStmt, clang::BreakStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt,
                  clang::IfStmt>(statement))
      failAt(statement, "branches in a way that is not understood");
    items.push_back(std::move(item));
  }
  return items;
}

/// Reads of the items, each with the loops and the conditions around it.
void NestReader::readReads(llvm::ArrayRef<NestItem> items, const std::vector<unsigned> &loops,
                           const NestCondition &condition) {
  for (const NestItem &item : items) {
    if (item.kind == NestItem::Kind::Plain) {
      collectReads(*item.statement, loops, condition, reader_, nest_);
      continue;
    }
    std::vector<unsigned> inside = loops;
    NestCondition under = condition;
    if (item.kind == NestItem::Kind::Loop) {
      inside.push_back(item.loop);
    } else {
      collectReads(*item.condition, loops, condition, reader_, nest_);
      under.isKnown &= item.known.isKnown;
      llvm::append_range(under.atLeastZero, item.known.atLeastZero);
    }
    readReads(item.items, inside, under);
  }
}

void NestReader::findAccumulators() {
  if (!whyNot_.empty() || !nest_.nest)
    return;
  VariableChanges changes(*nest_.nest->statement);
  for (const clang::VarDecl *variable : changes.changed()) {
    bool counts = llvm::any_of(nest_.loops, [&](const NestLoop &loop) { return loop.counter == variable; });
    if (counts)
      continue;
    if (!llvm::is_contained(nest_.declarations, variable))
      return fail("'" + variable->getNameAsString() + "' is changed in the loop and declared in it");
    if (variable->getType()->isArrayType() || changes.isExposed(variable))
      return fail("'" + variable->getNameAsString() + "' is changed in the loop in ways not understood");
  }
  for (const clang::VarDecl *variable : nest_.declarations)
    if (changes.isChanged(variable) &&
        llvm::none_of(nest_.loops, [&](const NestLoop &loop) { return loop.counter == variable; }))
      nest_.accumulators.push_back(variable);
}

} // namespace warpwright
