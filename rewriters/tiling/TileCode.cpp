#include "rewriters/tiling/TileCode.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/arch/Architecture.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/tiling/Neutrality.h"
#include "rewriters/tiling/Polynomials.h"
#include "rewriters/tiling/TileFill.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <deque>

namespace warpwright {
namespace {

/// Iterations of the loops within a strip, of one coordinate.
constexpr int64_t longestInner = 128;
/// Of a nest that needs no strip.
constexpr int64_t longestWhole = 32;
/// Statements of an unrolled strip, all outputs together: beyond, the code leaves the instruction cache.
constexpr int64_t mostUnrolled = 4096;

bool hasLoop(const NestItem &item) {
  return item.kind == NestItem::Kind::Loop || llvm::any_of(item.items, hasLoop);
}

class Writer {
public:
  Writer(const TileSource &source, const TilePoint &point)
      : source_(source), nest_(source.nest), point_(point),
        names_(*source.context.analysis.kernel.declaration, source.context.unit.ast()),
        tiles_(point.isStaged ? findTiles(source.nest, point, source.strip, source.fastest, source.extents)
                              : std::vector<StagedTile>()),
        frame_(source.nest, point, tiles_, source.fastest, names_),
        leaf_(source.context, source.nest, source.reader, frame_) {}

  TiledBody write() {
    if (point_.isStaged && tiles_.empty()) {
      result_.whyNot = "no read is made again often enough";
      return std::move(result_);
    }
    nameStrip();
    for (const StagedTile &tile : tiles_) {
      fills_.emplace_back(nest_, point_, tile, frame_, strip_, source_.table, names_);
      if (!fills_.back().whyNot().empty())
        result_.whyNot = fills_.back().whyNot();
      result_.sharedBytes += fills_.back().bytes();
    }
    if (nest_.nest)
      judgeGuards({*nest_.nest}, {});
    placeReads();
    writeBody();
    if (leaf_.failed() && result_.whyNot.empty())
      result_.whyNot = "its text comes out of a macro, or holds arrays";
    result_.grid = frame_.grid(keptGrid());
    result_.staged = tiles_.size();
    return std::move(result_);
  }

private:
  void nameStrip() {
    if (!isStripped())
      return;
    const NestLoop &loop = nest_.loops[*source_.strip];
    strip_ =
        TileFill::Strip{*source_.strip, names_.take(loop.name + "Begin"), names_.take(loop.name + "Step"),
                        names_.take(loop.name + "Strip"), point_.stages > 1 ? names_.take("buffer") : ""};
    if (point_.stages > 1) {
      fetch_ = names_.take("fetch");
      keep_ = names_.take("keep");
    }
    leaf_.declareCounter(*loop.counter, "const " + loop.type + " " + loop.name + " = " + strip_->begin +
                                            " + " + strip_->step + ";");
  }
  /// Without tiles there is nothing to gather a strip for.
  bool isStripped() const { return source_.strip && !tiles_.empty(); }

  std::vector<std::string> keptGrid() const {
    std::vector<std::string> kept;
    for (const ScalarExpression &extent : source_.context.analysis.annotation->grid->extents)
      kept.push_back(kept.size() == nest_.freedAxis ? "1" : extent.str());
    return kept;
  }

  const TileRead *stagedRead(const clang::Expr &expression) const {
    for (const StagedTile &tile : tiles_)
      for (const TileRead &read : tile.reads)
        if (read.read->expression == &expression || read.read->paddedWhole == &expression)
          return &read;
    return nullptr;
  }

  /// A guard may go where its condition is what bounds a staged read, and nothing is added where that is
  /// zero.
  void judgeGuards(llvm::ArrayRef<NestItem> items, std::vector<const NestItem *> around) {
    for (const NestItem &item : items) {
      if (item.kind == NestItem::Kind::Guard)
        judgeGuard(item);
      judgeGuards(item.items, around);
    }
  }

  void judgeGuard(const NestItem &guard) {
    std::vector<const clang::Expr *> finite;
    if (!isPaddedAway(guard, finite))
      return;
    std::vector<TileFill *> watched;
    for (const clang::Expr *factor : finite)
      if (TileFill *fill = fillOf(*factor); fill && fill->mayBeWatched())
        watched.push_back(fill);
    // Two tiles hand over in registers, where nobody watches what arrives.
    if (watched.size() != finite.size() || (!watched.empty() && point_.stages > 1))
      return;
    if (watched.empty())
      return leaf_.absorb(*guard.condition);
    if (oddity_.empty())
      oddity_ = names_.take("isOdd");
    for (TileFill *fill : watched)
      fill->watch(oddity_);
    finiteGuards_.push_back(guard.condition);
  }

