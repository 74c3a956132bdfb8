#include "sinew/io/scene/contact_reader.hpp"

#include <gmock/gmock.h>

#include "sinew/core/error.hpp"
#include "sinew/io/scene/scene.hpp"

namespace sinew {
namespace contact_reader_test {

using testing::HasSubstr;

/// A hinge "h", on it a slider "s", and a loose ball; with more keys.
std::string with(const std::string& keys, const std::string& units = "si") {
  return R"({"sinew_scene": 1, "units": ")" + units + R"(", "bodies": [
  {"name": "arm", "parent": "world", "joint": {"name": "h", "type": "revolute", "axis": [0, 0, 1]},
   "shapes": [{"type": "cuboid", "sides": [1, 0.1, 0.1], "density": 1}]},
  {"name": "rod", "parent": "arm", "joint": {"name": "s", "type": "prismatic", "axis": [1, 0, 0]},
   "inertia": {"mass": 1, "moments": [1, 1, 1]}},
  {"name": "ball", "parent": "world", "joint": {"type": "free-3d", "placement": [0, 5, 0]},
   "shapes": [{"type": "sphere", "radius": 0.1, "density": 1}, {"type": "sphere", "radius": 0.2, "density": 1}]}
  ],
  )" + keys +
         "}";
}

Scene read(const std::string& text) { return parse_scene(text, "test.json", "", {}); }

std::string error_of(const std::string& keys) {
  try {
    read(with(keys));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ContactReader, ReadsLimitsInTheirUnits) {
  const Scene scene = read(with(R"("limits": [
    {"type": "coordinate", "coordinate": "h_1", "lower": -1},
    {"type": "coordinate", "name": "slide", "coordinate": "s_1", "lower": -3, "upper": 5, "restitution": 0.5},
    {"type": "rope", "bodies": ["world", "rod"], "points": [[0, 0, 0], [0, 0, 0]], "length": 20}])",
                                "cgs"));
  const auto& limits = scene.system.unilaterals().limits;
  ASSERT_EQ(limits.size(), 3u);
  EXPECT_EQ(limits[0].name(), "limit-1");
  EXPECT_EQ(limits[0].lower, -1);
  EXPECT_TRUE(std::isinf(limits[0].upper));
  EXPECT_DOUBLE_EQ(limits[1].upper, 0.05);
  EXPECT_EQ(limits[1].restitution, 0.5);
  EXPECT_EQ(limits[2].upper, 0);
}

TEST(ContactReader, ReadsSurfacesOfAllShapesOfABody) {
  const Scene scene = read(with(R"("contacts": {"friction": 0.3, "surfaces": [
    {"name": "ground", "body": "world", "plane": {"point": [0, -2, 0], "normal": [0, 2, 0]}},
    {"body": "ball", "restitution": 0.7}, {"body": "arm", "friction": 0.9}],
    "exclude": [["arm", "world"]]})"));
  const ContactModel& contacts = scene.system.unilaterals().contacts;
  ASSERT_EQ(contacts.surfaces().size(), 4u);
  EXPECT_EQ(contacts.surfaces()[1].name, "ball");
  EXPECT_EQ(contacts.surfaces()[2].name, "ball-2");
  EXPECT_EQ(contacts.surfaces()[2].material.restitution, 0.7);
  EXPECT_EQ(contacts.surfaces()[2].material.friction, 0.3);
  EXPECT_EQ(contacts.surfaces()[0].E_BS.p, Vec3(0, -2, 0));
  EXPECT_FALSE(contacts.filter().allows(0, 3));
  EXPECT_TRUE(contacts.filter().allows(0, 1));
  EXPECT_DOUBLE_EQ(contacts.material({1, 3}).friction, std::sqrt(0.27));
}

TEST(ContactReader, ReadsBearings) {
  const Scene scene = read(with(R"("bearings": [
    {"type": "cylinder", "joint": "h", "radius": 0.1, "height": 0.2, "friction": 0.3},
    {"type": "box", "name": "rail", "joint": "s", "sides": [1, 2, 3], "friction": 0.1}])"));
  const auto& bearings = scene.system.unilaterals().bearings;
  ASSERT_EQ(bearings.size(), 2u);
  EXPECT_EQ(bearings[0].name, "bearing-1");
  EXPECT_EQ(bearings[1].body, scene.system.skeleton().find_body("rod"));
  EXPECT_EQ(std::get<BoxBearing>(bearings[1].shape).sides, Vec3(1, 2, 3));
}

TEST(ContactReader, NamesWhatIsWrong) {
  EXPECT_THAT(error_of(R"("limits": [{"type": "coordinate", "coordinate": "h_1"}])"),
              HasSubstr("limit 'limit-1': has no bound"));
  EXPECT_THAT(error_of(R"("limits": [{"type": "coordinate", "coordinate": "hh_1", "lower": 0}])"),
              HasSubstr("hh_1"));
  EXPECT_THAT(error_of(R"("contacts": {"surfaces": [{"body": "rod"}]})"),
              HasSubstr("body 'rod' has no shapes that could touch"));
  EXPECT_THAT(
      error_of(R"("contacts": {"surfaces": [{"body": "ball", "plane": {"normal": [0, 0, 0]}}]})"),
      HasSubstr("'normal' is zero"));
  EXPECT_THAT(error_of(R"("contacts": {"surfaces": [{"body": "ball", "restitution": 3}]})"),
              HasSubstr("contact 'ball': its restitution is not between 0 and 1"));
  EXPECT_THAT(
      error_of(R"("bearings": [{"type": "ball", "joint": "h", "radius": 1, "friction": 1}])"),
      HasSubstr("bearing 'bearing-1': does not fit a joint of type 'revolute'"));
  EXPECT_THAT(
      error_of(R"("bearings": [{"type": "ball", "joint": "x", "radius": 1, "friction": 1}])"),
      HasSubstr("there is no joint 'x'"));
  EXPECT_THAT(
      error_of(R"("bearings": [{"type": "cylinder", "radius": 1, "height": 1, "friction": 1}])"),
      HasSubstr("give 'joint' or 'closure'"));
}

}  // namespace contact_reader_test
}  // namespace sinew
