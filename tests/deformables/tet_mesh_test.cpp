#include "sinew/deformables/tet_mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sinew/core/error.hpp"
#include "support/soft_examples.hpp"

namespace sinew {
namespace tet_mesh_test {

std::string refusal(const TetMesh& mesh) {
  try {
    mesh.validate("mesh 'm'");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(TetMesh, AcceptsASoundBlockAndKnowsItsVolumeAndBoundary) {
  const TetMesh mesh = test::block_mesh(3, 2, 2, {0.3, 0.2, 0.4});
  EXPECT_EQ(refusal(mesh), "");
  EXPECT_NEAR(mesh.volume(), 0.024, 1e-15);
  TriangleMesh skin{mesh.vertices, mesh.boundary()};
  EXPECT_EQ(skin.triangles.size(), 2u * 2 * (3 * 2 + 3 * 2 + 2 * 2));
  EXPECT_NEAR(skin.volume(), 0.024, 1e-15);  // closed, facing outward
}

TEST(TetMesh, NamesInvertedDegenerateAndDanglingElements) {
  TetMesh mesh = test::block_mesh(1, 1, 1, {1, 1, 1});
  std::swap(mesh.tetrahedra[2][0], mesh.tetrahedra[2][1]);
  EXPECT_NE(refusal(mesh).find("tetrahedron 3"), std::string::npos);
  EXPECT_NE(refusal(mesh).find("inverted"), std::string::npos);
  mesh = test::block_mesh(1, 1, 1, {1, 1, 1});
  mesh.tetrahedra.push_back({0, 1, 2, 3});  // a flat one
  EXPECT_NE(refusal(mesh).find("tetrahedron 7 (vertices 1, 2, 3, 4) is degenerate"),
            std::string::npos);
  mesh = test::block_mesh(1, 1, 1, {1, 1, 1});
  mesh.tetrahedra[0][3] = 8;
  EXPECT_NE(refusal(mesh).find("vertex 9, but there are 8"), std::string::npos);
  mesh = test::block_mesh(1, 1, 1, {1, 1, 1});
  mesh.vertices.push_back({2, 2, 2});
  EXPECT_NE(refusal(mesh).find("vertex 9 belongs to no tetrahedron"), std::string::npos);
  mesh.vertices.back().x() = std::nan("");
  EXPECT_NE(refusal(mesh).find("vertex 9 is at"), std::string::npos);
  EXPECT_NE(refusal(TetMesh{}).find("no tetrahedra"), std::string::npos);
}

TEST(TetMesh, NamesTears) {
  // Two blocks whose faces lie on each other, their vertices given twice.
  TetMesh mesh = test::block_mesh(1, 1, 1, {1, 1, 1}), other = mesh;
  for (Vec3& x : other.vertices) x.x() += 1;
  for (auto tet : other.tetrahedra) {
    for (int& v : tet) v += 8;
    mesh.tetrahedra.push_back(tet);
  }
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  EXPECT_NE(refusal(mesh).find("torn: vertices 2 and 9"), std::string::npos);
  for (size_t i = 8; i < 16; ++i) mesh.vertices[i].x() += 0.5;  // apart
  EXPECT_NE(refusal(mesh).find("torn: no faces join tetrahedron 7"), std::string::npos);
}

TEST(TetMesh, NamesTetrahedraInTheSamePlace) {
  TetMesh mesh = test::block_mesh(3, 1, 1, {3, 1, 1});
  // Fold the last cell back through the one before: still right-handed, in one piece.
  TetMesh folded = test::block_mesh(1, 1, 1, {1, 1, 1});
  for (Vec3& x : folded.vertices) x = Vec3(3.4 - 0.5 * x.x(), 0.5 * x.y(), 1 - 0.5 * x.z());
  const int base = static_cast<int>(mesh.vertices.size());
  for (const Vec3& x : folded.vertices) mesh.vertices.push_back(x);
  for (auto tet : folded.tetrahedra) {
    for (int& v : tet) v += base;
    mesh.tetrahedra.push_back(tet);
  }
  // Join it by one bridging tetrahedron so that only the overlap is wrong.
  EXPECT_FALSE(refusal(mesh).empty());
  TetMesh two{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, 0.4}},
              {{0, 1, 2, 3}, {0, 1, 2, 4}}};  // both on the same side of their common face
  EXPECT_NE(refusal(two).find("intersects itself: tetrahedra 1 and 2 overlap"), std::string::npos);
}

TEST(TetMesh, NamesAFaceOfThree) {
  TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0.1, 0.1, 2}},
               {{0, 1, 2, 3}, {0, 2, 1, 4}, {0, 1, 2, 5}}};
  EXPECT_NE(refusal(mesh).find("share the face of vertices 1, 2, 3"), std::string::npos);
}

