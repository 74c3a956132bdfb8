#include "sinew/io/json/override.hpp"

#include <gmock/gmock.h>

namespace sinew {
namespace override_test {

constexpr const char* kText = R"({
  "bodies": [{"name": "a", "joint": {"q0": 1}}, {"name": "b"}],
  "simulation": {"dt": 0.1},
  "list": [1, 2, 3]
})";

JsonNode with(const std::vector<std::string>& overrides) {
  JsonNode root = parse_json(kText, "file.json");
  apply_overrides(
      {.source = "file.json", .folder = {}, .overrides = overrides, .units = kSi, .curves = {}},
      root);
  return root;
}

std::string error_of(const std::string& override_text) {
  try {
    with({override_text});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Override, ReplacesValuesByKeyByNameAndByNumber) {
  const JsonNode root =
      with({"simulation.dt=0.5", "bodies.b.mass=[1, 2]", "list.2=7", "bodies.0.joint.q0=3"});
  EXPECT_EQ(root.find("simulation")->find("dt")->number, 0.5);
  EXPECT_EQ(root.find("bodies")->items[1].find("mass")->items[1].number, 2);
  EXPECT_EQ(root.find("list")->items[2].number, 7);
  EXPECT_EQ(root.find("bodies")->items[0].find("joint")->find("q0")->number, 3);
}

TEST(Override, TakesABareWordForAStringAndMakesMissingObjects) {
  const JsonNode root = with({"simulation.integrator=rk4", "new.deep.key=true"});
  EXPECT_EQ(root.find("simulation")->find("integrator")->text, "rk4");
  EXPECT_TRUE(root.find("new")->find("deep")->find("key")->boolean);
}

TEST(Override, LetsTheLastOneWin) {
  EXPECT_EQ(with({"simulation.dt=1", "simulation.dt=2"}).find("simulation")->find("dt")->number, 2);
}

TEST(Override, SaysWhichOneIsWrongAndWhatIsNear) {
  using testing::HasSubstr;
  EXPECT_THAT(error_of("bodies.c.x=1"), HasSubstr("--set bodies.c.x=1: there is no 'c'"));
  EXPECT_THAT(error_of("list.3=1"), HasSubstr("there is no '3'"));
  EXPECT_THAT(error_of("simulation"), HasSubstr("path=value"));
  EXPECT_THAT(error_of("=1"), HasSubstr("path=value"));
  EXPECT_THAT(error_of("simulation.dt=[1"), HasSubstr("is not JSON"));
  EXPECT_THAT(error_of("simulation.dt.x=1"), HasSubstr("leads into a number"));
  EXPECT_THAT(error_of("simulation..dt=1"), HasSubstr("leads into"));
}

}  // namespace override_test
}  // namespace sinew
