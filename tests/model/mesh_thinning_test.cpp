#include "sinew/model/mesh_thinning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace sinew {
namespace mesh_thinning_test {

/// A ball of 2 × rows × columns triangles, with poles that are rings of tiny ones.
TriangleMesh ball(int rows, int columns) {
  TriangleMesh out;
  for (int i = 0; i <= rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const double a = std::numbers::pi * (i + 1e-3) / (rows + 2e-3);
      const double b = 2 * std::numbers::pi * j / columns;
      out.vertices.emplace_back(std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a));
    }
  const auto at = [&](int i, int j) { return i * columns + j % columns; };
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      out.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      out.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return out;
}

TEST(MeshThinning, LeavesAtMostTheTrianglesAskedForAndTheShape) {
  const TriangleMesh fine = ball(80, 120);
  for (const size_t most : {4000u, 1000u, 300u}) {
    const TriangleMesh coarse = thinned(fine, most);
    EXPECT_LE(coarse.triangles.size(), most);
    EXPECT_GT(coarse.triangles.size(), most / 6) << "not more is lost than needs be";
    // Cells of the grid are at most 1.25 × √12/√(most/6) wide; a middle of points of a sphere is
    // less than width²/2 · 3/4 below it.
    const double width = 1.25 * std::sqrt(12.0 * 6 / static_cast<double>(most));
    for (const Vec3& x : coarse.vertices) {
      EXPECT_LE(x.norm(), 1 + 1e-12);
      EXPECT_GE(x.norm(), 1 - 0.375 * width * width);
    }
    // Facing outward still: the volume inside is nearly that of the ball, 4π/3.
    EXPECT_NEAR(coarse.volume(), 4.19, 0.7 * width * width * 4.19 + 0.02);
  }
}

TEST(MeshThinning, SmallMeshesStayAsTheyAre) {
  const TriangleMesh small = ball(6, 8);
  const TriangleMesh same = thinned(small, 96);
  EXPECT_EQ(same.triangles, small.triangles);
  EXPECT_EQ(same.vertices, small.vertices);
}

}  // namespace mesh_thinning_test
}  // namespace sinew
