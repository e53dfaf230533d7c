#include "feedback/evaluators/virtual/verify/TileShapes.h"

#include "feedback/evaluators/virtual/verify/ShapeFit.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace warpwright::vdevice {
namespace {

constexpr int64_t TwoTiles = 256;
constexpr int64_t OneTile = 128;
constexpr int64_t TilesAndPart = 293;
constexpr int64_t StripsAndPart = 2085;
constexpr int64_t TileAndPart = 161;
constexpr std::array<int64_t, 4> Short = {37, 29, 43, 31};
constexpr int64_t LeastWhole = 32;
constexpr int64_t LeastShort = 3;

class TileShapes {
public:
  TileShapes(const Shape &main, const std::vector<std::string> &sizes, const Annotation &annotation,
             const AnnotationContext &context, const TileBudget &budget,
             llvm::function_ref<double(const Shape &)> accesses)
      : main_(main), sizes_(sizes), annotation_(annotation), context_(context), budget_(budget),
        accesses_(accesses) {
    for (const std::string &name : sizes)
      (changesGrid(name) ? inGrid_ : others_).push_back(name);
    for (const std::string &name : integersOf(main, /*sizes=*/false))
      if (!llvm::is_contained(sizes, name))
        counts_.push_back(name);
  }

  std::vector<CheckShape> choose() {
    if (sizes_.empty())
      return {};
    bool fits = add(with(sizes_, TwoTiles), budget_.whole, CheckShape::Role::Whole,
                    {{others_, LeastWhole}, {inGrid_, OneTile}});
    if (!others_.empty())
      add(with(sizes_, OneTile), budget_.whole, CheckShape::Role::Whole,
          {{inGrid_, 2 * LeastWhole}, {others_, 2 * LeastWhole}});
    for (const std::string &name : inGrid_)
      if (!fits)
        add(with({name}, TwoTiles), budget_.whole / static_cast<double>(inGrid_.size()),
            CheckShape::Role::Whole, {{{name}, 2 * LeastWhole}});
    for (int64_t length : {TilesAndPart, StripsAndPart})
      for (const std::string &name : sizes_) {
        Shape shape = shortShape();
        set(shape, {name}, length);
        // The length counts: the rest may be one where a run would be too long else.
        add(shape, budget_.ragged, CheckShape::Role::Ragged,
            {{allBut(name), LeastShort}, {counts_, 1}, {allBut(name), 1}});
      }
    Shape ragged = shortShape();
    set(ragged, inGrid_, TileAndPart);
    add(ragged, budget_.ragged, CheckShape::Role::Ragged, {{others_, LeastShort}, {counts_, 1}});
    return std::move(shapes_);
  }

private:
  /// Sizes that may be halved down to so much.
  struct Group {
    std::vector<std::string> names;
    int64_t least;
  };

  static void set(Shape &shape, const std::vector<std::string> &names, int64_t value) {
    for (const std::string &name : names)
      shape.values[name] = value;
  }
  Shape with(const std::vector<std::string> &names, int64_t value) const {
    Shape shape = main_;
    set(shape, names, value);
    return shape;
  }
  Shape shortShape() const {
    Shape shape = main_;
    for (size_t i = 0; i < sizes_.size(); ++i)
      shape.values[sizes_[i]] = Short[i % Short.size()];
    return shape;
  }
  std::vector<std::string> allBut(const std::string &name) const {
    std::vector<std::string> rest;
    llvm::copy_if(sizes_, std::back_inserter(rest), [&](const std::string &other) { return other != name; });
    return rest;
  }

  bool changesGrid(const std::string &name) const {
    auto blocks = [&](int64_t value) {
      Shape shape = with(sizes_, LeastWhole);
      shape.values[name] = value;
      llvm::Expected<Launch> launch = evaluateLaunch(annotation_, shape, context_);
      if (launch)
        return launch->grid.count();
      llvm::consumeError(launch.takeError());
      return uint64_t(0);
    };
    return blocks(LeastWhole) != blocks(int64_t(1) << 14);
  }

  /// Halves the largest of what may shrink, the first group before the second, until a run is short enough.
  bool shorten(Shape &shape, double limit, llvm::ArrayRef<Group> groups) const {
    while (accesses_(shape) > limit || fitOf(shape, annotation_, context_, budget_.fit) == Fit::TooLarge) {
      int64_t *largest = nullptr;
      for (const Group &group : groups) {
        for (const std::string &name : group.names)
          if (int64_t *value = integerOf(shape, name);
              *value / 2 >= group.least && (!largest || *value > *largest))
            largest = value;
        if (largest)
          break;
      }
      if (!largest)
        return false;
      *largest /= 2;
    }
    return true;
  }

  /// False where no such shape is small enough.
  bool add(Shape shape, double limit, CheckShape::Role role, llvm::ArrayRef<Group> groups) {
    if (!shorten(shape, limit, groups))
      return false;
    if (fitOf(shape, annotation_, context_, budget_.fit) != Fit::Good) {
      std::optional<Shape> mended = mend(shape, sizes_, annotation_, context_, budget_.fit);
      if (!mended || accesses_(*mended) > 2 * limit)
        return false;
      shape = std::move(*mended);
    }
    if (isContained(shape, role))
      return true;
    std::string label = shape.str();
    shapes_.push_back({std::move(shape), std::move(label), role});
    return true;
  }

  /// Whether what is there already shows as much: the same shape, or a larger main shape of whole tiles.
  bool isContained(Shape &shape, CheckShape::Role role) {
    if (llvm::any_of(shapes_, [&](const CheckShape &known) { return known.shape.values == shape.values; }))
      return true;
    return role == CheckShape::Role::Whole && llvm::all_of(sizes_, [&](const std::string &name) {
             int64_t own = std::get<int64_t>(main_.values.at(name));
             return own >= *integerOf(shape, name) && own % OneTile == 0;
           });
  }

  const Shape &main_;
  const std::vector<std::string> &sizes_;
  const Annotation &annotation_;
  const AnnotationContext &context_;
  const TileBudget &budget_;
  llvm::function_ref<double(const Shape &)> accesses_;
  std::vector<std::string> inGrid_; ///< sizes that the grid depends on
  std::vector<std::string> others_;
  std::vector<std::string> counts_; ///< of few things, fewer where a run would be too long
  std::vector<CheckShape> shapes_;
};

} // namespace

std::vector<CheckShape> chooseTileShapes(const Shape &main, const std::vector<std::string> &sizes,
                                         const Annotation &annotation, const AnnotationContext &context,
                                         const TileBudget &budget,
                                         llvm::function_ref<double(const Shape &)> accesses) {
  return TileShapes(main, sizes, annotation, context, budget, accesses).choose();
}

} // namespace warpwright::vdevice
