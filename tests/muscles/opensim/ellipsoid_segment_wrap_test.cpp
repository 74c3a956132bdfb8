#include "sinew/muscles/opensim/ellipsoid_segment_wrap.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "sinew/muscles/wrap/ellipsoid_wrap.hpp"
#include "support/random.hpp"

/// Geodesics around ellipsoids against an enumeration of all of them by shooting.

namespace sinew {
namespace ellipsoid_segment_wrap_test {

constexpr double kPi = std::numbers::pi;

double length_of(const SegmentWrap& c, const Vec3& p1, const Vec3& p2) {
  return (c.r1 - p1).norm() + c.arc + (c.r2 - p2).norm();
}

/// All paths from p1 to p2 that leave p1 along a tangent, follow a geodesic and leave it along a
/// tangent to p2. The tangents from p1 touch along an ellipse; from each of its points the geodesic
/// is followed to where p2 comes into sight, and misses p2 sideways by an amount that changes sign
/// at a path.
class Shooting {
 public:
  Shooting(const Vec3& radii, const Vec3& p1, const Vec3& p2)
      : radii_(radii), a_(radii.cwiseAbs2().cwiseInverse()), p1_(p1), p2_(p2) {}

  /// The middle of an arc of the given length, which a tangent from p1 reaches at r1.
  Vec3 middle(const Vec3& r1, double arc) const {
    Ray y{r1, (r1 - p1_).normalized()};
    for (int k = 0; k < 100; ++k) y = advance(y, arc / 200);
    return y.x;
  }

  struct Shortest {
    double any = std::numeric_limits<double>::infinity();
    double stable = any;  ///< of those that no path beside them is shorter than
  };
  /// Of those on the surface's side, where it asks for one.
  Shortest shortest(const PathSurface& surface = {}) const {
    constexpr int kDirections = 120;
    // Paths beside a stable one miss on the side to which they were turned. The shortest of all is
    // stable, and tells which side that is.
    Shortest turned[2];
    double least = turned[0].any;
    int stable = 0;
    double before = miss(0).sideways;
    for (int k = 1; k <= kDirections; ++k) {
      double low = (k - 1) * 2 * kPi / kDirections, high = k * 2 * kPi / kDirections;
      const double here = miss(high).sideways;
      if (std::isfinite(before + here) && (before > 0) != (here > 0)) {
        for (int i = 0; i < 40; ++i) {
          const double middle = 0.5 * (low + high);
          ((miss(middle).sideways > 0) == (before > 0) ? low : high) = middle;
        }
        const Shot shot = miss(low);
        const bool on_side = surface.sign == 0 || surface.sign * shot.ends[surface.axis] >= 0;
        if (std::abs(shot.sideways) < 1e-7) {
          const int turn = before > 0 ? 1 : 0;
          if (on_side) turned[turn].any = std::min(turned[turn].any, shot.length);
          if (shot.length < least) {
            least = shot.length;
            stable = turn;
          }
        }
      }
      before = here;
    }
    return {std::min(turned[0].any, turned[1].any), turned[stable].any};
  }

 private:
  struct Shot {
    double sideways = std::numeric_limits<double>::quiet_NaN(), length = 0;
    Vec3 ends = Vec3::Zero();  // sum of those of its arc
  };
  struct Ray {
    Vec3 x, t;
  };

  Vec3 bend(const Vec3& x, const Vec3& t) const {
    const Vec3 normal = a_.cwiseProduct(x);
    return -t.dot(a_.cwiseProduct(t)) / normal.squaredNorm() * normal;
  }
  Ray advance(const Ray& y, double h) const {
    const Vec3 k1 = bend(y.x, y.t);
    const Vec3 t2 = y.t + h / 2 * k1, k2 = bend(y.x + h / 2 * y.t, t2);
    const Vec3 t3 = y.t + h / 2 * k2, k3 = bend(y.x + h / 2 * t2, t3);
    const Vec3 t4 = y.t + h * k3, k4 = bend(y.x + h * t3, t4);
    return {y.x + h / 6 * (y.t + 2 * t2 + 2 * t3 + t4), y.t + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)};
  }
  double sight(const Vec3& x) const { return a_.cwiseProduct(x).dot(p2_ - x); }

  Shot miss(double angle) const {
    const Vec3 a = p1_.cwiseQuotient(radii_);
    const Vec3 e1 = a.unitOrthogonal(), e2 = a.normalized().cross(e1);
    const double r2 = a.squaredNorm();
    const Vec3 touch =
        a / r2 + std::sqrt(1 - 1 / r2) * (std::cos(angle) * e1 + std::sin(angle) * e2);
    Ray y{touch.cwiseProduct(radii_), Vec3::Zero()};
    y.t = (y.x - p1_).normalized();
    Shot out;
    out.ends = y.x;
    double length = (y.x - p1_).norm();
    if (sight(y.x) > 0) return out;
    const double h = radii_.minCoeff() / 30;
    for (int k = 0; k < 400; ++k) {
      const Ray next = advance(y, h);
      if (sight(next.x) < 0) {
        y = next;
        length += h;
        continue;
      }
      double low = 0, high = h;
      for (int i = 0; i < 45; ++i) {
        const double middle = 0.5 * (low + high);
        (sight(advance(y, middle).x) < 0 ? low : high) = middle;
      }
      y = advance(y, high);
      if ((p2_ - y.x).dot(y.t) < 0) return out;
      out.sideways = a_.cwiseProduct(y.x).normalized().cross(y.t).dot(p2_ - y.x);
      out.length = length + high + (p2_ - y.x).norm();
      out.ends += y.x;
      return out;
    }
    return out;
  }