  /// The tile that all of an expression is read from; null where it is something else.
  TileFill *fillOf(const clang::Expr &expression) {
    for (TileFill &fill : fills_)
      for (const TileRead &read : fill.tile().reads)
        if (read.read->expression == expression.IgnoreParenImpCasts())
          return &fill;
    return nullptr;
  }

  bool isPaddedAway(const NestItem &guard, std::vector<const clang::Expr *> &finite) const {
    auto isPadding = [&](const clang::Expr &expression) {
      const TileRead *read = stagedRead(expression);
      return read && read->isPadded && llvm::all_of(guard.known.atLeastZero, [&](const Expression &one) {
               return llvm::is_contained(read->read->condition.atLeastZero, one);
             });
    };
    return guard.known.isKnown && everyStatement(guard.items, [&](const clang::Stmt &statement) {
             Neutrality own = neutralityOf(statement, isPadding);
             finite.insert(finite.end(), own.finite.begin(), own.finite.end());
             return own.isNeutral && readsAreStaged(statement);
           });
  }

  static bool everyStatement(llvm::ArrayRef<NestItem> items,
                             llvm::function_ref<bool(const clang::Stmt &)> holds) {
    return llvm::all_of(items, [&](const NestItem &item) {
      return item.kind == NestItem::Kind::Plain ? holds(*item.statement) : everyStatement(item.items, holds);
    });
  }

  /// Whether the statement reads memory through tiles alone, so that it may run anywhere.
  bool readsAreStaged(const clang::Stmt &statement) const {
    const clang::SourceManager &sources = source_.context.unit.ast().getSourceManager();
    return llvm::all_of(nest_.reads, [&](const NestRead &read) {
      return !sources.isPointWithin(read.expression->getBeginLoc(), statement.getBeginLoc(),
                                    statement.getEndLoc()) ||
             stagedRead(*read.expression);
    });
  }

  /// Whether iterations beyond the loop's end do nothing, because all they read is zero there.
  bool isTailNeutral() {
    const NestLoop &loop = nest_.loops[strip_->loop];
    if (loop.trips && *loop.trips % point_.strip == 0)
      return true;
    auto isZero = [&](const clang::Expr &expression) {
      return llvm::any_of(fills_, [&](const TileFill &fill) {
        return fill.isZeroBeyondStrip() && llvm::any_of(fill.tile().reads, [&](const TileRead &read) {
                 return read.read->expression == &expression;
               });
      });
    };
    const NestItem *item = findLoop({*nest_.nest}, strip_->loop);
    return everyStatement(item->items, [&](const clang::Stmt &statement) {
      Neutrality own = neutralityOf(statement, isZero);
      return own.isNeutral && own.finite.empty() && readsAreStaged(statement);
    });
  }

  const NestItem *findLoop(llvm::ArrayRef<NestItem> items, unsigned loop) const {
    for (const NestItem &item : items) {
      if (item.kind == NestItem::Kind::Loop && item.loop == loop)
        return &item;
      if (const NestItem *found = findLoop(item.items, loop))
        return found;
    }
    return nullptr;
  }

  void placeReads() {
    for (const TileFill &fill : fills_)
      for (const TileRead &read : fill.tile().reads) {
        bool isWhole = read.read->paddedWhole && read.isPadded;
        leaf_.replace(isWhole ? *read.read->paddedWhole : *read.read->expression, fill.element(read));
      }
    if (!nest_.nest && tiles_.empty())
      keepApartFromStores();
  }

  /// Without a loop an output is stored before the next one is read: what is never written is read in a way
  /// that may be done once for all of them.
  void keepApartFromStores() {
    for (const NestRead &read : nest_.reads)
      if (isReadOnly(read) && read.expression->isLValue())
        leaf_.wrap(*read.expression, "__ldg(&", ")");
  }

  bool isReadOnly(const NestRead &read) const {
    const KernelAnalysis &analysis = source_.context.analysis;
    return read.type->isBuiltinType() && !read.type->isBooleanType() && !read.base.empty() &&
           llvm::all_of(analysis.facts.parameters, [&](const ParameterFacts &parameter) {
             return !parameter.written || (parameter.name != read.base &&
                                           analysis.annotation->areDistinct(parameter.name, read.base));
           });
  }

