#include <gtest/gtest.h>

#include <array>

#include "sinew/muscles/wrap/elastic_band.hpp"
#include "sinew/muscles/wrap/wrap.hpp"
#include "support/random.hpp"

/// The number of times a path is not found: 10,000 pairs of anchors whose chord penetrates the
/// surface or passes within a tenth of its size, a fifth of the anchors a fiftieth of its size from
/// it.

namespace sinew {
namespace wrap_robustness_test {

using test::Random;

struct Count {
  int single = 0;  ///< failures though the path has one contact only
  std::array<int, 6> of{};
  int at(SpanStatus status) const { return of[static_cast<size_t>(status)]; }
};

/// The number of stretches in which an elastic band touches: a path with two is none of one
/// contact.
template <class Level>
int contacts(const Level& level, const Vec3& o, const Vec3& i) {
  const auto jet = [&](const Vec3& x) { return level.jet(x); };
  const band::Barrier barrier{level.size(), 0.04 * level.size()};
  band::Knots x = band::straight_knots(o, i);
  if (!band::settle(jet, barrier, 1e-3, x)) return -1;
  int count = 0;
  bool touches = false;
  for (const Vec3& knot : x) {
    const bool now = level.value(knot) < 3 * barrier.range;
    count += now && !touches;
    touches = now;
  }
  return count;
}

template <class W, class Level>
Count tried(const char* name, const W& wrap, const Level& level, double box) {
  Random random(1);
  Count count;
  const double size = level.size();
  const auto anchor = [&] {
    while (true) {
      Vec3 x = random.vec3(box);
      if (random.uniform(0, 1) < 0.2) {  // close to the surface
        for (int k = 0; k < 50; ++k) {
          const LevelValue f = level.jet(x);
          x -= (f.value - 0.02 * size) / f.gradient.squaredNorm() * f.gradient;
        }
      }
      if (level.value(x) > 0.005 * size) return x;
    }
  };
  for (int pairs = 0; pairs < 10000;) {
    const Vec3 o = anchor();
    const Vec3 i = anchor();
    const ChordMinimum chord = level.chord(o, i);
    if (!chord.found || chord.depth > 0.1 * size) continue;
    ++pairs;
    const SpanStatus status = wrap.solve(o, i).status;
    ++count.of[static_cast<size_t>(status)];
    if (failed(status)) count.single += contacts(level, o, i) == 1;
  }
  std::printf(
      "%s: free %d, wrapped %d, no path %d, not converged %d; of these with one contact %d\n", name,
      count.at(SpanStatus::free), count.at(SpanStatus::wrapped), count.at(SpanStatus::no_path),
      count.at(SpanStatus::not_converged), count.single);
  return count;
}

// Limits are the counts found, with half as many again.

TEST(WrapRobustness, TenThousandPairsAroundAnEllipsoid) {
  const EllipsoidWrap wrap{.semi_axes = Vec3(0.05, 0.07, 0.1)};
  const Count count = tried("ellipsoid", wrap, EllipsoidLevel(wrap), 0.35);
  EXPECT_LE(count.at(SpanStatus::not_converged), 1);
  EXPECT_LE(count.at(SpanStatus::no_path), 5);
}

TEST(WrapRobustness, TenThousandPairsAroundATorus) {
  const TorusWrap wrap;
  const Count count = tried("torus", wrap, TorusLevel(wrap), 0.3);
  EXPECT_LE(count.at(SpanStatus::not_converged), 45);
  // One in ten touches the ring twice. Of the others some would lift off inside it.
  EXPECT_LE(count.single, 130);
}

TEST(WrapRobustness, TenThousandPairsAroundACappedCylinder) {
  const CappedCylinderWrap wrap{.radius = 0.08};
  const Count count = tried("capped cylinder", wrap, CappedCylinderLevel(wrap), 0.35);
  EXPECT_LE(count.at(SpanStatus::not_converged), 27);
  EXPECT_LE(count.at(SpanStatus::no_path), 1);
}

}  // namespace wrap_robustness_test
}  // namespace sinew
