#include "rewriters/staging/TileLoop.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/BlockInterpreter.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/findings/MainLaunch.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/aliasing/FixedBuffers.h"
#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ParentMap.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

#include <set>

namespace warpwright {
namespace {

bool isShared(const MemoryRoot &root) {
  return root.variable && root.variable->hasAttr<clang::CUDASharedAttr>();
}

/// An address that goes elsewhere is none.
bool isSharedStore(const PlaceUse &use) {
  return use.writes() && use.kind != PlaceUse::Kind::Escape && isShared(use.root);
}

/// One statement of the loop's body.
struct BodyPart {
  const clang::Stmt *statement = nullptr;
  unsigned section = 0; ///< barriers before it
  CodeUses uses;
  std::vector<const clang::VarDecl *> mentioned, changed;
  bool loads = false, works = false;

  bool isDeclaration() const { return llvm::isa<clang::DeclStmt>(statement); }
  bool touches(const std::vector<const clang::VarDecl *> &variables) const {
    return llvm::any_of(uses.places, [&](const PlaceUse &use) {
      return use.root.variable && llvm::is_contained(variables, use.root.variable);
    });
  }
  /// Whether it only gives names to numbers: then it may run twice.
  bool isPure() const {
    return isDeclaration() && uses.places.empty() && uses.others.empty() && changed.empty();
  }
  bool declares(const clang::VarDecl *variable) const {
    const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(statement);
    return declaration && llvm::is_contained(declaration->decls(), variable);
  }
};

/// Takes out what only says where a use beside it lies: `*reinterpret_cast<float4 *>(&tile[i])`.
void dropAddresses(CodeUses &uses) {
  std::vector<const clang::Expr *> within;
  for (const PlaceUse &use : uses.places) {
    const clang::Expr *pointer = nullptr;
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(use.place))
      pointer = unary->getSubExpr();
    else if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(use.place))
      pointer = subscript->getBase();
    const auto *address =
        pointer ? llvm::dyn_cast<clang::UnaryOperator>(pointer->IgnoreParenCasts()) : nullptr;
    if (address && address->getOpcode() == clang::UO_AddrOf)
      within.push_back(address->getSubExpr()->IgnoreParens());
  }
  llvm::erase_if(uses.places, [&](const PlaceUse &use) {
    return use.kind == PlaceUse::Kind::Escape && llvm::is_contained(within, use.place);
  });
}

class TileLoopReader {
public:
  TileLoopReader(const RewriteContext &context, const PlaceReader &reader, const clang::ForStmt &loop,
                 const clang::ParentMap &parents)
      : context_(context), kernel_(*context.analysis.kernel.declaration), ast_(context.unit.ast()),
        reader_(reader), loop_(loop), parents_(parents), fixed_(context) {}

  /// False where the loop is about something else.
  bool read(TileLoop &result) {
    result_ = &result;
    result.statement = &loop_;
    result.body = llvm::dyn_cast<clang::CompoundStmt>(loop_.getBody());
    if (!result.body || !readParts() || result.tiles.empty())
      return false;
    if (result.whyNot.empty())
      check();
    return true;
  }

private:
  /// The statements between the barriers, and the tiles that they write.
  bool readParts() {
    unsigned barriers = 0;
    for (const clang::Stmt *statement : result_->body->body()) {
      if (isBlockBarrier(statement)) {
        ++barriers;
        noteUniformity(*statement);
        continue;
      }
      if (declaresShared(*statement)) {
        result_->declarations.push_back(llvm::cast<clang::DeclStmt>(statement));
        continue;
      }
      BodyPart part;
      part.statement = statement;
      part.section = barriers;
      part.uses = reader_.usesOf(*statement);
      dropAddresses(part.uses);
      part.mentioned = variablesIn(statement);
      part.changed = changedBy(*statement);
      for (const PlaceUse &use : part.uses.places)
        if (isSharedStore(use) && !llvm::is_contained(result_->tiles, use.root.variable))
          result_->tiles.push_back(use.root.variable);
      parts_.push_back(std::move(part));
    }
    if (barriers == 1)
      fail("it waits once an iteration: its tiles are loaded ahead already, or not protected");
    else if (barriers > 2)
      fail("it waits " + std::to_string(barriers) + " times an iteration");
    return barriers > 0;
  }

