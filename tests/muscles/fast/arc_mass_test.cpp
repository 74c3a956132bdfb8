#include "sinew/muscles/fast/arc_mass.hpp"

#include <gtest/gtest.h>

#include "sinew/muscles/path/gauss.hpp"
#include "support/random.hpp"

/// Closed forms of mass on an arc against sums over many of its points.

namespace sinew {
namespace arc_mass_test {

constexpr int kCoordinates = 3;
using T = MotionDual<kCoordinates>;

T random_number(test::Random& random, double value) {
  T out(value);
  for (double& d : out.d) d = random.uniform(-1, 1);
  out.d2 = random.uniform(-1, 1);
  return out;
}
Point<T> random_point(test::Random& random) {
  Point<T> out;
  for (int c = 0; c < 3; ++c) out[c] = random_number(random, random.uniform(-1, 1));
  return out;
}

/// The same by Gauss's rule on `parts` equal parts, each sample a mass point.
SpanMass<kCoordinates> by_points(const HelixArc<T>& arc, const T& middle, const T& half, double m,
                                 const FrameAcceleration& frame, int parts) {
  SpanMass<kCoordinates> out;
  for (int part = 0; part < parts; ++part)
    for (const GaussNode& node : kGauss<13>) {
      const double xi = 2 * (part + node.x) / parts - 1, share = m * node.w / parts;
      const Point<T> at = arc.at(T(middle + half * xi));
      const auto part_of = [&](size_t k) { return Vec3(at[0].d[k], at[1].d[k], at[2].d[k]); };
      const Vec3 y(at[0].v, at[1].v, at[2].v), second(at[0].d2, at[1].d2, at[2].d2);
      const Vec3 f = share * (frame.a + frame.of(y, part_of(kCoordinates)) + second);
      out.mass += share;
      out.h += share * y;
      size_t e = 0;
      for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b) out.E[e++] += share * y[a] * y[b];
      out.force += f;
      out.torque += y.cross(f);
      for (size_t k = 0; k < kCoordinates; ++k) {
        out.tau[k] += part_of(k).dot(f);
        out.momentum_f[k] += share * part_of(k);
        out.momentum_n[k] += share * y.cross(part_of(k));
        for (size_t l = 0; l <= k; ++l) out.M[k][l] += share * part_of(k).dot(part_of(l));
      }
    }
  return out;
}

TEST(ArcMass, IsTheSumOverItsPoints) {
  test::Random random(7);
  for (const double angle : {0.0, 1e-9, 1e-3, 0.4, 1.5, 3.1, 4.7, kMaxArcAngle}) {
    HelixArc<T> arc;
    // Not even orthonormal: the form does not ask.
    arc.center = random_point(random);
    arc.e1 = random_point(random);
    arc.e2 = random_point(random);
    arc.e3 = random_point(random);
    arc.radius = random_number(random, 0.8);
    arc.turn = random_number(random, angle < 2 ? 0.5 : -2.5);
    arc.pitch = random_number(random, 0.3);
    const T middle = random_number(random, 0.6);
    const T half = random_number(random, 0.5 * angle / std::abs(arc.turn.v));
    const FrameAcceleration frame{random.vec3(), random.vec3(), random.vec3(9)};
    SpanMass<kCoordinates> sum;
    ArcMass<kCoordinates>(arc, middle, half).add(1.7, frame, sum);
    const SpanMass<kCoordinates> expected = by_points(arc, middle, half, 1.7, frame, 4);

    // Rounding of terms of the size of M and of the forces; alternating series lose two digits at
    // the largest angle.
    double size = 10;
    for (size_t k = 0; k < kCoordinates; ++k) size = std::max(size, expected.M[k][k]);
    const double tolerance = 1e-13 * size;
    EXPECT_NEAR(sum.mass, expected.mass, 1e-14);
    EXPECT_LT((sum.h - expected.h).norm(), tolerance);
    EXPECT_LT((sum.force - expected.force).norm(), 10 * tolerance) << angle;
    EXPECT_LT((sum.torque - expected.torque).norm(), 10 * tolerance) << angle;
    for (size_t e = 0; e < 6; ++e) EXPECT_NEAR(sum.E[e], expected.E[e], tolerance);
    for (size_t k = 0; k < kCoordinates; ++k) {
      EXPECT_NEAR(sum.tau[k], expected.tau[k], 10 * tolerance) << angle;
      EXPECT_LT((sum.momentum_f[k] - expected.momentum_f[k]).norm(), tolerance);
      EXPECT_LT((sum.momentum_n[k] - expected.momentum_n[k]).norm(), tolerance);
      for (size_t l = 0; l <= k; ++l) EXPECT_NEAR(sum.M[k][l], expected.M[k][l], tolerance);
    }
  }
}

}  // namespace arc_mass_test
}  // namespace sinew
