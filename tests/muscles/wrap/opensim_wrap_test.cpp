#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sinew/muscles/wrap/wrap.hpp"
#include "support/reference.hpp"

/// Single spans of OpenSim around cylinders and spheres. Its spheres are exact; its tangent points
/// on cylinders are found approximately, so its paths are longer than the shortest.

namespace sinew {
namespace opensim_wrap_test {

struct Case {
  std::string quadrant;
  double radius, half_length, length;
  bool wrapped;
  Vec3 o, i;  ///< in the frame of the surface
};

std::vector<Case> cases_of(const std::string& type) {
  std::vector<Case> cases;
  for (const auto& entry : test::reference_json("opensim/wrap_unit_cases.json")) {
    if (entry["type"] != type) continue;
    const auto vec3 = [&](const char* key) { return Vec3(test::to_vector(entry[key])); };
    const Vec3 angles = vec3("xyz_body_rotation");
    const Mat3 R =
        (Eigen::AngleAxisd(angles[0], Vec3::UnitX()) * Eigen::AngleAxisd(angles[1], Vec3::UnitY()) *
         Eigen::AngleAxisd(angles[2], Vec3::UnitZ()))
            .toRotationMatrix();
    const Vec3 p = vec3("translation");
    cases.push_back({entry["quadrant"], entry["dims"][0], 0.5 * entry["dims"][1].get<double>(),
                     entry["L"], entry["wrapped"], R.transpose() * (vec3("P1") - p),
                     R.transpose() * (vec3("P2") - p)});
  }
  return cases;
}

double length(const Wrap& wrap, const Vec3& o, const Vec3& i) {
  SpanShape<double> s;
  shape<double>(wrap, solve(wrap, o, i), o, i, s);
  return s.length;
}

TEST(OpenSimWrap, CylindersAreNoShorterThanOursAndOnTheSameSide) {
  SINEW_NEEDS_REFERENCE();
  std::vector<double> excess;
  for (const Case& c : cases_of("cylinder")) {
    CylinderWrap wrap{.radius = c.radius, .model = WrapKind::exact, .half_length = c.half_length};
    if (!c.wrapped) {  // all of those have an anchor inside
      EXPECT_EQ(wrap.solve(c.o, c.i).status, SpanStatus::anchor_inside);
      continue;
    }
    double difference = 1;
    if (c.quadrant == "all") {
      wrap.side = WrapSide::nearest;
      difference = c.length - length(wrap, c.o, c.i);
      // The shorter side too where the two differ by 2e-4 m.
      EXPECT_LT(difference, 4.5e-4);
    } else {  // its rule for the side is one of quadrants: either of ours
      for (const WrapSide side : {WrapSide::clockwise, WrapSide::counter_clockwise}) {
        wrap.side = side;
        const double here = c.length - length(wrap, c.o, c.i);
        if (here > -1e-12) difference = std::min(difference, here);
      }
      // Steep helices, up to 2.2 rad around: its worst.
      EXPECT_LT(difference, 2.5e-3);
    }
    EXPECT_GT(difference, -1e-12);
    excess.push_back(difference);
  }
  ASSERT_EQ(excess.size(), 117u);
  std::sort(excess.begin(), excess.end());
  EXPECT_LT(excess[excess.size() / 2], 5e-6);  // the median
  RecordProperty("median excess", std::to_string(excess[excess.size() / 2]));
}

TEST(OpenSimWrap, SpheresAgreeToRoundingWhereItTakesTheShorterWay) {
  SINEW_NEEDS_REFERENCE();
  int same = 0, longer = 0;
  for (const Case& c : cases_of("sphere")) {
    ASSERT_TRUE(c.wrapped);
    const SphereWrap wrap{.radius = c.radius, .model = WrapKind::exact};
    const double difference = c.length - length(wrap, c.o, c.i);
    if (std::abs(difference) < 1e-15) {
      ++same;
    } else {  // a quadrant made it go around the far side of the same great circle
      ++longer;
      EXPECT_NE(c.quadrant, "all");
      SpanShape<double> s;
      wrap.shape<double>(wrap.solve(c.o, c.i), c.o, c.i, s);
      const double theta = std::acos(c.o.normalized().dot(c.i.normalized()));
      // Rounding of θ near π.
      EXPECT_NEAR(difference, c.radius * (2 * std::numbers::pi - 2 * theta), 1e-9);
    }
  }
  EXPECT_EQ(same + longer, 158);
  EXPECT_GE(same, 45);
  RecordProperty("longer way", longer);
}

}  // namespace opensim_wrap_test
}  // namespace sinew