TEST(Lattice, FillsABallSoundlyAndHoldsIt) {
  // An octahedron's faces split three times and blown up: 66+ vertices on the unit sphere.
  TriangleMesh ball;
  ball.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  ball.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                    {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int split = 0; split < 3; ++split) {
    std::vector<std::array<int, 3>> finer;
    std::map<std::pair<int, int>, int> middle;
    const auto between = [&](int a, int b) {
      const auto [it, fresh] = middle.try_emplace(std::minmax(a, b), int(ball.vertices.size()));
      if (fresh) ball.vertices.push_back((ball.vertices[a] + ball.vertices[b]).normalized());
      return it->second;
    };
    for (const auto& [a, b, c] : ball.triangles) {
      const int ab = between(a, b), bc = between(b, c), ca = between(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    ball.triangles = finer;
  }
  for (const double spacing : {0.9, 0.4, 0.21}) {
    const TetMesh mesh = lattice_around(ball, {spacing, 0.8 * spacing, spacing}, "ball");
    EXPECT_EQ(refusal(mesh), "") << spacing;
    // Never less than the ball, and not more than a shell of one cell beyond it.
    EXPECT_GT(mesh.volume(), ball.volume());
    EXPECT_LT(mesh.volume(), std::pow(2 + 2 * std::sqrt(3.0) * spacing, 3) * 0.53);
    for (const EmbeddedPoint& p : embed(mesh, ball.vertices, "ball"))
      EXPECT_GE(p.weights.minCoeff(), -1e-12);
  }
  EXPECT_THROW(lattice_around(ball, {0.001, 0.001, 0.001}, "ball"), Error);
  EXPECT_THROW(lattice_around(ball, {0, 1, 1}, "ball"), Error);
  ball.triangles.pop_back();
  EXPECT_THROW(lattice_around(ball, {1, 1, 1}, "ball"), Error);
}

/// Two blocks as one surface.
TriangleMesh both(const TriangleMesh& a, const TriangleMesh& b) {
  TriangleMesh out = a;
  const int first = static_cast<int>(a.vertices.size());
  out.vertices.insert(out.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& t : b.triangles)
    out.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return out;
}

TEST(Lattice, RefusesSurfacesThatPassThroughThemselves) {
  const TriangleMesh block = test::block_surface({0, 0, 0}, {1, 1, 1});
  const auto refusal_of = [&](const TriangleMesh& other) -> std::string {
    try {
      lattice_around(both(block, other), {0.1, 0.1, 0.1}, "surface 's'");
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal_of(test::block_surface({1.2, 0, 0}, {2, 1, 1})), "");  // apart
  EXPECT_EQ(refusal_of(test::block_surface({1, 0, 0}, {2, 1, 1})), "");    // face to face
  TriangleMesh cavity = test::block_surface({0.3, 0.3, 0.3}, {0.7, 0.7, 0.7});
  for (auto& t : cavity.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(refusal_of(cavity), "");
  EXPECT_NE(refusal_of(test::block_surface({0.9, 0.21, 0.22}, {2, 0.83, 0.84}))
                .find("passes through triangle"),
            std::string::npos);
  // A tip through one triangle, by a hundredth.
  EXPECT_NE(refusal_of(test::block_surface({0.99, 0.7, 0.1}, {2, 0.75, 0.15}))
                .find("'s': the surface intersects itself: the edge from vertex"),
            std::string::npos);
  // Edges along faces only, and one inside the other.
  EXPECT_NE(refusal_of(test::block_surface({0.5, 0, 0}, {1.5, 1, 1})).find("is inside 2 times"),
            std::string::npos);
  EXPECT_NE(refusal_of(test::block_surface({0.3, 0.3, 0.3}, {0.7, 0.7, 0.7})).find("inside 2"),
            std::string::npos);
}

TEST(Lattice, LeavesOutCellsThatTheSolidDoesNotReach) {
  // A long thin block along x: no cell beside it.
  const TriangleMesh bar = test::block_surface({-1, -0.04, -0.04}, {1, 0.04, 0.04});
  const TetMesh mesh = lattice_around(bar, {0.1, 0.1, 0.1}, "bar");
  EXPECT_EQ(mesh.tetrahedra.size(), 5u * 20);
  EXPECT_EQ(mesh.vertices.size(), 4u * 21);
}

}  // namespace tet_mesh_test
}  // namespace sinew
