#include "sinew/muscles/opensim/segment_wrap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "support/reference.hpp"

/// The 480 single segments of the reference against OpenSim's rules and our geodesics.

namespace sinew {
namespace segment_wrap_test {

struct Case {
  PathSurface surface;
  Vec3 p1, p2;  ///< frame S
  bool wrapped = false;
  double length = 0;
  Vec3 t1 = Vec3::Zero(), t2 = Vec3::Zero();  ///< OpenSim's tangent points, frame S
};

Wrap wrap_of(const std::string& type, const Vec3& size) {
  if (type == "cylinder") return CylinderWrap{.radius = size[0], .half_length = 0.5 * size[1]};
  if (type == "sphere") return SphereWrap{.radius = size[0]};
  if (type == "ellipsoid") return EllipsoidWrap{.semi_axes = size};
  return TorusWrap{.radius = size[1], .tube = size[0]};
}

std::vector<Case> cases_of(const std::string& type) {
  std::vector<Case> cases;
  for (const auto& entry : test::reference_json("opensim/wrap_unit_cases.json")) {
    if (entry["type"] != type) continue;
    const auto vec3 = [&](const char* key) { return Vec3(test::to_vector(entry[key])); };
    const Vec3 a = vec3("xyz_body_rotation");
    const Mat3 R = (Eigen::AngleAxisd(a[0], Vec3::UnitX()) *
                    Eigen::AngleAxisd(a[1], Vec3::UnitY()) * Eigen::AngleAxisd(a[2], Vec3::UnitZ()))
                       .toRotationMatrix();
    Case c;
    c.surface.wrap = wrap_of(type, vec3("dims"));
    const std::string quadrant = entry["quadrant"];
    if (quadrant != "all") {
      c.surface.axis = quadrant.back() - 'x';
      c.surface.sign = quadrant[0] == '-' ? -1 : 1;
    }
    c.p1 = R.transpose() * (vec3("P1") - vec3("translation"));
    c.p2 = R.transpose() * (vec3("P2") - vec3("translation"));
    c.wrapped = entry["wrapped"];
    c.length = entry["L"];
    if (c.wrapped) {
      c.t1 = R.transpose() * (vec3("T1") - vec3("translation"));
      c.t2 = R.transpose() * (vec3("T2") - vec3("translation"));
    }
    cases.push_back(c);
  }
  return cases;
}

double length_of(const Case& c, const SegmentWrap& contact) {
  if (!contact.wraps()) return (c.p2 - c.p1).norm();
  return (contact.r1 - c.p1).norm() + contact.arc + (contact.r2 - c.p2).norm();
}

/// On which side the ends of an arc are: positive on that asked for.
double side(const Case& c, const Vec3& r1, const Vec3& r2) {
  return c.surface.sign * (r1 + r2)[c.surface.axis];
}

/// OpenSim's length less ours, sorted, of the cases that both wrap; the others are counted.
struct Comparison {
  std::vector<double> excess;
  int disagree = 0;
  int astray = 0;  ///< OpenSim's is on the side not asked for, and ours is not: not compared
  double median() const { return excess[excess.size() / 2]; }
};
Comparison compare(const std::string& type) {
  Comparison out;
  for (const Case& c : cases_of(type)) {
    const SegmentWrap contact = wrap_segment(c.surface, c.p1, c.p2);
    if (contact.wraps() != c.wrapped)
      ++out.disagree;
    else if (c.wrapped && side(c, c.t1, c.t2) < 0 && side(c, contact.r1, contact.r2) >= 0)
      ++out.astray;
    else if (c.wrapped)
      out.excess.push_back(c.length - length_of(c, contact));
  }
  std::sort(out.excess.begin(), out.excess.end());
  return out;
}

TEST(SegmentWrap, CylindersWrapOnTheSameSideAndNoLonger) {
  SINEW_NEEDS_REFERENCE();
  const Comparison c = compare("cylinder");
  EXPECT_EQ(c.disagree, 0);
  ASSERT_EQ(c.excess.size(), 117u);
  EXPECT_GT(c.excess.front(), -1e-12);
  EXPECT_LT(c.median(), 5e-6);
  RecordProperty("median", std::to_string(c.median()));
}

TEST(SegmentWrap, OpenSimsCylindersAreLongerOnlyByTheHeightsOfTheirTangentPoints) {
  SINEW_NEEDS_REFERENCE();
  int steep = 0;
  for (const Case& c : cases_of("cylinder")) {
    if (!c.wrapped) continue;
    const SegmentWrap ours = wrap_segment(c.surface, c.p1, c.p2);
    // Seen along the axis both touch at the same points: the same side, the same winding.
    EXPECT_LT((ours.r1 - c.t1).head<2>().norm(), 1e-12);
    EXPECT_LT((ours.r2 - c.t2).head<2>().norm(), 1e-12);
    const double height = std::abs(ours.r2.z() - ours.r1.z());
    const double angle = std::sqrt(ours.arc * ours.arc - height * height) /
                         std::get<CylinderWrap>(c.surface.wrap).radius;
    const double slope = std::abs(c.p2.z() - c.p1.z()) / (c.p2 - c.p1).head<2>().norm();
    // Its heights are those of a plane through an apex. They are off by a centimetre or two for
    // helices that are steep and go more than a quarter around, which only quadrants make.
    const bool hard = angle > 1.8 && slope > 2.4;
    steep += hard ? 1 : 0;
    EXPECT_LT(c.length - length_of(c, ours), hard ? 2.5e-3 : 4.5e-4) << angle << ' ' << slope;
    EXPECT_FALSE(hard && c.surface.sign == 0);
  }
  EXPECT_EQ(steep, 3);
}

TEST(SegmentWrap, SpheresAgreeToRounding) {
  SINEW_NEEDS_REFERENCE();
  const Comparison c = compare("sphere");
  EXPECT_EQ(c.disagree, 0);
  ASSERT_EQ(c.excess.size(), 158u);
  EXPECT_GT(c.excess.front(), -1e-9);
  EXPECT_LT(c.excess.back(), 1e-9);
}

TEST(SegmentWrap, EllipsoidsWrapAlikeAndAreNeverLonger) {
  SINEW_NEEDS_REFERENCE();
  const Comparison c = compare("ellipsoid");
  EXPECT_EQ(c.disagree, 0);
  EXPECT_EQ(c.astray, 11);
  ASSERT_EQ(c.excess.size(), 146u);
  EXPECT_GT(c.excess.front(), -5e-6);  // its arcs are polylines of 1 mm, inscribed
  EXPECT_LT(c.excess.back(), 7e-3);    // its plane curves are not geodesics
  EXPECT_LT(c.median(), 5e-6);
  EXPECT_LT(c.excess[c.excess.size() * 9 / 10], 5e-4);
  RecordProperty("median", std::to_string(c.median()));
}

TEST(SegmentWrap, ToriWrapAlike) {
  SINEW_NEEDS_REFERENCE();
  const Comparison c = compare("torus");
  EXPECT_EQ(c.disagree, 0);
  ASSERT_EQ(c.excess.size(), 26u);
  // It has a straight cylinder in place of the tube, which is shorter.
  EXPECT_GT(c.excess.front(), -2e-4);
  EXPECT_LT(c.excess.back(), 1e-6);
}

TEST(SegmentWrap, AnEndInsideIsSaidAndNothingWraps) {
  for (const char* type : {"cylinder", "sphere", "ellipsoid"}) {
    PathSurface surface;
    surface.wrap =
        wrap_of(type, std::string(type) == "cylinder" ? Vec3(0.1, 1, 0) : Vec3(0.1, 0.1, 0.1));
    EXPECT_EQ(wrap_segment(surface, Vec3(0.05, 0, 0), Vec3(1, 0, 0)).meeting, WrapDecision::inside);
    EXPECT_EQ(wrap_segment(surface, Vec3(0, 0.3, 0), Vec3(1, 0.3, 0)).meeting, WrapDecision::none);
  }
}

TEST(SegmentWrap, APathPastTheEndsOfACylinderIsStraight) {
  PathSurface surface;
  surface.wrap = CylinderWrap{.radius = 0.1, .half_length = 0.2};
  const Vec3 p1(-0.5, 0.02, 0.1), p2(0.5, 0.02, 0.1);
  EXPECT_TRUE(wrap_segment(surface, p1, p2).wraps());
  const Vec3 up(0, 0, 0.2);
  EXPECT_FALSE(wrap_segment(surface, p1 + up, p2 + up).wraps());
}

TEST(SegmentWrap, AQuadrantCanAskForTheLongWay) {
  PathSurface surface;
  surface.wrap = CylinderWrap{.radius = 0.1, .half_length = 0.5};
  surface.axis = 1;
  const Vec3 p1(-0.5, 0.02, 0), p2(0.5, 0.02, 0);
  for (const int sign : {1, -1}) {
    surface.sign = sign;
    const SegmentWrap c = wrap_segment(surface, p1, p2);
    ASSERT_TRUE(c.wraps());
    EXPECT_GT(sign * c.r1.y(), 0);
    EXPECT_GT(sign * c.r2.y(), 0);
  }
}

}  // namespace segment_wrap_test
}  // namespace sinew
