#include "sinew/muscles/wrap/distance_grid.hpp"

#include <gtest/gtest.h>

#include <map>

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/implicit_wrap.hpp"
#include "sinew/muscles/wrap/mesh_distance.hpp"
#include "support/finite_difference.hpp"
#include "support/random.hpp"

namespace sinew {
namespace distance_grid_test {

using test::Random;

/// An octahedron whose faces are split into four again and again, with vertices on a sphere.
TriangleMesh sphere_mesh(double radius, int splits) {
  TriangleMesh mesh;
  mesh.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                    {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int k = 0; k < splits; ++k) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [at, is_new] =
          middles.try_emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
      if (is_new)
        mesh.vertices.push_back(
            (mesh.vertices[static_cast<size_t>(a)] + mesh.vertices[static_cast<size_t>(b)])
                .normalized());
      return at->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto [a, b, c] : mesh.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    mesh.triangles = finer;
  }
  for (Vec3& x : mesh.vertices) x *= radius;
  return mesh;
}

TriangleMesh cube_mesh() {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k) mesh.vertices.push_back(Vec3(k & 1, (k >> 1) & 1, (k >> 2) & 1));
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

TEST(MeshDistance, IsExactForACube) {
  const MeshDistance distance(cube_mesh());
  Random random(1);
  for (int k = 0; k < 2000; ++k) {
    const Vec3 x = Vec3::Constant(0.5) + random.vec3(1.2);
    const Vec3 out = (x - Vec3::Constant(0.5)).cwiseAbs() - Vec3::Constant(0.5);
    const double expected = out.maxCoeff() > 0 ? out.cwiseMax(0).norm() : out.maxCoeff();
    EXPECT_NEAR(distance(x), expected, 1e-14) << x.transpose();
  }
}

TEST(MeshDistance, ApproachesTheSphereOfItsVertices) {
  double last = 0;
  for (const int splits : {2, 3, 4}) {
    const MeshDistance distance(sphere_mesh(1, splits));
    Random random(2);
    double worst = 0;
    for (int k = 0; k < 300; ++k) {
      const Vec3 x = random.uniform(0.2, 2) * random.unit_vector();
      worst = std::max(worst, std::abs(distance(x) - (x.norm() - 1)));
    }
    if (last > 0) {
      EXPECT_NEAR(last / worst, 4, 1);  // second order in the edges
    }
    last = worst;
  }
  EXPECT_LT(last, 5e-3);
}

/// A smooth function that is not a polynomial, on a grid of 8 cells per unit.
double wave(const Vec3& x) {
  return std::sin(x[0] + 0.3) * std::cos(0.7 * x[1]) + 0.3 * x[2] * x[2];
}

TEST(DistanceGrid, InterpolatesSmoothFunctionsToOrderSix) {
  double last = 0;
  for (const int fineness : {4, 8}) {
    const auto grid =
        DistanceGrid::FromFunction(wave, Vec3(-1, -1, -1), Vec3(1, 1, 1), 1, fineness);
    Random random(3);
    double worst = 0;
    for (int k = 0; k < 200; ++k) {
      const Vec3 x = random.vec3();
      worst = std::max(worst, std::abs(grid->jet(x).value - wave(x)));
    }
    // 2⁶ = 64; the effect of the mirrored ends falls faster.
    if (last > 0) {
      EXPECT_GT(last / worst, 40);
    }
    last = worst;
  }
  EXPECT_LT(last, 1e-6);
}

TEST(DistanceGrid, DerivativesUpToTheFourthAreThoseOfDifferences) {
  const auto grid = DistanceGrid::FromFunction(wave, Vec3(-1, -1, -1), Vec3(1, 1, 1), 1, 4);
  Random random(4);
  for (int k = 0; k < 20; ++k) {
    const Vec3 x = random.vec3();
    LevelTaylor f;
    grid->evaluate(x, 4, f);
    const auto flat = [&](const VecX& y) {
      LevelTaylor at;
      grid->evaluate(y, 3, at);
      VecX out(40);
      out << at.jet.value, at.jet.gradient, Eigen::Map<VecX>(at.jet.hessian.data(), 9),
          Eigen::Map<VecX>(at.third[0].data(), 9), Eigen::Map<VecX>(at.third[1].data(), 9),
          Eigen::Map<VecX>(at.third[2].data(), 9);
      return out;
    };
    MatX claimed(40, 3);
    for (Eigen::Index c = 0; c < 3; ++c) {
      const auto cc = static_cast<size_t>(c);
      claimed(0, c) = f.jet.gradient[c];
      claimed.block<3, 1>(1, c) = f.jet.hessian.col(c);
      claimed.block<9, 1>(4, c) = Eigen::Map<VecX>(f.third[cc].data(), 9);
      for (size_t e = 0; e < 3; ++e)
        claimed.block<9, 1>(13 + 9 * static_cast<Eigen::Index>(e), c) =
            Eigen::Map<VecX>(f.fourth[e][cc].data(), 9);
    }
    const DifferenceSweep sweep = check_derivative(flat, x, claimed);
    // The fourth derivative has corners at the nodes, the differences are of the third.
    EXPECT_LT(sweep.best_error, 1e-6) << sweep.table();
  }
}

TEST(DistanceGrid, FourthDerivativesAreContinuousAcrossCells) {
  const auto grid = DistanceGrid::FromFunction(wave, Vec3(-1, -1, -1), Vec3(1, 1, 1), 1, 4);
  for (double x = -1; x < 1; x += 0.25) {  // nodes are at multiples of 1/4, less a margin of 2.35
    for (const double node : {x - 0.1, x + 0.0, x + 0.15}) {
      LevelTaylor a, b;
      grid->evaluate(Vec3(node - 1e-9, 0.1, 0.2), 4, a);
      grid->evaluate(Vec3(node + 1e-9, 0.1, 0.2), 4, b);
      // 2e-9 times fifth derivatives, which are of order 1/spacing.
      EXPECT_LT((a.fourth[0][0] - b.fourth[0][0]).cwiseAbs().maxCoeff(), 1e-6) << node;
    }
  }
}

TEST(DistanceGrid, OpenAndInwardMeshesAreRefusedByName) {
  TriangleMesh open = sphere_mesh(0.1, 2);
  open.triangles.pop_back();
  TriangleMesh inward = sphere_mesh(0.1, 2);
  for (auto& t : inward.triangles) std::swap(t[0], t[1]);
  for (const TriangleMesh& mesh : {open, inward}) {
    try {
      DistanceGrid::FromMesh(mesh, 0.1, "wrap 'patella'");
      FAIL() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.element(), "wrap 'patella'");
    }
  }
  EXPECT_THROW(DistanceGrid::FromMesh(sphere_mesh(0.1, 2), 1e-5, "wrap"), Error);
}

