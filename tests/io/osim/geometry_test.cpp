#include "sinew/io/osim/geometry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numbers>

#include "sinew/core/error.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/math/so3.hpp"
#include "small_models.hpp"
#include "support/reference.hpp"

namespace sinew {
namespace geometry_test {

using test::osim_body;
using test::osim_document;
using test::osim_joint;
using test::osim_set;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = OsimGeometry::Kind;

/// A body on a pin that draws something, with an offset frame that does, too.
std::string drawn_model(const std::string& shapes, const std::string& on_frame = "") {
  return osim_document(
      "<Ground name=\"ground\"><attached_geometry><Mesh name=\"floor\"><mesh_file>floor.obj"
      "</mesh_file></Mesh></attached_geometry></Ground>" +
      osim_set(
          "BodySet",
          osim_body("arm", "<components><PhysicalOffsetFrame name=\"grip\"><attached_geometry>" +
                               on_frame +
                               "</attached_geometry><socket_parent>..</socket_parent>"
                               "<translation>0 0 3</translation></PhysicalOffsetFrame>"
                               "</components><attached_geometry>" +
                               shapes + "</attached_geometry>")) +
      osim_set("JointSet", osim_joint("PinJoint", "pin", "/ground", "/bodyset/arm")));
}

TEST(OsimGeometry, MeshesHaveFileScaleAndLook) {
  const OsimModel model = parse_osim(
      drawn_model(
          "<Mesh name=\"bone\"><socket_frame>..</socket_frame><scale_factors>1 2 3"
          "</scale_factors><Appearance><visible>false</visible><opacity>0.5</opacity><color>"
          "1 0.5 0</color></Appearance><mesh_file>bone.vtp</mesh_file></Mesh>",
          "<Mesh name=\"tool\"><mesh_file>tools/tool.stl</mesh_file></Mesh>"),
      "m");
  ASSERT_EQ(model.geometry.size(), 3u);
  std::map<std::string, OsimGeometry> by_name;
  for (const OsimGeometry& g : model.geometry) by_name[g.name] = g;
  const OsimGeometry& bone = by_name.at("bone");
  EXPECT_EQ(bone.kind, Kind::mesh);
  EXPECT_EQ(bone.body, "arm");
  EXPECT_EQ(bone.file, "bone.vtp");
  EXPECT_EQ(bone.scale, Vec3(1, 2, 3));
  EXPECT_EQ(bone.color, Vec3(1, 0.5, 0));
  EXPECT_EQ(bone.opacity, 0.5);
  EXPECT_FALSE(bone.visible);
  EXPECT_TRUE(by_name.at("tool").visible);
  EXPECT_EQ(by_name.at("tool").E_BG.p, Vec3(0, 0, 3));
  EXPECT_EQ(by_name.at("tool").body, "arm");
  EXPECT_EQ(by_name.at("floor").body, "ground");
  EXPECT_TRUE(model.unsupported.empty());
}

TEST(OsimGeometry, EveryShapeIsRead) {
  const OsimModel model = parse_osim(
      drawn_model(
          "<Brick><half_lengths>1 2 3</half_lengths></Brick><Sphere><radius>0.2</radius></Sphere>"
          "<Ellipsoid><radii>3 2 1</radii></Ellipsoid><Cylinder><radius>0.1</radius><half_height>"
          "0.4</half_height></Cylinder><Cone><origin>0 1 0</origin><direction>0 0 2</direction>"
          "<base_radius>0.3</base_radius><height>0.7</height></Cone><Torus><ring_radius>0.5"
          "</ring_radius><cross_section>0.05</cross_section></Torus><LineGeometry><start_point>1 0 "
          "0</start_point><end_point>1 2 0</end_point></LineGeometry><Arrow><direction>0 4 0"
          "</direction><length>3</length></Arrow><SomethingElse/>"),
      "m");
  std::map<Kind, OsimGeometry> by_kind;
  for (const OsimGeometry& g : model.geometry)
    if (g.body == "arm") {
      EXPECT_TRUE(by_kind.emplace(g.kind, g).second);
    }
  ASSERT_EQ(by_kind.size(), 8u);
  EXPECT_EQ(by_kind[Kind::brick].size, Vec3(1, 2, 3));
  EXPECT_EQ(by_kind[Kind::sphere].size.x(), 0.2);
  EXPECT_EQ(by_kind[Kind::ellipsoid].size, Vec3(3, 2, 1));
  EXPECT_EQ(by_kind[Kind::cylinder].size, Vec3(0.1, 0.4, 0));
  EXPECT_EQ(by_kind[Kind::cone].size, Vec3(0.3, 0.7, 0));
  EXPECT_EQ(by_kind[Kind::cone].E_BG.p, Vec3(0, 1, 0));
  EXPECT_LT((by_kind[Kind::cone].E_BG.R.col(1) - Vec3::UnitZ()).norm(), 1e-14);  // its axis
  EXPECT_EQ(by_kind[Kind::torus].size, Vec3(0.5, 0.05, 0));
  EXPECT_EQ(by_kind[Kind::line].size, Vec3(0, 2, 0));
  EXPECT_EQ(by_kind[Kind::line].E_BG.p, Vec3(1, 0, 0));
  EXPECT_LT((by_kind[Kind::arrow].size - Vec3(0, 3, 0)).norm(), 1e-14);
}

TEST(OsimGeometry, FramesOfTheGroundCarryShapesAndThoseThatAreNowhereAreAWarning) {
  const auto model_with = [](const std::string& parent) {
    return osim_document(
        "<Ground name=\"ground\"><components><PhysicalOffsetFrame name=\"mat\"><attached_geometry>"
        "<Sphere><radius>0.1</radius></Sphere></attached_geometry><socket_parent>" +
        parent +
        "</socket_parent><translation>0 1 0</translation></PhysicalOffsetFrame></components>"
        "</Ground>" +
        osim_set("BodySet", osim_body("arm")) +
        osim_set("JointSet", osim_joint("PinJoint", "pin", "/ground", "/bodyset/arm")));
  };
  const OsimModel model = parse_osim(model_with(".."), "m");
  ASSERT_EQ(model.geometry.size(), 1u);
  EXPECT_EQ(model.geometry[0].body, "ground");
  EXPECT_EQ(model.geometry[0].E_BG.p, Vec3(0, 1, 0));
  EXPECT_TRUE(model.warnings.empty());
  const OsimModel lost = parse_osim(model_with("/bodyset/leg"), "m");
  EXPECT_TRUE(lost.geometry.empty());
  EXPECT_THAT(lost.warnings, ElementsAre(HasSubstr("are not drawn")));
}

TEST(OsimGeometry, VersionThreeHasVisibleObjects) {
  const std::string body =
      "<Body name=\"arm\"><mass>1</mass><mass_center>0 0 0</mass_center><inertia_xx>1</inertia_xx>"
      "<inertia_yy>1</inertia_yy><inertia_zz>1</inertia_zz><Joint><PinJoint name=\"pin\">"
      "<parent_body>ground</parent_body></PinJoint></Joint><VisibleObject><GeometrySet><objects>"
      "<DisplayGeometry><geometry_file>bone.vtp</geometry_file><color>1 0 0</color><transform>"
      "1.5707963267948966 0 0 0 0 1</transform><scale_factors>2 2 2</scale_factors>"
      "<display_preference>0</display_preference><opacity>0.25</opacity></DisplayGeometry>"
      "</objects></GeometrySet><scale_factors>1 3 1</scale_factors><transform>0 0 0 0 5 0"
      "</transform></VisibleObject></Body>";
  const OsimModel model = parse_osim(osim_document(osim_set("BodySet", body), 30000), "m");
  ASSERT_EQ(model.geometry.size(), 1u);
  const OsimGeometry& g = model.geometry[0];
  EXPECT_EQ(g.file, "bone.vtp");
  EXPECT_EQ(g.scale, Vec3(2, 6, 2));
  EXPECT_EQ(g.E_BG.p, Vec3(0, 5, 1));
  EXPECT_LT((g.E_BG.R - rotation_about(Vec3::UnitX(), std::numbers::pi / 2)).norm(), 1e-14);
  EXPECT_EQ(g.color, Vec3(1, 0, 0));
  EXPECT_EQ(g.opacity, 0.25);
  EXPECT_FALSE(g.visible);
}

TEST(OsimGeometry, LinksToOtherFoldersAreNotFollowed) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(::testing::TempDir()) / "sinew_mesh_links";
  fs::remove_all(root);
  fs::create_directories(root / "model" / "Geometry");
  std::ofstream(root / "secret.vtp") << "x";
  std::ofstream(root / "model" / "own.vtp") << "x";
  fs::create_symlink(root / "secret.vtp", root / "model" / "Geometry" / "bone.vtp");
  fs::create_symlink("own.vtp", root / "model" / "alias.vtp");
  EXPECT_EQ(find_osim_mesh("bone.vtp", root / "model" / "m.osim", {}), "");
  EXPECT_EQ(find_osim_mesh("alias.vtp", root / "model" / "m.osim", {}), root / "model/alias.vtp");
  fs::remove_all(root);
}

/// A separate folder with a model in it.
class ModelFolder {
 public:
  ModelFolder()
      : path_(std::filesystem::path(::testing::TempDir()) /
              (std::string("sinew_geometry_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_ / "Geometry");
    std::filesystem::create_directories(path_ / "elsewhere");
    const auto mesh = [](const std::string& file) {
      return "<Mesh name=\"" + file + "\"><mesh_file>" + file + "</mesh_file></Mesh>";
    };
    std::ofstream(path_ / "m.osim")
        << drawn_model(mesh("beside.vtp") + mesh("in_folder.vtp") + mesh("elsewhere.stl") +
                       mesh("some/where/beside.vtp") + mesh("nowhere.vtp"));
    for (const char* file : {"beside.vtp", "Geometry/in_folder.vtp", "elsewhere/elsewhere.stl"})
      std::ofstream(path_ / file) << "x";
  }
  ~ModelFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(OsimGeometry, MeshesAreLookedForBesideTheModelInGeometryAndInTheSearchPath) {
  const ModelFolder folder;
  const auto found = [](const OsimModel& model, const std::string& name) {
    for (const OsimGeometry& g : model.geometry)
      if (g.name == name) return g.path;
    return std::filesystem::path("no such shape");
  };
  const OsimModel model = load_osim(folder.path() / "m.osim");
  EXPECT_EQ(found(model, "beside.vtp"), folder.path() / "beside.vtp");
  EXPECT_EQ(found(model, "in_folder.vtp"), folder.path() / "Geometry/in_folder.vtp");
  EXPECT_EQ(found(model, "some/where/beside.vtp"), folder.path() / "beside.vtp");
  EXPECT_TRUE(found(model, "elsewhere.stl").empty());
  // One line for all three: the mesh of the ground is nowhere, too.
  EXPECT_THAT(model.warnings, ElementsAre(HasSubstr("3 of 6 mesh files are not found")));

  OsimOptions options;
  options.geometry_folders = {folder.path() / "elsewhere"};
  EXPECT_EQ(found(load_osim(folder.path() / "m.osim", options), "elsewhere.stl"),
            folder.path() / "elsewhere/elsewhere.stl");
  const std::string variable = "/nowhere::" + (folder.path() / "elsewhere").string();
  setenv("SINEW_GEOMETRY_PATH", variable.c_str(), 1);
  EXPECT_EQ(found(load_osim(folder.path() / "m.osim"), "elsewhere.stl"),
            folder.path() / "elsewhere/elsewhere.stl");
  unsetenv("SINEW_GEOMETRY_PATH");
}

TEST(OsimGeometry, TheReferenceModelsNameTheirMeshes) {
  SINEW_NEEDS_REFERENCE();
  const auto folder = *test::reference_dir() / "opensim/models";
  const OsimModel arm = load_osim(folder / "arm26.osim");
  EXPECT_EQ(arm.geometry.size(), 36u);
  EXPECT_EQ(arm.geometry[0].file, "ground_ribs.vtp");
  EXPECT_GT(load_osim(folder / "gait10dof18musc_subject01_v30000.osim").geometry.size(), 10u);
}

TEST(OsimGeometry, ContactShapesAreReadAndOthersCounted) {
  const OsimModel model = parse_osim(
      test::pin_model(osim_set(
          "ContactGeometrySet",
          "<ContactSphere name=\"heel\"><socket_frame>/bodyset/arm</socket_frame><location>"
          "0.1 0.2 0.3</location><radius>0.04</radius></ContactSphere><ContactHalfSpace "
          "name=\"floor\"><socket_frame>/ground</socket_frame><orientation>0 0 "
          "-1.5707963267948966</orientation></ContactHalfSpace><ContactMesh name=\"sole\">"
          "<socket_frame>/bodyset/arm</socket_frame><filename>sole.obj</filename>"
          "</ContactMesh><ContactTorus name=\"ring\"/>")),
      "m");
  ASSERT_EQ(model.contact_geometry.size(), 3u);
  EXPECT_EQ(model.contact_geometry[0].radius, 0.04);
  EXPECT_EQ(model.contact_geometry[0].E_BG.p, Vec3(0.1, 0.2, 0.3));
  EXPECT_LT((model.contact_geometry[1].E_BG.R.col(0) + Vec3::UnitY()).norm(), 1e-14);
  EXPECT_EQ(model.contact_geometry[2].file, "sole.obj");
  EXPECT_EQ(model.unsupported, (std::map<std::string, int>{{"ContactTorus", 1}}));
}

}  // namespace geometry_test
}  // namespace sinew