  void noteUniformity(const clang::Stmt &barrier) {
    Place place = placeOf(barrier.getBeginLoc(), ast_.getSourceManager());
    for (const Synchronisation &fact : context_.analysis.facts.synchronisations)
      if (samePlace(fact.place.place, place) && fact.divergentControl)
        result_->isUniform = false;
  }

  static bool declaresShared(const clang::Stmt &statement) {
    const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&statement);
    return declaration && llvm::all_of(declaration->decls(), [](const clang::Decl *declared) {
             return declared->hasAttr<clang::CUDASharedAttr>();
           });
  }

  void check() {
    if (!result_->isUniform)
      return fail("threads may disagree on whether they reach its barriers");
    checkHead();
    if (!result_->whyNot.empty())
      return;
    if (!isInBlock())
      return fail("it is no statement of its own in a block, or a pragma stands before it");
    checkTiles();
    if (result_->whyNot.empty())
      split();
    if (result_->whyNot.empty())
      checkSections();
    for (const BodyPart &part : parts_)
      if (result_->whyNot.empty() && part.loads)
        checkLoads(part);
    for (const BodyPart &part : parts_)
      if (result_->whyNot.empty() && part.works)
        checkWork(part);
    if (result_->whyNot.empty())
      checkOrderOfWork();
    for (const BodyPart &part : parts_) {
      if (part.loads)
        result_->loads.push_back(part.statement);
      if (part.works)
        result_->work.push_back(part.statement);
    }
  }

  /// The head counts by itself: what it declares is changed by its increment alone, and that changes nothing
  /// else.
  void checkHead() {
    const auto *declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(loop_.getInit());
    if (!declaration || !loop_.getCond() || !loop_.getInc() || loop_.getConditionVariable())
      return fail("its head does not declare what it counts, bound it and move it on");
    for (const clang::Decl *declared : declaration->decls()) {
      const auto *counter = llvm::dyn_cast<clang::VarDecl>(declared);
      const bool isNumber =
          counter && (counter->getType()->isIntegerType() || counter->getType()->isPointerType());
      if (!isNumber || !counter->getInit() || counter->getType()->getContainedAutoType())
        return fail("its head declares more than numbers");
      result_->counters.push_back(counter);
    }
    CodeUses uses = reader_.usesOf(*loop_.getCond());
    CodeUses steps = reader_.usesOf(*loop_.getInc());
    if (!uses.places.empty() || !uses.others.empty() || !steps.places.empty() || !steps.others.empty() ||
        !changedBy(*loop_.getCond()).empty())
      return fail("its head asks memory, or calls what is not known");
    for (const clang::VarDecl *changed : changedBy(*loop_.getInc()))
      if (!llvm::is_contained(result_->counters, changed))
        return fail("its head changes '" + changed->getNameAsString() + "', which it does not declare");
    for (const clang::Stmt *part : {static_cast<const clang::Stmt *>(loop_.getCond()),
                                    static_cast<const clang::Stmt *>(loop_.getInc())})
      for (const clang::VarDecl *variable : variablesIn(part))
        if (variable->isLocalVarDeclOrParm() &&
            (isChangedInBody(variable) || reader_.changes().isExposed(variable)))
          return fail("its body changes '" + variable->getNameAsString() + "', on which its head depends");
    for (const clang::VarDecl *counter : result_->counters)
      if (isChangedInBody(counter) || reader_.changes().isExposed(counter))
        return fail("its body changes '" + counter->getNameAsString() + "'");
  }
  bool isCounter(const clang::VarDecl *variable) const {
    return llvm::is_contained(result_->counters, variable);
  }

  bool isInBlock() {
    const clang::Stmt *around = parents_.getParent(&loop_);
    for (const clang::Stmt *outer = around; outer && !outer_; outer = parents_.getParent(outer))
      if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(outer))
        outer_ = outer;
    result_->isRepeated = outer_ != nullptr;
    return llvm::isa_and_nonnull<clang::CompoundStmt>(around);
  }

  void checkTiles() {
    for (const clang::VarDecl *tile : result_->tiles) {
      const std::string name = "'" + tile->getNameAsString() + "'";
      if (!ast_.getAsConstantArrayType(tile->getType()))
        return fail(name + " has no size of its own: the launch chooses it");
      if (tile->getType().isVolatileQualified() ||
          ast_.getBaseElementType(tile->getType()).isVolatileQualified())
        return fail(name + " is volatile");
      if (const clang::DeclRefExpr *other = useOutside(*tile))
        return fail(name + " is used outside of the loop, at line " + lineOf(other->getBeginLoc()));
    }
    for (const BodyPart &part : parts_)
      for (const PlaceUse &use : part.uses.places)
        if (llvm::is_contained(result_->tiles, use.root.variable) && !isElement(use))
          if (ast_.getTypeSizeInChars(use.root.variable->getType()).getQuantity() % 16 != 0)
            return fail(
                "'" + use.root.variable->getNameAsString() +
                "' is read or written several elements at a time, and a second one behind it would not be "
                "aligned for that");
    for (const clang::DeclStmt *declaration : result_->declarations)
      for (const clang::Decl *declared : declaration->decls())
        if (!llvm::is_contained(result_->tiles, declared))
          return fail("'" + llvm::cast<clang::VarDecl>(declared)->getNameAsString() +
                      "' is declared in the loop, too, which does not write it");
  }

  /// Of a tile: an element as it is declared, not several as one.
  bool isElement(const PlaceUse &use) const {
    return ast_.hasSameUnqualifiedType(use.place->getType(),
                                       ast_.getBaseElementType(use.root.variable->getType()));
  }

  const clang::DeclRefExpr *useOutside(const clang::VarDecl &tile) const {
    class Finder : public clang::ConstDynamicRecursiveASTVisitor {
    public:
      Finder(const clang::VarDecl &tile, const clang::Stmt *loop) : tile_(tile), loop_(loop) {}
      bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
        if (reference->getDecl() == &tile_ && !found)
          found = reference;
        return true;
      }
      bool TraverseForStmt(clang::ForStmt const *statement) override {
        return statement == loop_ || clang::ConstDynamicRecursiveASTVisitor::TraverseForStmt(statement);
      }
      const clang::DeclRefExpr *found = nullptr;

    private:
      const clang::VarDecl &tile_;
      const clang::Stmt *loop_;
    };
    Finder finder(tile, &loop_);
    finder.TraverseStmt(kernel_.getBody());
    return finder.found;
  }

  bool isDeclaredIn(const clang::VarDecl *variable, const clang::Stmt &code) const {
    return ast_.getSourceManager().isPointWithin(variable->getLocation(), code.getBeginLoc(),
                                                 code.getEndLoc());
  }
  bool isChangedInBody(const clang::VarDecl *variable) const {
    return llvm::any_of(parts_,
                        [&](const BodyPart &part) { return llvm::is_contained(part.changed, variable); });
  }

  /// Which statements bring the tile: those that store to it, what changes the variables they read, and the
  /// declarations of these. All others work on it.
  void split() {
    for (BodyPart &part : parts_)
      part.loads = llvm::any_of(part.uses.places, isSharedStore);
    for (bool changed = true; changed;) {
      changed = false;
      for (const BodyPart &part : parts_)
        if (part.loads)
          for (const clang::VarDecl *variable : part.mentioned)
            for (BodyPart &other : parts_)
              if (!other.loads && !isCounter(variable) &&
                  (other.declares(variable) || llvm::is_contained(other.changed, variable)))
                changed = other.loads = true;
    }
    for (BodyPart &part : parts_)
      part.works = !part.loads;
    // A name that the work needs, too.
    for (bool changed = true; changed;) {
      changed = false;
      for (const BodyPart &part : parts_)
        if (part.works)
          for (const clang::VarDecl *variable : part.mentioned)
            for (BodyPart &other : parts_)
              if (!other.works && other.declares(variable))
                changed = other.works = true;
    }
    for (const BodyPart &part : parts_)
      if (part.loads)
        for (const clang::VarDecl *variable : part.mentioned) {
          checkVariable(variable);
          if (!result_->whyNot.empty())
            return;
        }
    for (const BodyPart &part : parts_)
      if (part.loads && part.works && !part.isPure())
        return fail("what is declared at line " + lineOf(part.statement->getBeginLoc()) +
                    " serves both the loads and the work");
  }

  /// Of a variable that loads mention: nobody else changes it, and nobody else sees the changes.
  void checkVariable(const clang::VarDecl *variable) {
    if (isCounter(variable) || !variable->isLocalVarDeclOrParm() || isShared({variable, {}}))
      return;
    const std::string name = "'" + variable->getNameAsString() + "'";
    if (reader_.changes().isExposed(variable) && !variable->getType()->isArrayType())
      return fail("the address of " + name + ", on which the loads depend, goes elsewhere");
    if (!isChangedInBody(variable))
      return;
    for (const BodyPart &part : parts_)
      if (part.works && llvm::is_contained(part.mentioned, variable))
        return fail(name + ", which changes from iteration to iteration, serves both the loads and the work");
    if (isDeclaredIn(variable, *result_->body) || llvm::is_contained(result_->carried, variable))
      return;
    if (isMentionedBehind(variable))
      return fail(name + ", which the loads change, is read behind the loop");
    result_->carried.push_back(variable);
  }

  /// Whether anything but the loop mentions the variable after it has been changed, or the loop's own head
  /// does.
  bool isMentionedBehind(const clang::VarDecl *variable) const {
    if (outer_ && !isDeclaredIn(variable, *outer_))
      return true; // the next run of the loop sees it
    class Finder : public clang::ConstDynamicRecursiveASTVisitor {
    public:
      Finder(const clang::VarDecl *variable, clang::SourceLocation behind,
             const clang::SourceManager &sources)
          : variable_(variable), behind_(behind), sources_(sources) {}
      bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
        found |= reference->getDecl() == variable_ &&
                 sources_.isBeforeInTranslationUnit(behind_, reference->getBeginLoc());
        return true;
      }
      bool found = false;

    private:
      const clang::VarDecl *variable_;
      clang::SourceLocation behind_;
      const clang::SourceManager &sources_;
    };
    Finder finder(variable, loop_.getEndLoc(), ast_.getSourceManager());
    finder.TraverseStmt(kernel_.getBody());
    return finder.found;
  }

  /// A barrier stands between the stores and the reads of a tile, and another one before the next stores.
  void checkSections() {
    std::set<unsigned> stores, reads;
    for (const BodyPart &part : parts_)
      for (const PlaceUse &use : part.uses.places)
        if (isShared(use.root) && llvm::is_contained(result_->tiles, use.root.variable))
          (isSharedStore(use) ? stores : reads).insert(part.section);
    if (stores.size() != 1 || reads.size() != 1 || *reads.begin() != *stores.begin() + 1)
      fail("its tile is not written before one barrier and read between that and the next");
  }

  void checkLoads(const BodyPart &part) {
    const std::string where = " at line " + lineOf(part.statement->getBeginLoc());
    if (part.uses.mayLeave || part.uses.leaves)
      return fail("the loads may leave the iteration" + where);
    if (!part.uses.others.empty())
      return fail("the loads do more than load" + where);
    for (const PlaceUse &use : part.uses.places) {
      if (use.isVolatile)
        return fail("a volatile access" + where);
      if (use.writes() && (use.kind != PlaceUse::Kind::Write || !isShared(use.root)) && !use.root.isOnChip())
        return fail("the loads write more than the tile" + where);
      if (isShared(use.root) && use.kind != PlaceUse::Kind::Write)
        return fail("what is loaded depends on shared memory" + where);
      if (use.reads() && !use.root.isOnChip())
        if (std::string why = whyNotFixed(use.root); !why.empty())
          return fail(why + where);
    }
  }

  /// Why the memory may change while the kernel runs; empty where it does not.
  std::string whyNotFixed(const MemoryRoot &root) {
    if (root.variable && root.variable->hasAttr<clang::CUDAConstantAttr>())
      return {};
    if (!root.isParameter())
      return "it is not known what memory is loaded";
    for (const KernelAnalysis *version : context_.versions)
      if (const ObjectUse *use = ObjectUses(version->facts).find(root.name()); use && use->written)
        return "the kernel writes what is loaded, '" + root.name() + "',";
    std::string why = fixed_.whyNot(root);
    if (why.empty())
      llvm::append_range(result_->assumptions, fixed_.assumptionsOf(root));
    return why;
  }

  void checkWork(const BodyPart &part) {
    const std::string where = " at line " + lineOf(part.statement->getBeginLoc());
    if (part.uses.mayLeave || part.uses.leaves)
      return fail("the work may leave the iteration" + where);
    if (!part.uses.others.empty())
      return fail("it is not known what memory the work touches" + where);
    for (const PlaceUse &use : part.uses.places) {
      if (use.isVolatile)
        return fail("a volatile access" + where);
      if (isShared(use.root) && use.kind != PlaceUse::Kind::Read)
        return fail("the work hands on more than it reads of shared memory" + where);
      if (!use.root.known() && use.writes())
        return fail("it is not known what memory the work writes" + where);
    }
  }

  /// Threads that hand each other something in global memory need the barriers where they are.
  void checkOrderOfWork() {
    std::set<unsigned> writes, reads;
    for (const BodyPart &part : parts_)
      for (const PlaceUse &use : part.uses.places) {
        if (!part.works || use.root.isOnChip())
          continue;
        if (use.writes())
          writes.insert(part.section);
        if (use.reads() && !whyNotFixed(use.root).empty())
          reads.insert(part.section);
      }
    if (!writes.empty() && !reads.empty() && (writes.size() > 1 || reads != writes))
      fail("the work reads what it may have written before a barrier");
  }

  std::string lineOf(clang::SourceLocation location) const {
    return std::to_string(placeOf(location, ast_.getSourceManager()).line);
  }
  void fail(std::string why) {
    if (result_->whyNot.empty())
      result_->whyNot = std::move(why);
  }

  const RewriteContext &context_;
  const clang::FunctionDecl &kernel_;
  const clang::ASTContext &ast_;
  const PlaceReader &reader_;
  const clang::ForStmt &loop_;
  const clang::ParentMap &parents_;
  FixedBuffers fixed_;
  std::vector<BodyPart> parts_;
  TileLoop *result_ = nullptr;
  const clang::Stmt *outer_ = nullptr; ///< the loop right around it
};

} // namespace

