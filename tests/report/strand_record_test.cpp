#include "sinew/report/strand_record.hpp"

#include <gtest/gtest.h>

#include "sinew/io/scene/scene.hpp"
#include "sinew/report/report_frame.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace strand_record_test {

using nlohmann::ordered_json;

Scene load(const std::string& name) {
  return load_scene(std::filesystem::path(test::source_dir()) / "scenes" / (name + ".json"));
}

TEST(StrandRecord, NodesAreAtTheirPointsOfTheLine) {
  for (const char* name :
       {"double-pulley", "strand-arm", "tube", "belt", "hoist", "catenary", "bungee"}) {
    const Scene scene = load(name);
    const ordered_json strands = describe_strands(scene.system);
    const std::vector<MovingShape> lines = drawn_lines(scene.system);
    FrameDrawer drawer(scene.system);
    DrawnFrame frame;
    drawer.update(scene.system.default_state(), scene.system.controls(), frame);
    Workspace ws(scene.system);
    const auto nodes = drawer.strands().nodes(scene.system.default_state(), ws);
    ASSERT_EQ(frame.material.size(), nodes.size()) << name;
    size_t k = 0;
    for (const ordered_json& strand : strands) {
      const size_t line = strand["line"];
      ASSERT_LT(line, lines.size());
      EXPECT_EQ(lines[line].name, strand["name"].get<std::string>());
      size_t first = 0;
      for (size_t i = 0; i < line; ++i) first += 3 * static_cast<size_t>(lines[i].points);
      for (const ordered_json& node : strand["nodes"]) {
        const size_t at = first + 3 * node["point"].get<size_t>();
        EXPECT_TRUE(Vec3(&frame.lines[at]).isApprox(nodes[k].x, 1e-9))
            << name << ": " << node["name"];
        EXPECT_EQ(frame.material[k], nodes[k].s);
        ++k;
      }
      EXPECT_EQ(strand["nodes"].back()["point"].get<int>() + 1, lines[line].points) << name;
      EXPECT_EQ(strand["tensions"].size() + 1, strand["nodes"].size()) << name;
    }
    EXPECT_EQ(k, nodes.size());
  }
}

TEST(StrandRecord, PiecesNameTheirTensions) {
  // A belt that grips two wheels has one more behind each of them.
  const ordered_json belt = describe_strands(load("belt-drive").system)[0];
  EXPECT_EQ(belt["closed"], true);
  EXPECT_EQ(belt["tensions"].dump(), R"([["belt_1","belt_2"],["belt_2","belt_3"]])");
  EXPECT_EQ(describe_pulleys(load("belt-drive").system).size(), 2u);
  const ordered_json tube = describe_strands(load("tube").system)[0];
  EXPECT_EQ(tube["nodes"][2]["kind"], "polyline");
  EXPECT_EQ(tube["nodes"][2]["material"], true);
  EXPECT_EQ(tube["nodes"][3]["material"], false);
  EXPECT_EQ(tube["tensions"][1][0], "continuous_1");
  EXPECT_EQ(tube["tensions"][2][0], "continuous_2");
}

TEST(StrandRecord, CurvesAreTensionsLengthsAndNodes) {
  const Scene scene = load("double-pulley");
  MotionTable strands, reactions;
  strands.times = reactions.times = {0, 1};
  strands.labels = scene.system.strands()->columns()[0].names;
  strands.values = MatX::Random(2, static_cast<Eigen::Index>(strands.labels.size()));
  reactions.labels = {"rope_1_tension"};
  reactions.values = MatX::Constant(2, 1, 5.0);
  const auto groups = strand_groups(scene.system, strands, &reactions);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].id, "strand-tension");
  ASSERT_EQ(groups[0].columns.size(), 1u);
  EXPECT_EQ(groups[0].columns[0].name, "rope_1");
  EXPECT_EQ(groups[0].columns[0].values, (std::vector<double>{5, 5}));
  EXPECT_EQ(groups[1].columns[0].quantity, "length");
  EXPECT_EQ(groups[2].columns.size(), 3u);
  // Without reactions it has none.
  EXPECT_EQ(strand_groups(scene.system, strands, nullptr)[0].id, "strand-length");
}

}  // namespace strand_record_test
}  // namespace sinew