TEST(DistanceGrid, AMeshOfASphereWrapsAsTheSphere) {
  ImplicitWrap sphere;
  sphere.size = 0.1;
  sphere.level = level_from_formula([](const auto& x) {
    using std::sqrt;
    return sqrt(x.dot(x)) - 0.1;
  });
  double last = 0;
  for (const int splits : {2, 3}) {
    ImplicitWrap mesh = sphere;
    mesh.level = DistanceGrid::FromMesh(sphere_mesh(0.1, splits), 0.1, "sphere");
    Random random(5);
    double worst = 0;
    for (int k = 0; k < 20; ++k) {
      const Vec3 o = random.uniform(0.15, 0.3) * random.unit_vector();
      const Vec3 i = (-o + random.vec3(0.1)).normalized() * random.uniform(0.15, 0.3);
      SpanShape<double> a, b;
      const SpanSolution of_sphere = sphere.solve(o, i), of_mesh = mesh.solve(o, i);
      ASSERT_EQ(of_sphere.status, SpanStatus::wrapped);
      ASSERT_EQ(of_mesh.status, SpanStatus::wrapped);
      sphere.shape<double>(of_sphere, o, i, a);
      mesh.shape<double>(of_mesh, o, i, b);
      worst = std::max(worst, std::abs(a.length - b.length));
    }
    if (last > 0) {
      EXPECT_LT(worst, 0.5 * last);  // second order in the edges
    }
    last = worst;
  }
  EXPECT_LT(last, 3e-3);
}

}  // namespace distance_grid_test
}  // namespace sinew