std::vector<const clang::VarDecl *> changedBy(const clang::Stmt &code) {
  std::vector<const clang::VarDecl *> variables = effectsOf(code).variables;
  const VariableChanges changes(code);
  for (const clang::VarDecl *variable : changes.changed())
    if (!llvm::is_contained(variables, variable))
      variables.push_back(variable);
  llvm::erase_if(variables,
                 [](const clang::VarDecl *variable) { return variable->hasAttr<clang::CUDASharedAttr>(); });
  return variables;
}

std::vector<TileLoop> readTileLoops(const RewriteContext &context, const PlaceReader &reader) {
  class Finder : public clang::ConstDynamicRecursiveASTVisitor {
  public:
    std::vector<const clang::ForStmt *> loops;
    bool VisitForStmt(const clang::ForStmt *loop) override {
      loops.push_back(loop);
      return true;
    }
    bool TraverseLambdaExpr(clang::LambdaExpr const *) override { return true; }
  };
  const clang::Stmt *body = context.analysis.kernel.declaration->getBody();
  clang::ParentMap parents(const_cast<clang::Stmt *>(body));
  Finder finder;
  finder.TraverseStmt(body);
  std::vector<TileLoop> found;
  for (const clang::ForStmt *loop : finder.loops) {
    TileLoop one;
    if (TileLoopReader(context, reader, *loop, parents).read(one))
      found.push_back(std::move(one));
  }
  return found;
}

} // namespace warpwright
