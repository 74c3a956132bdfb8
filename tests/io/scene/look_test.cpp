#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sinew/io/models/loaded_model.hpp"
#include "sinew/io/scene/scene.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace look_test {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

Scene scene_of(const std::string& body, const std::string& more = "",
               const fs::path& folder = test::source_dir() + "/scenes") {
  return parse_scene(R"({"sinew_scene": 1, )" + more +
                         R"("bodies": [{"name": "b", "parent": "world",
    "joint": {"type": "spherical"}, "inertia": {"mass": 1, "moments": [1, 1, 1]}, )" +
                         body + "}]}",
                     "scene", folder);
}

const TriangleMesh& mesh_of(const ShapePart& part) { return std::get<TriangleMesh>(part.shape); }

TEST(Look, IsDrawnInPlaceOfTheShapes) {
  const Scene scene = scene_of(
      R"("shapes": [{"type": "sphere", "radius": 0.1}],
         "look": [{"type": "cuboid", "sides": [1, 2, 3], "placement": [0, 1, 0], "material": "wood",
                   "color": [0.1, 0.2, 0.3], "opacity": 0.5}, {"type": "sphere", "radius": 0.2}])",
      R"("look": [{"type": "ellipsoid", "radii": [1, 1, 2], "material": "stone"}], )");
  ASSERT_EQ(scene.shapes[0].size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Sphere>(scene.shapes[0][0].shape));
  ASSERT_EQ(scene.drawn[0].size(), 2u);
  const ShapePart& box = scene.drawn[0][0];
  EXPECT_EQ(std::get<Cuboid>(box.shape).sides, Vec3(1, 2, 3));
  EXPECT_EQ(box.E_BS.p, Vec3(0, 1, 0));
  EXPECT_EQ(box.appearance.material, "wood");
  EXPECT_EQ(box.appearance.color, std::optional(Vec3(0.1, 0.2, 0.3)));
  EXPECT_EQ(box.appearance.opacity, 0.5);
  EXPECT_EQ(scene.drawn[0][1].appearance.color, std::nullopt);
  ASSERT_EQ(scene.fixed.size(), 1u);
  EXPECT_EQ(scene.fixed[0].appearance.material, "stone");
}

TEST(Look, IsThatOfTheShapesWithoutOne) {
  const Scene scene =
      scene_of(R"("shapes": [{"type": "sphere", "radius": 0.1, "material": "metal"}])");
  ASSERT_EQ(scene.drawn[0].size(), 1u);
  EXPECT_EQ(scene.drawn[0][0].appearance.material, "metal");
  EXPECT_TRUE(scene.fixed.empty());
}

TEST(Look, ScalesMeshesAlongEachAxisAndMirrorsThem) {
  const auto bone = [](const std::string& scale) {
    return scene_of(R"("look": [{"type": "mesh", "file": "bones/patella_r.obj", "scale": )" +
                    scale + "}]");
  };
  const Scene plain = bone("1"), scaled = bone("[2, 3, -1]");
  const TriangleMesh &a = mesh_of(plain.drawn[0][0]), &b = mesh_of(scaled.drawn[0][0]);
  EXPECT_EQ(b.vertices[5], a.vertices[5].cwiseProduct(Vec3(2, 3, -1)));
  EXPECT_GT(volume(plain.drawn[0][0].shape), 0);
  // The triangles still look outwards.
  EXPECT_NEAR(volume(scaled.drawn[0][0].shape), 6 * volume(plain.drawn[0][0].shape), 1e-12);
}

class LookInAnyFolder : public ::testing::Test {
 protected:
  LookInAnyFolder() { fs::create_directories(folder_ / "scenes"); }
  ~LookInAnyFolder() override { fs::remove_all(folder_); }
  std::string problem(const std::string& file) const {
    try {
      scene_of(R"("look": [{"type": "mesh", "file": ")" + file + R"("}])", "", folder_ / "scenes");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  const fs::path folder_ =
      fs::temp_directory_path() / (std::string("sinew_look_test_") +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(LookInAnyFolder, TakesBonesBesideTheScenes) {
  fs::create_directories(folder_ / "models/bones");
  fs::copy(test::source_dir() + "/models/bones/patella_r.obj", folder_ / "models/bones/own.obj");
  EXPECT_EQ(problem("bones/own.obj"), "");
  EXPECT_THAT(problem("other/own.obj"), HasSubstr("own.obj"));
  EXPECT_THAT(problem("bones/deeper/own.obj"), HasSubstr("own.obj"));
  EXPECT_THAT(problem("bones/../own.obj"), HasSubstr("leaves the scene's folder"));
}

TEST_F(LookInAnyFolder, FollowsNoLinkOutOfThem) {
  fs::create_directories(folder_ / "models/bones");
  fs::create_symlink(test::source_dir() + "/models/bones/patella_r.obj",
                     folder_ / "models/bones/link.obj");
  EXPECT_THAT(problem("bones/link.obj"), HasSubstr("link.obj"));
}

TEST_F(LookInAnyFolder, PrefersTheScenesOwnFile) {
  fs::create_directories(folder_ / "scenes/bones");
  std::ofstream(folder_ / "scenes/bones/patella_r.obj") << "v 0 0 0\n";
  EXPECT_NE(problem("bones/patella_r.obj"), "");
}

TEST(Look, GivesOurLegItsBones) {
  const LoadedModel leg = load_model(test::source_dir() + "/models/leg/leg.osim");
  ASSERT_EQ(leg.look.geometry.size(), 10u);
  for (const OsimGeometry& bone : leg.look.geometry) {
    EXPECT_FALSE(bone.path.empty()) << bone.file;
    if (bone.name == "patella_r") {
      EXPECT_EQ(bone.body, "tibia_r");
      EXPECT_EQ(bone.E_BG.p, Vec3(0.042, 0.004, 0));
    }
  }
}

}  // namespace look_test
}  // namespace sinew
