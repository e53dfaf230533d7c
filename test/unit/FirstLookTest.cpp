#include "feedback/FirstLook.h"

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

Measurement looked(double large, double small) {
  Measurement look;
  look.verdict.kind = Verdict::Kind::Accepted;
  for (auto [name, ratio] : {std::pair{"n = 8192", large}, {"n = 5", small}}) {
    ShapeMeasurement shape;
    shape.shape = name;
    shape.timed = true;
    shape.ratio = ratio;
    look.shapes.push_back(shape);
  }
  return look;
}

std::vector<UnitSet> keep(const std::vector<Measurement> &looks, size_t most) {
  std::vector<UnitSet> candidates;
  std::map<UnitSet, Measurement> all;
  for (unsigned i = 0; i < looks.size(); ++i) {
    candidates.push_back({i});
    all[{i}] = looks[i];
  }
  return worthMeasuring(candidates, all, most);
}

TEST(FirstLook, KeepsTheBestInTheirOrder) {
  EXPECT_EQ(keep({looked(1.2, 1), looked(0.5, 0.9), looked(1.1, 1), looked(0.4, 0.9)}, 2),
            (std::vector<UnitSet>{{1}, {3}}));
  EXPECT_EQ(keep({looked(0.9, 1), looked(0.9, 1)}, 1), (std::vector<UnitSet>{{0}}));
}

TEST(FirstLook, LeavesOutWhatIsFarFromTheBest) {
  EXPECT_EQ(keep({looked(0.5, 0.9), looked(0.8, 0.9), looked(0.52, 0.9)}, 4),
            (std::vector<UnitSet>{{0}, {2}}));
}

TEST(FirstLook, KeepsTheFastestOfAShape) {
  // The last gains only where the dispatch would send it; the one that leads by less than the noise does not.
  EXPECT_EQ(keep({looked(0.5, 0.99), looked(0.9, 0.98), looked(0.1, 9)}, 1),
            (std::vector<UnitSet>{{0}, {2}}));
}

TEST(FirstLook, DropsWhatIsWrongAndKeepsWhatIsUnknown) {
  Measurement wrong = looked(0.1, 0.1), unknown;
  wrong.verdict.kind = Verdict::Kind::Declined;
  unknown.verdict.kind = Verdict::Kind::Undecided;
  EXPECT_EQ(keep({wrong, unknown, looked(2, 2)}, 0), (std::vector<UnitSet>{{1}}));
}

TEST(FirstLook, SaysTheMean) {
  EXPECT_EQ(describeLook(looked(0.5, 2)), "1.00 times the original's time on a first look");
}

} // namespace