  void writeBody() {
    CodeLines &code = result_.code;
    explain(code);
    frame_.declare(code);
    if (strip_)
      code.line("constexpr int " + strip_->length + " = " +
                std::to_string(point_.strip * nest_.loops[strip_->loop].step) + ";");
    declareTiles(code);
    if (!oddity_.empty()) {
      code.line("__shared__ int " + oddity_ + ";")
          .line("if (threadIdx.x == 0)")
          .line("  " + oddity_ + " = 0;");
      code.line("__syncthreads();");
    }
    if (!strip_)
      fillAll(code);
    if (nest_.nest) {
      leaf_.writeAccumulators(code);
      std::vector<const NestItem *> around;
      if (strip_)
        writeItems({*nest_.nest}, around, code);
      else
        writeBothWays(code, [&] { writeItems({*nest_.nest}, around, code); });
    }
    leaf_.writeEpilogue(code);
  }

  /// Arrays of their own, or parts of what the launch brings where that is more than there is without asking.
  void declareTiles(CodeLines &code) {
    result_.isDynamic = result_.sharedBytes > static_cast<int64_t>(Architecture::maxStaticSharedPerBlock);
    std::string memory = result_.isDynamic ? names_.take("sharedTiles") : "";
    if (result_.isDynamic)
      code.line("extern __shared__ __align__(16) unsigned char " + memory + "[];");
    int64_t offset = 0;
    for (const TileFill &fill : fills_) {
      fill.declare(code, memory, offset);
      offset += llvm::alignTo(fill.bytes(), 16);
    }
    if (result_.isDynamic)
      result_.sharedBytes = offset;
  }

  void explain(CodeLines &code) {
    bool isBlocked =
        llvm::any_of(point_.shares, [](const TilePoint::Share &one) { return one.perThread > 1; });
    if (isBlocked)
      code.comment("A thread computes several outputs side by side in registers, so that each operand it has "
                   "serves several of them.");
    if (!tiles_.empty())
      code.comment("What the outputs of a block have in common is read from global memory once, by all its "
                   "threads together.");
  }

  /// Without the guards that padding makes needless as long as everything is finite, and with them.
  void writeBothWays(CodeLines &code, llvm::function_ref<void()> write) {
    if (finiteGuards_.empty())
      return write();
    code.comment("What lies outside is zero and adds nothing, unless it is multiplied by infinity or NaN.");
    code.open("if (" + oddity_ + " == 0) {");
    for (const clang::Expr *guard : finiteGuards_)
      leaf_.absorb(*guard);
    write();
    for (const clang::Expr *guard : finiteGuards_)
      leaf_.absorb(*guard, false);
    code.close();
    code.open("else {");
    isRare_ = true;
    write();
    isRare_ = false;
    code.close();
  }

  void fillAll(CodeLines &code) {
    for (const TileFill &fill : fills_)
      fill.fill(code);
    if (!fills_.empty())
      code.line("__syncthreads();");
  }

  void writeItems(llvm::ArrayRef<NestItem> items, std::vector<const NestItem *> &around, CodeLines &code) {
    std::vector<const NestItem *> run;
    auto flush = [&] {
      // What a thread beyond the guards would read need not exist.
      bool isSafe = llvm::all_of(run, [&](const NestItem *item) {
        return item->kind == NestItem::Kind::Plain
                   ? readsAreStaged(*item->statement)
                   : readsAreStaged(*item->condition) &&
                         everyStatement(item->items,
                                        [&](const clang::Stmt &one) { return readsAreStaged(one); });
      });
      leaf_.write(run, around, /*isGuarded=*/!isSafe, code);
      run.clear();
    };
    for (const NestItem &item : items) {
      if (!hasLoop(item)) {
        run.push_back(&item);
        continue;
      }
      flush();
      if (item.kind == NestItem::Kind::Guard) {
        around.push_back(&item);
        writeItems(item.items, around, code);
        around.pop_back();
      } else {
        writeLoop(item, around, code);
      }
    }
    flush();
  }

