#include "sinew/export/gltf_file.hpp"

#include "export/glb_reader.hpp"

namespace sinew {
namespace gltf_file_test {

using Json = GltfFile::Json;

TEST(GltfFile, KeepsNumbersAlignedAndBounded) {
  GltfFile file;
  const int node = file.add_node({{"name", "root"}});
  const std::vector<double> corners = {0, 0, 0, 1, 0, 0, 0, 2, -3.3};
  const std::vector<int> triangle = {0, 1, 2};
  const int position = file.vertices(corners), indices = file.triangles(triangle);
  const int material = file.add_material({{"name", "plain"}});
  EXPECT_EQ(file.add_material({{"name", "plain"}}), material);
  EXPECT_EQ(file.vertices(corners), position);
  const Json primitive = {{"attributes",
                           {{"POSITION", position},
                            {"JOINTS_0", file.joints(triangle)},
                            {"WEIGHTS_0", file.weights(3)}}},
                          {"indices", indices},
                          {"material", material}};
  file.node(node)["mesh"] = file.add_mesh({{"primitives", Json::array({primitive})}});
  const std::vector<double> t = {0, 0.5}, x = {1, 2, 3, 4, 5, 6};
  file.animate(node, "translation", file.times(t), file.values(x, 3));
  const test::Glb glb(file.bytes({{"version", "2.0"}}, "run", "a.glb"));
  EXPECT_EQ(glb.json["asset"]["version"], "2.0");
  EXPECT_EQ(glb.json["scenes"][0]["nodes"], nlohmann::json::array({0}));
  EXPECT_EQ(glb.read(static_cast<size_t>(indices)), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(glb.json["accessors"][0]["min"][2].get<float>(), -3.3f);
  const auto& sampler = glb.json["animations"][0]["samplers"][0];
  EXPECT_EQ(glb.read(sampler["output"]), x);
  EXPECT_EQ(sampler["interpolation"], "LINEAR");
}

TEST(GltfFile, TakesWideIndicesWhereVerticesAreMany) {
  GltfFile file;
  file.add_node({{"name", "root"}});
  const std::vector<int> wide = {0, 1, 65535};
  const int k = file.triangles(wide);
  const test::Glb glb(file.bytes({{"version", "2.0"}}, "run", "a.glb"));
  EXPECT_EQ(glb.json["accessors"][static_cast<size_t>(k)]["componentType"], 5125);
  EXPECT_EQ(glb.read(static_cast<size_t>(k))[2], 65535);
}

}  // namespace gltf_file_test
}  // namespace sinew
