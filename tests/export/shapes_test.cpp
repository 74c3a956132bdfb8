#include <gtest/gtest.h>

#include <fstream>
#include <numbers>
#include <sstream>

#include "sinew/export/colors.hpp"
#include "sinew/export/moving_line.hpp"
#include "sinew/export/soft_modes.hpp"
#include "sinew/export/solid_mesh.hpp"
#include "support/source_dir.hpp"

/// Solids, tubes, soft surfaces and colours of exports.

namespace sinew {
namespace export_shapes_test {

double volume_of(const SolidMesh& mesh) {
  TriangleMesh plain;
  for (size_t k = 0; k < mesh.vertices.size(); k += 3)
    plain.vertices.emplace_back(mesh.vertices[k], mesh.vertices[k + 1], mesh.vertices[k + 2]);
  for (size_t k = 0; k < mesh.triangles.size(); k += 3)
    plain.triangles.push_back({mesh.triangles[k], mesh.triangles[k + 1], mesh.triangles[k + 2]});
  return plain.volume();
}

/// Normals have length 1 and point where the triangles face.
void expect_normals(const SolidMesh& mesh) {
  ASSERT_EQ(mesh.vertices.size(), mesh.normals.size());
  const auto at = [](const std::vector<double>& list, int k) {
    return Vec3(Eigen::Map<const Vec3>(&list[static_cast<size_t>(3 * k)]));
  };
  for (int k = 0; k < mesh.vertex_count(); ++k) EXPECT_NEAR(at(mesh.normals, k).norm(), 1, 1e-9);
  for (size_t t = 0; t < mesh.triangles.size(); t += 3) {
    const int* k = &mesh.triangles[t];
    const Vec3 a = at(mesh.vertices, k[0]);
    const Vec3 n = (at(mesh.vertices, k[1]) - a).cross(at(mesh.vertices, k[2]) - a);
    for (int i = 0; i < 3; ++i) EXPECT_GE(n.dot(at(mesh.normals, k[i])), 0);
  }
}

TEST(SolidMesh, HasTheVolumeOfItsShapeAndFacesOutward) {
  TriangleMesh corner;
  corner.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  corner.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const double pi = std::numbers::pi;
  const std::pair<DrawnForm, double> examples[] = {
      {Cuboid{{0.1, 0.2, 0.3}}, 0.006},
      {Sphere{0.1}, Sphere{0.1}.volume()},
      {Ellipsoid{{0.1, 0.2, 0.05}}, Ellipsoid{{0.1, 0.2, 0.05}}.volume()},
      {Cylinder{0.1, 0.4}, Cylinder{0.1, 0.4}.volume()},
      {Capsule{0.1, 0.4}, Capsule{0.1, 0.4}.volume()},
      {DrawnTorus{0.3, 0.05}, 2 * pi * pi * 0.3 * 0.05 * 0.05},
      {corner, 1.0 / 6}};
  for (const auto& [form, volume] : examples) {
    const SolidMesh mesh = solid_mesh(form);
    EXPECT_NEAR(volume_of(mesh), volume, 0.04 * volume) << form.index();
    expect_normals(mesh);
  }
  const SolidMesh bone = bone_mesh({1, 0, 0}, {1, -0.5, 0.1});
  expect_normals(bone);
  EXPECT_GT(volume_of(bone), 0);
}

/// Straight at first, then around a corner.
LineFrames bending() {
  LineFrames out = {{{0, 0, 0}, {0, 0, 0}, {0, 0.5, 0}}};
  for (int f = 1; f <= 10; ++f) out.push_back({{0, 0, 0}, {0.02 * f, 0.2, 0}, {0, 0.5, 0.01 * f}});
  return out;
}

TEST(MuscleTube, KeepsLengthAndVolume) {
  const LineFrames paths = bending();
  const DrawnBelly belly{MaterialMap::Uniform(0.2, 0.7), 1e-4};
  const MuscleTube tube(belly, paths, 1);
  const auto radii = tube.radii();
  ASSERT_EQ(tube.lines().size(), paths.size());
  for (size_t f = 0; f < paths.size(); ++f) {
    const std::vector<Vec3>& line = tube.lines()[f];
    EXPECT_EQ(line.size(), tube.lines()[0].size());
    EXPECT_NEAR(length_of(line), length_of(paths[f]), 1e-12);
    double content = 0, flesh = 0;
    for (size_t k = 0; k + 1 < line.size(); ++k) {
      const double length = (line[k + 1] - line[k]).norm();
      const double a = radii[f][k], b = radii[f][k + 1];
      if (!tube.fleshy(k)) continue;
      flesh += length;
      content += std::numbers::pi * 0.5 * length * (a * a + b * b - 2 * radii[f][0] * radii[f][0]);
    }
    EXPECT_NEAR(flesh, 0.5 * length_of(paths[f]), 1e-9);
    EXPECT_NEAR(content, 1e-4, 1e-7);
    EXPECT_LT(radii[f][0], 0.5 * radii[f][line.size() / 2]);
  }
}

TEST(MuscleTube, TakesPathsOfNoLength) {
  const LineFrames paths(3, std::vector<Vec3>(4, Vec3(1, 2, 3)));
  const MuscleTube tube({}, paths, 1);
  for (const auto& radii : tube.radii())
    for (const double r : radii) EXPECT_TRUE(std::isfinite(r) && r > 0);
}

TEST(MovingLine, CirclesLieAcrossAndDoNotSpin) {
  const LineFrames lines = bending();
  Vec3 side = Vec3::UnitX();
  std::vector<Eigen::Quaterniond> last;
  for (const std::vector<Vec3>& line : lines) {
    const std::vector<Eigen::Quaterniond> turns = across(line, side);
    const Vec3 ends[] = {(line[1] == line[0] ? line[2] : line[1]) - line[0], line[2] - line[1]};
    EXPECT_NEAR((turns[0] * Vec3::UnitZ()).dot(ends[0].normalized()), 1, 1e-12);
    EXPECT_NEAR((turns[2] * Vec3::UnitZ()).dot(ends[1].normalized()), 1, 1e-12);
    for (size_t k = 0; k < last.size(); ++k) EXPECT_LT(turns[k].angularDistance(last[k]), 0.3);
    last = turns;
  }
}

TEST(SoftModes, GiveEveryFrameBackWithFewShapes) {
  // Points that turn about an axis, and bend.
  MatX x(60, 40);
  for (Eigen::Index f = 0; f < x.cols(); ++f)
    for (Eigen::Index k = 0; k < 20; ++k) {
      const double a = 0.1 * static_cast<double>(f), s = 0.05 * static_cast<double>(k);
      x.block<3, 1>(3 * k, f) << s * std::cos(a), s * std::sin(a), 0.1 * s * s * std::sin(3 * a);
    }
  const SoftModes out = soft_modes(x, 1e-9, 100);
  EXPECT_EQ(out.modes.cols(), 3);
  EXPECT_LE(out.error, 1e-9);
  EXPECT_LE(out.weights.cwiseAbs().maxCoeff(), 1 + 1e-12);
  EXPECT_EQ(out.weights.col(0).norm(), 0);
  const MatX back = (out.modes * out.weights).colwise() + x.col(0);
  EXPECT_LT((back - x).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_GT(soft_modes(x, 1e-9, 1).error, 1e-3);
  EXPECT_EQ(soft_modes(x.leftCols(1), 1e-9, 100).modes.cols(), 0);
}

TEST(ExportColors, AreThoseOfThePage) {
  std::string page;
  for (const char* name : {"figure.ts", "flesh.ts", "deforming.ts", "lines.ts"}) {
    std::ifstream file(test::source_dir() + "/web/src/scene/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    page += text.str();
  }
  std::vector<Paint> paints = {paint(kFixedColor), paint(kMuscleColor), paint(kTendonColor),
                               paint(kSkinColor), body_paint(0, 1, true)};
  for (int k = 0; k < 5; ++k) paints.push_back(body_paint(k, 5, false));
  for (const char* kind : {"spring", "cable", "path", "strand"}) paints.push_back(line_paint(kind));
  for (const std::string& material : kMaterials)
    paints.push_back(shape_paint({.material = material, .color = {}, .opacity = 1}, {}));
  for (const Paint& p : paints) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%02x%02x%02x", static_cast<int>(255 * p.color[0] + 0.5),
                  static_cast<int>(255 * p.color[1] + 0.5),
                  static_cast<int>(255 * p.color[2] + 0.5));
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  const Paint glass = shape_paint({.material = "wood", .color = Vec3(1, 0, 0), .opacity = 0.5}, {});
  EXPECT_EQ(glass.color, Vec3(1, 0, 0));
  EXPECT_EQ(glass.opacity, 0.5);
  EXPECT_EQ(glass.roughness, 0.8);
}

}  // namespace export_shapes_test
}  // namespace sinew