  void writeLoop(const NestItem &item, std::vector<const NestItem *> &around, CodeLines &code) {
    const NestLoop &loop = nest_.loops[item.loop];
    std::string end = toFactor(loop.end).value_or("");
    auto head = [&](const std::string &name, const std::string &first, const std::string &step) {
      return "for (" + loop.type + " " + name + " = " + first + "; " + name + " < " + end + "; " +
             (step == "1" ? "++" + name : name + " += " + step) + ") {";
    };
    if (!strip_ || strip_->loop != item.loop) {
      if (loop.trips && isUnrolled(item.loop))
        code.line("#pragma unroll");
      code.open(head(loop.name, toCode(loop.first).value_or(""), std::to_string(loop.step)));
      writeItems(item.items, around, code);
      code.close();
      return;
    }
    std::string first = toCode(loop.first).value_or("");
    bool isBuffered = !fetch_.empty();
    if (isBuffered)
      beginBuffers(loop, first, code);
    code.open(head(strip_->begin, first, strip_->length));
    if (isBuffered) {
      code.line("const bool goesOn = " + strip_->begin + " + " + strip_->length + " < " + end + ";");
      code.line("if (goesOn)").line("  " + fetch_ + "(" + strip_->begin + " + " + strip_->length + ");");
    } else {
      fillAll(code);
    }
    writeBothWays(code, [&] { writeStrip(item, end, around, code); });
    if (isBuffered)
      code.line("if (goesOn)").line("  " + keep_ + "(" + strip_->buffer + " ^ 1);");
    code.line("__syncthreads();");
    if (isBuffered)
      code.line(strip_->buffer + " ^= 1;");
    code.close();
  }

  /// The first strip, and what brings the others.
  void beginBuffers(const NestLoop &loop, const std::string &first, CodeLines &code) {
    code.comment("While a strip is worked on, the next one is on its way from memory into registers.");
    for (const TileFill &fill : fills_)
      fill.declareNext(code);
    code.open("const auto " + fetch_ + " = [&](" + loop.type + " " + strip_->begin + ") {");
    for (const TileFill &fill : fills_)
      fill.fetch(code);
    code.close("};");
    code.open("const auto " + keep_ + " = [&](int " + strip_->buffer + ") {");
    for (const TileFill &fill : fills_)
      fill.keep(strip_->buffer, code);
    code.close("};");
    code.line(fetch_ + "(" + first + ");").line(keep_ + "(0);").line("__syncthreads();");
    code.line("int " + strip_->buffer + " = 0;");
  }

  void writeStrip(const NestItem &item, const std::string &end, std::vector<const NestItem *> &around,
                  CodeLines &code) {
    const NestLoop &loop = nest_.loops[item.loop];
    bool isNeutral = isTailNeutral();
    if (isUnrolled(item.loop))
      code.line("#pragma unroll");
    code.open("for (int " + strip_->step + " = 0; " + strip_->step + " < " + strip_->length + "; " +
              (loop.step == 1 ? "++" + strip_->step : strip_->step + " += " + std::to_string(loop.step)) +
              ") {");
    if (!isNeutral)
      code.line("if (" + strip_->begin + " + " + strip_->step + " >= " + end + ")").line("  break;");
    writeItems(item.items, around, code);
    code.close();
  }

  bool isUnrolled(unsigned loop) const {
    if (isRare_)
      return false;
    int64_t count = 1;
    for (const TilePoint::Share &share : point_.shares)
      count *= share.perThread;
    for (unsigned i = loop; i < nest_.loops.size(); ++i)
      count *= strip_ && strip_->loop == i ? point_.strip : nest_.loops[i].trips.value_or(1);
    return count <= mostUnrolled;
  }

  const TileSource &source_;
  const Nest &nest_;
  const TilePoint &point_;
  FreshNames names_;
  std::vector<StagedTile> tiles_;
  TileFrame frame_;
  LeafWriter leaf_;
  std::optional<TileFill::Strip> strip_;
  std::deque<TileFill> fills_;
  std::string oddity_;                            ///< what says that something is not finite
  std::vector<const clang::Expr *> finiteGuards_; ///< needless where everything is
  bool isRare_ = false;                           ///< what is written is seldom run, and need not be fast
  std::string fetch_, keep_; ///< names of what brings the next strip, where there are several tiles
  TiledBody result_;
};

} // namespace

TiledBody writeTileCode(const TileSource &source, const TilePoint &point) {
  return Writer(source, point).write();
}

std::optional<unsigned> chooseStrip(const Nest &nest) {
  if (!nest.nest)
    return std::nullopt;
  // Of nested loops, the innermost whose own length, times those within, is beyond what a tile holds.
  for (unsigned loop = 0; loop < nest.loops.size(); ++loop) {
    int64_t inner = 1;
    bool isShort = true;
    for (unsigned i = loop + 1; i < nest.loops.size(); ++i) {
      isShort &= nest.loops[i].trips.has_value();
      inner *= nest.loops[i].trips.value_or(1);
    }
    if (!isShort || inner > longestInner)
      continue;
    const NestLoop &own = nest.loops[loop];
    if (loop == 0 && own.trips && *own.trips * inner <= longestWhole)
      return std::nullopt;
    return own.step == 1 ? std::optional(loop) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace warpwright