  Vec3 radii_, a_, p1_, p2_;
};

/// A surface and a segment through its middle, where there are geodesics on several sides.
struct Case {
  PathSurface surface;
  Vec3 p1, p2;
  const Vec3& radii() const { return std::get<EllipsoidWrap>(surface.wrap).semi_axes; }
};
Case random_case(test::Random& random) {
  Case c;
  Vec3 radii;
  for (int k = 0; k < 3; ++k) radii[k] = random.uniform(0.02, 0.05);
  c.surface.wrap = EllipsoidWrap{.semi_axes = radii};
  const Vec3 along = random.unit_vector(), off = random.vec3(0.01);
  c.p1 = random.uniform(0.06, 0.15) * along + off;
  c.p2 = -random.uniform(0.06, 0.15) * along + off;
  return c;
}

/// On which side the middle of a contact's arc is: positive on that asked for [m].
double side_of_middle(const Case& c, const SegmentWrap& contact) {
  const Vec3 middle = Shooting(c.radii(), c.p1, c.p2).middle(contact.r1, contact.arc);
  return c.surface.sign * middle[c.surface.axis];
}

TEST(EllipsoidContact, WithoutAQuadrantItIsTheShortestOfAllGeodesics) {
  test::Random random(11);
  int several = 0;
  for (int n = 0; n < 30; ++n) {
    const Case c = random_case(random);
    const SegmentWrap contact = wrap_segment(c.surface, c.p1, c.p2);
    if (!contact.wraps()) continue;
    const double shortest = Shooting(c.radii(), c.p1, c.p2).shortest().any;
    ASSERT_TRUE(std::isfinite(shortest));
    // Our geodesics have eight steps of order 6, the ones here hundreds of order 4.
    EXPECT_NEAR(length_of(contact, c.p1, c.p2), shortest, 1e-7) << n;
    ++several;
  }
  EXPECT_GT(several, 20);
}

TEST(EllipsoidContact, IsTheShorterOneWhereGeodesicsGoOverTwoSides) {
  // The chord passes near the centre, with a geodesic on either side of it along the shortest axis:
  // a search that starts from the chord finds one of them, not always the shorter.
  Case c;
  c.surface.wrap = EllipsoidWrap{.semi_axes = Vec3(0.028, 0.037, 0.042)};
  int missed = 0;
  test::Random random(3);
  for (int n = 0; n < 24; ++n) {
    c.p1 = Vec3(0.016, 0.017, 0.089) + random.vec3(0.01);
    c.p2 = Vec3(-0.021, -0.035, -0.101) + random.vec3(0.01);
    const SegmentWrap contact = wrap_segment(c.surface, c.p1, c.p2);
    ASSERT_TRUE(contact.wraps());
    const double length = length_of(contact, c.p1, c.p2);
    EXPECT_NEAR(length, Shooting(c.radii(), c.p1, c.p2).shortest().any, 1e-7);
    const EllipsoidWrap one_side{.semi_axes = c.radii(), .model = WrapKind::exact};
    const SpanSolution solution = one_side.solve(c.p1, c.p2);
    SpanShape<double> shape;
    one_side.shape<double>(solution, c.p1, c.p2, shape);
    missed += solution.status != SpanStatus::wrapped || shape.length > length + 1e-5 ? 1 : 0;
  }
  EXPECT_GT(missed, 0);  // else these cases show nothing
}

TEST(EllipsoidContact, IsNeverLongerThanASectionOnTheSideAskedFor) {
  test::Random random(12);
  int moved = 0;
  for (int n = 0; n < 400; ++n) {
    Case c = random_case(random);
    c.surface.axis = n % 3;
    c.surface.sign = n % 2 == 0 ? 1 : -1;
    const SegmentWrap contact = wrap_segment(c.surface, c.p1, c.p2);
    if (!contact.wraps()) continue;
    const SectionGuide guide = section_guide(c.radii(), c.surface, c.p1, c.p2);
    moved += guide.moved ? 1 : 0;
    const SegmentWrap section = meet_section(c.radii(), c.p1, c.p2, guide.c);
    // Both have arcs to 1e-8 m.
    if (side_of_middle(c, section) >= 0) {
      EXPECT_LT(length_of(contact, c.p1, c.p2), length_of(section, c.p1, c.p2) + 1e-7) << n;
    }
    // The guide lies on the surface, in the half-space.
    EXPECT_NEAR(guide.c.cwiseQuotient(c.radii()).norm(), 1, 1e-9);
    EXPECT_GE(c.surface.sign * guide.c[c.surface.axis], -1e-12);
  }
  EXPECT_GT(moved, 100);
}

TEST(EllipsoidContact, LengthIsContinuousWithoutAQuadrant) {
  // A shortest path changes by no more than its ends move.
  test::Random random(13);
  constexpr double kStep = 5e-4;
  int steps = 0;
  for (int n = 0; n < 50; ++n) {
    Case c = random_case(random);
    const Vec3 v1 = kStep * random.unit_vector(), v2 = kStep * random.unit_vector();
    double before = -1;
    for (int k = 0; k < 40; ++k) {
      const SegmentWrap contact = wrap_segment(c.surface, c.p1, c.p2);
      const double length = contact.wraps() ? length_of(contact, c.p1, c.p2) : (c.p1 - c.p2).norm();
      const bool inside = contact.meeting == WrapDecision::inside;
      if (before >= 0 && !inside) {
        EXPECT_LT(std::abs(length - before), 2 * kStep + 1e-7) << n << ' ' << k;
        ++steps;
      }
      before = inside ? -1 : length;
      c.p1 += v1;
      c.p2 += v2;
    }
  }
  EXPECT_GT(steps, 1500);
}

TEST(EllipsoidContact, SectionsOfASphereThroughItsCentreAreGreatCircles) {
  const double r = 0.03;
  const Vec3 p1(-0.1, 0.001, 0), p2(0.1, 0.001, 0);
  PathSurface sphere;
  sphere.wrap = SphereWrap{.radius = r};
  const double exact = length_of(wrap_segment(sphere, p1, p2), p1, p2);
  const SegmentWrap near = meet_section(Vec3::Constant(r), p1, p2, Vec3(0, r, 0));
  EXPECT_NEAR(length_of(near, p1, p2), exact, 1e-12);  // Simpson's rule on a constant
  // On the other side, the longer way: farther by twice the angle between chord and diameter.
  const SegmentWrap far = meet_section(Vec3::Constant(r), p1, p2, Vec3(0, -r, 0));
  EXPECT_NEAR(length_of(far, p1, p2), exact + r * 4 * std::asin(0.001 / p1.norm()), 1e-12);
}

TEST(EllipsoidContact, AQuadrantIsObeyedWhereAGeodesicIsThere) {
  PathSurface surface;
  // Flat: geodesics over both sides of y.
  surface.wrap = EllipsoidWrap{.semi_axes = Vec3(0.04, 0.02, 0.05)};
  const Vec3 p1(-0.1, 0.002, 0.01), p2(0.1, 0.001, -0.02);
  surface.axis = 1;
  double lengths[2];
  for (const int sign : {1, -1}) {
    surface.sign = sign;
    const SegmentWrap c = wrap_segment(surface, p1, p2);
    ASSERT_TRUE(c.wraps());
    EXPECT_GT(sign * c.r1.y(), 0);
    EXPECT_GT(sign * c.r2.y(), 0);
    lengths[sign > 0 ? 0 : 1] = length_of(c, p1, p2);
  }
  EXPECT_LT(lengths[0], lengths[1]);  // the chord passes on +y
  surface.sign = 0;
  EXPECT_DOUBLE_EQ(length_of(wrap_segment(surface, p1, p2), p1, p2), lengths[0]);
}

// Where no stable geodesic is on that side, the path is OpenSim's section.
TEST(EllipsoidContact, IsOnTheSideAskedForWheneverAStablePathIsThere) {
  test::Random random(14);
  int with_geodesic = 0, sections = 0, astray = 0, longer = 0;
  for (int n = 0; n < 300; ++n) {
    Case c = random_case(random);
    const SegmentWrap any = wrap_segment(c.surface, c.p1, c.p2);
    c.surface.axis = n % 3;
    c.surface.sign = n % 2 == 0 ? 1 : -1;
    const SegmentWrap contact = wrap_segment(c.surface, c.p1, c.p2);
    if (!contact.wraps()) continue;
    const double length = length_of(contact, c.p1, c.p2);
    longer += length > length_of(any, c.p1, c.p2) + 1e-6 ? 1 : 0;
    const Shooting shooting(c.radii(), c.p1, c.p2);
    const bool is_on_side = side_of_middle(c, contact) >= 0;
    if (const double geodesic = shooting.shortest(c.surface).stable; std::isfinite(geodesic)) {
      ++with_geodesic;
      EXPECT_TRUE(is_on_side) << n;
      // As long as the shortest geodesic there, or a section on that side that is shorter.
      EXPECT_LE(length, geodesic + 1e-7) << n;
      continue;
    }
    ++sections;
    astray += is_on_side ? 0 : 1;
    const SectionGuide guide = section_guide(c.radii(), c.surface, c.p1, c.p2);
    EXPECT_LT((contact.r1 - meet_section(c.radii(), c.p1, c.p2, guide.c).r1).norm(), 1e-9) << n;
  }
  EXPECT_GT(with_geodesic, 200);
  // OpenSim lays its plane through the border, and more than half of the arc is beyond it.
  EXPECT_GT(sections, 0);
  EXPECT_LE(astray, 42);
  EXPECT_GT(longer, 30);
}

}  // namespace ellipsoid_segment_wrap_test
}  // namespace sinew
