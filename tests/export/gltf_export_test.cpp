#include "sinew/export/gltf_export.hpp"

#include <numbers>

#include "export/glb_reader.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/report/report_frame.hpp"

namespace sinew {
namespace gltf_export_test {

/// A body on a hinge, with a spring of its own and a muscle, under gravity along −z.
System hinged() {
  BodySpec body;
  body.name = "shank";
  body.joint = Revolute{Vec3::UnitX()};
  body.M_B = SpatialInertia::FromCentral(1, {0, 0, -0.2}, 0.01 * Mat3::Identity());
  Muscle muscle;
  muscle.name = "soleus";
  muscle.mass = 0.3;
  muscle.points = {PathPoint::Fixed(kWorld, {0.1, 0, 0.5}),
                   PathPoint::Fixed(BodyIndex{0}, {0.1, 0, -0.3})};
  return SystemBuilder(SkeletonBuilder().add_body(body).build())
      .set_gravity({0, 0, -9.81})
      .add_muscle(muscle)
      .build();
}

/// Around more than once, so that signs of quaternions matter.
ReportMotion turning(int rows) {
  ReportMotion out;
  for (int k = 0; k < rows; ++k) {
    out.t.push_back(-0.5 + 0.1 * k);
    out.q.push_back(VecX::Constant(1, 0.4 * k));
    out.qdot.push_back(VecX::Zero(1));
  }
  return out;
}

struct Exported {
  System system = hinged();
  ModelLook look;
  ExportFrames frames;
  std::vector<std::string> notes;

  test::Glb glb(int rows) {
    look.shapes = {{{Cuboid{{0.1, 0.1, 0.4}}, Pose::Translation({0, 0, -0.2})}}};
    look.shapes[0][0].appearance = {"wood", Vec3(1, 0.5, 0), 0.25};
    look.fixed = {{Sphere{0.05}, {}}};
    const ReportMotion motion = turning(rows);
    std::vector<size_t> all;
    for (size_t k = 0; k < motion.t.size(); ++k) all.push_back(k);
    frames = export_frames(system, motion, all, {});
    return test::Glb(gltf_bytes({system, look, "leg", "A leg", ""}, frames, "leg.glb", notes));
  }
};

TEST(GltfExport, HasBodiesShapesAndMusclesWithTheirMotion) {
  Exported out;
  const test::Glb glb = out.glb(21);
  EXPECT_TRUE(out.notes.empty());
  const auto& nodes = glb.json["nodes"];
  // The root turns z, which is up here, to y.
  const std::vector<double> turn = nodes[0]["rotation"];
  const Vec3 up = Eigen::Quaterniond(turn[3], turn[0], turn[1], turn[2]) * Vec3::UnitZ();
  EXPECT_NEAR((up - Vec3::UnitY()).norm(), 0, 1e-12);
  EXPECT_EQ(nodes[0]["extras"]["start"], -0.5);
  ASSERT_NE(glb.find_node("world_shape_1"), nullptr);
  const auto* shape = glb.find_node("shank_shape_1");
  ASSERT_NE(shape, nullptr);
  EXPECT_EQ((*shape)["translation"][2], -0.2);
  const auto& mesh = glb.json["meshes"][(*shape)["mesh"].get<size_t>()];
  const auto& material = glb.json["materials"][mesh["primitives"][0]["material"].get<size_t>()];
  EXPECT_EQ(material["alphaMode"], "BLEND");
  const auto& color = material["pbrMetallicRoughness"]["baseColorFactor"];
  EXPECT_EQ(color[0], 1);
  EXPECT_NEAR(color[1].get<double>(), 0.2140, 1e-4) << "linear";
  EXPECT_EQ(color[3], 0.25);

  const auto* muscle = glb.find_node("soleus");
  ASSERT_NE(muscle, nullptr);
  const size_t points = (*muscle)["extras"]["points"];
  EXPECT_GE(points, 12u);
  const auto& skin = glb.json["skins"][(*muscle)["skin"].get<size_t>()];
  ASSERT_EQ(skin["joints"].size(), points);
  EXPECT_EQ(glb.read(skin["inverseBindMatrices"]).size(), 16 * points);

  const auto& animation = glb.json["animations"][0];
  bool turned = false;
  std::vector<double> length(21, 0);
  std::vector<Vec3> last(21);
  for (size_t k = 0; k < points; ++k) {
    const size_t joint = skin["joints"][k];
    std::vector<double> x;
    for (const auto& channel : animation["channels"])
      if (channel["target"]["node"] == joint && channel["target"]["path"] == "translation")
        x = glb.read(animation["samplers"][channel["sampler"].get<size_t>()]["output"]);
    for (size_t f = 0; f < 21; ++f) {
      const double* at = x.empty() ? nullptr : &x[3 * f];
      const std::vector<double> still = nodes[joint]["translation"];
      const Vec3 place = at ? Vec3(at[0], at[1], at[2]) : Vec3(still[0], still[1], still[2]);
      if (k > 0) length[f] += (place - last[f]).norm();
      last[f] = place;
    }
  }
  for (size_t f = 0; f < 21; ++f) EXPECT_NEAR(length[f], length_of(out.frames.muscles[0][f]), 1e-6);
  for (const auto& channel : animation["channels"]) {
    const std::vector<double> t =
        glb.read(animation["samplers"][channel["sampler"].get<size_t>()]["input"]);
    EXPECT_EQ(t.front(), 0);
    if (nodes[channel["target"]["node"].get<size_t>()]["name"] != "shank") continue;
    EXPECT_EQ(channel["target"]["path"], "rotation") << "its place is constant";
    turned = true;
    const std::vector<double> q =
        glb.read(animation["samplers"][channel["sampler"].get<size_t>()]["output"]);
    for (size_t f = 1; f < t.size(); ++f) {
      double dot = 0;
      for (size_t c = 0; c < 4; ++c) dot += q[4 * f + c] * q[4 * f - 4 + c];
      EXPECT_GT(dot, 0.9) << "the short way";
    }
  }
  EXPECT_TRUE(turned);
}

TEST(GltfExport, OneRowIsAPictureWithoutMotion) {
  Exported out;
  const test::Glb glb = out.glb(1);
  EXPECT_FALSE(glb.json.contains("animations"));
  EXPECT_NE(glb.find_node("shank"), nullptr);
}

TEST(GltfExport, WithoutGravityNothingIsTurned) {
  EXPECT_EQ(upright(Vec3::Zero()).coeffs(), Eigen::Quaterniond::Identity().coeffs());
  EXPECT_EQ(upright({0, -9.8, 0}).coeffs(), Eigen::Quaterniond::Identity().coeffs());
  EXPECT_NEAR((upright({0, 3, 0}) * Vec3(0, -1, 0) - Vec3(0, 1, 0)).norm(), 0, 1e-12);
}

}  // namespace gltf_export_test
}  // namespace sinew
