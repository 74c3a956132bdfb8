#include "sinew/model/shape.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "sinew/core/error.hpp"
#include "support/random.hpp"

namespace sinew {
namespace shape_test {

using std::numbers::pi;
using test::Random;
using ::testing::HasSubstr;
constexpr double kEps = std::numeric_limits<double>::epsilon();

double max_abs(const MatX& m) { return m.cwiseAbs().maxCoeff(); }

/// Largest difference of two inertias, relative to the largest entry of each of the ten numbers'
/// kinds.
double difference(const SpatialInertia& a, const SpatialInertia& b) {
  return std::max({std::abs(a.mass - b.mass) / b.mass, (a.h - b.h).norm() / (b.mass + b.h.norm()),
                   max_abs(a.I - b.I) / max_abs(b.I)});
}

/// Point of a surface of revolution about z, as (distance from the axis, z), for u in [0, 1] from
/// the bottom to the top; both ends are on the axis.
using Profile = std::function<Eigen::Vector2d(double)>;

/// Mesh with n rings of 2n vertices each on the surface, and its two poles.
TriangleMesh revolved(const Profile& profile, int n) {
  TriangleMesh mesh;
  const int around = 2 * n;
  const auto vertex = [&](int ring, int k) {
    if (ring == 0) return 0;
    if (ring == n) return 1;
    return 2 + (ring - 1) * around + k % around;
  };
  for (double u : {0.0, 1.0}) mesh.vertices.emplace_back(0, 0, profile(u).y());
  for (int ring = 1; ring < n; ++ring) {
    const Eigen::Vector2d p = profile(static_cast<double>(ring) / n);
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * pi * k / around;
      mesh.vertices.emplace_back(p.x() * std::cos(angle), p.x() * std::sin(angle), p.y());
    }
  }
  for (int ring = 0; ring < n; ++ring) {
    for (int k = 0; k < around; ++k) {
      const int a = vertex(ring, k), b = vertex(ring, k + 1), c = vertex(ring + 1, k + 1),
                d = vertex(ring + 1, k);
      if (ring > 0) mesh.triangles.push_back({a, b, c});
      if (ring < n - 1) mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

TriangleMesh box(const Vec3& sides) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(
        0.5 * sides.cwiseProduct(Vec3((i & 1) ? 1 : -1, (i & 2) ? 1 : -1, (i & 4) ? 1 : -1)));
  const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& q : quads) {
    mesh.triangles.push_back({q[0], q[1], q[2]});
    mesh.triangles.push_back({q[0], q[2], q[3]});
  }
  return mesh;
}

Eigen::Vector2d sphere_profile(double u) { return {std::sin(pi * u), -std::cos(pi * u)}; }

/// A box-like closed mesh of random shape, nowhere symmetric: the affine image of a box.
TriangleMesh parallelepiped(const Mat3& A, const Vec3& centre) {
  TriangleMesh mesh = box(Vec3::Ones());
  for (Vec3& x : mesh.vertices) x = A * x + centre;
  return mesh;
}

TEST(Shape, CuboidMeshIsExactToRounding) {
  const Vec3 sides(0.3, 1.1, 2.4);
  const TriangleMesh mesh = box(sides);
  mesh.validate("box");
  EXPECT_LE(difference(mesh.inertia(900), Cuboid{sides}.inertia(900)), 8 * kEps);
  EXPECT_NEAR(mesh.volume(), sides.prod(), 4 * kEps);
}

TEST(Shape, MeshFarFromTheOriginKeepsItsDigits) {
  const Vec3 sides(0.3, 1.1, 2.4), far(1000, -500, 2000);
  TriangleMesh mesh = box(sides);
  for (Vec3& x : mesh.vertices) x += far;
  // Vertices carry rounding of 2000 ε, relative to 0.3 m.
  EXPECT_NEAR(mesh.volume() / sides.prod(), 1, 1e-12);
  EXPECT_LE(
      difference(mesh.inertia(900), Cuboid{sides}.inertia(900).transformed(Pose::Translation(far))),
      1e-12);
}

TEST(Shape, ClosedFormsAreTheLimitsOfTheirMeshes) {
  struct Case {
    Shape shape;
    Profile profile;
    Vec3 scale;
  };
  const double r = 0.4, h = 1.3;
  // The rings must include the corners of the profile: quarter by quarter, n divisible by 4.
  const Profile cylinder = [=](double u) -> Eigen::Vector2d {
    if (u <= 0.25) return {4 * u * r, -h / 2};
    if (u >= 0.75) return {4 * (1 - u) * r, h / 2};
    return {r, (2 * u - 1) * h};
  };
  const Profile capsule = [=](double u) -> Eigen::Vector2d {
    if (u <= 0.25) return {r * std::sin(2 * pi * u), -h / 2 - r * std::cos(2 * pi * u)};
    if (u >= 0.75) return {r * std::sin(2 * pi * (1 - u)), h / 2 + r * std::cos(2 * pi * (1 - u))};
    return {r, (2 * u - 1) * h};
  };
  const Case cases[] = {
      {Sphere{r}, sphere_profile, Vec3::Constant(r)},
      {Ellipsoid{{0.3, 0.5, 1.2}}, sphere_profile, {0.3, 0.5, 1.2}},
      {Cylinder{r, h}, cylinder, Vec3::Ones()},
      {Capsule{r, h}, capsule, Vec3::Ones()},
  };
  for (const Case& c : cases) {
    const SpatialInertia exact = inertia(c.shape, 1000);
    double previous = 0;
    for (int n : {16, 32, 64}) {
      TriangleMesh mesh = revolved(c.profile, n);
      for (Vec3& x : mesh.vertices) x = x.cwiseProduct(c.scale);
      mesh.validate(type_name(c.shape));
      const double error = difference(mesh.inertia(1000), exact);
      EXPECT_NEAR(mesh.volume() / volume(c.shape), 1, 20.0 / (n * n)) << type_name(c.shape);
      // A surface interpolated with spacing 1/n is off by O(n⁻²): halving it divides by 4.
      if (previous > 0) {
        EXPECT_NEAR(std::log2(previous / error), 2, 0.05) << type_name(c.shape);
      }
      previous = error;
    }
    EXPECT_LE(previous, 5e-3) << type_name(c.shape);
  }
}

TEST(Shape, CapsuleLiesBetweenItsSphereAndItsCylinder) {
  const SpatialInertia sphere = Sphere{0.5}.inertia(1000);
  EXPECT_LE(difference(Capsule{0.5, 1e-9}.inertia(1000), sphere), 1e-8);  // linear in the height
  // A long one is a rod: m L²/12 up to terms of order r/L.
  const SpatialInertia rod = Capsule{1e-3, 1}.inertia(1000);
  EXPECT_NEAR(rod.I(0, 0) / (rod.mass / 12), 1, 1e-2);
}

TEST(Shape, MeshInertiaMovesWithTheMesh) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    Mat3 A = random.matx(3, 3);
    if (A.determinant() < 0) A = -A;
    if (A.determinant() < 0.1) continue;
    const TriangleMesh mesh = parallelepiped(A, random.vec3());
    const Pose E = random.pose(2);
    TriangleMesh moved = mesh;
    for (Vec3& x : moved.vertices) x = E * x;
    // A few roundings, of a flat solid's small numbers against its large ones.
    EXPECT_NEAR(moved.volume(), mesh.volume(), 1e-13);
    EXPECT_LE(difference(moved.inertia(3), mesh.inertia(3).transformed(E)), 1e-13);
  }
}

TEST(Shape, PrincipalFrameOfAMeshIsThatOfItsSolid) {
  Random random(2);
  const Pose E = random.pose();
  TriangleMesh mesh = box({1, 2, 3});
  for (Vec3& x : mesh.vertices) x = E * x;
  const PrincipalInertia principal = principal_inertia(mesh.inertia(1));
  EXPECT_LE((principal.moments - Vec3(5, 10, 13) / 2).norm(), 1e-13);  // 6/12 (1+4, 1+9, 4+9)
  EXPECT_LE((principal.E_BI.p - E.p).norm(), 1e-14);
  // Ascending moments: the axes are z, y, x of the box, up to sign.
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(std::abs(principal.E_BI.R.col(k).dot(E.R.col(2 - k))), 1, 1e-13);
}

TEST(Shape, MeshWithACavityIsADifference) {
  TriangleMesh mesh = box({2, 2, 2}), cavity = box({1, 1, 1});
  for (auto [a, b, c] : cavity.triangles) mesh.triangles.push_back({a + 8, c + 8, b + 8});
  mesh.vertices.insert(mesh.vertices.end(), cavity.vertices.begin(), cavity.vertices.end());
  mesh.validate("shell");
  EXPECT_NEAR(mesh.volume(), 7, 1e-14);
  EXPECT_NEAR(mesh.inertia(1).I(0, 0), 8 * 8. / 12 - 1 * 2. / 12, 1e-14);
}

TEST(Shape, CompositeIsTheSumOfItsParts) {
  // A cuboid cut in two halves is the cuboid.
  Random random(3);
  const Pose E = random.pose();
  const auto at = [&](double x) { return E * Pose::Translation({x, 0, 0}); };
  const SpatialInertia halves = composite_inertia(
      {{Cuboid{{1, 2, 3}}, at(-0.5), 7}, {Cuboid{{1, 2, 3}}, at(0.5), 7}}, "body");
  EXPECT_LE(difference(halves, Cuboid{{2, 2, 3}}.inertia(7).transformed(E)), 16 * kEps);
  // Parallel axes for a dumbbell of two spheres: 2 (2/5 m r² + m d²).
  const SpatialInertia dumbbell =
      composite_inertia({{Sphere{0.1}, Pose::Translation({0, 0, 1}), 1000},
                         {Sphere{0.1}, Pose::Translation({0, 0, -1}), 1000}},
                        "body");
  const double m = Sphere{0.1}.volume() * 1000;
  EXPECT_NEAR(dumbbell.I(0, 0), 2 * (0.4 * m * 0.01 + m), 16 * kEps * m);
  EXPECT_NEAR(dumbbell.I(2, 2), 2 * 0.4 * m * 0.01, 16 * kEps * m);
}

TEST(Shape, EveryShapeIsPhysical) {
  for (const Shape& shape :
       {Shape(Cuboid{{1, 1e-3, 2}}), Shape(Sphere{1}), Shape(Cylinder{1, 1e-4}),
        Shape(Capsule{1, 2}), Shape(Ellipsoid{{1, 2, 3}}), Shape(box({1, 2, 3}))}) {
    EXPECT_EQ(physical_defect(inertia(shape, 1)), "") << type_name(shape);
    EXPECT_NO_THROW(validate(shape, "body"));
  }
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Shape, BadParametersAreNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto said = [](const Shape& s) { return error_of([&] { validate(s, "body 'femur'"); }); };
  EXPECT_EQ(said(Sphere{-1}), "body 'femur': radius is -1 m; it must be positive");
  EXPECT_THAT(said(Sphere{0}), HasSubstr("radius is 0 m; it must be positive"));
  EXPECT_THAT(said(Sphere{nan}), HasSubstr("radius is nan m"));
  EXPECT_THAT(said(Sphere{inf}), HasSubstr("check the units"));
  EXPECT_THAT(said(Sphere{1e9}), HasSubstr("check the units"));
  EXPECT_THAT(said(Cuboid{{1, -2, 1}}), HasSubstr("side y is -2 m"));
  EXPECT_THAT(said(Cylinder{1, 0}), HasSubstr("height is 0 m"));
  EXPECT_THAT(said(Capsule{1, -1}), HasSubstr("height of the cylindrical part is -1 m"));
  EXPECT_THAT(said(Ellipsoid{{1, 1, 0}}), HasSubstr("radius z is 0 m"));
}

TEST(Shape, CompositeNamesThePartAtFault) {
  const auto said = [](const ShapePart& part) {
    return error_of([&] { composite_inertia({{Sphere{1}, {}, 1000}, part}, "body 'tibia'"); });
  };
  EXPECT_THAT(said({Sphere{1}, {}, 0}),
              HasSubstr("body 'tibia', shape 2 (sphere): density is 0 kg/m³"));
  EXPECT_THAT(said({Sphere{-1}, {}, 1}), HasSubstr("shape 2 (sphere): radius"));
  Pose E;
  E.R(0, 0) = 2;
  EXPECT_THAT(said({Sphere{1}, E, 1}), HasSubstr("not a rotation"));
  EXPECT_THAT(said({Sphere{1}, Pose::Rotation(-Mat3::Identity()), 1}), HasSubstr("not a rotation"));
  EXPECT_THAT(said({Sphere{1}, Pose::Translation({0, NAN, 0}), 1}), HasSubstr("position"));
  EXPECT_THAT(error_of([] { composite_inertia({}, "body 'b'"); }), HasSubstr("no shapes"));
}

std::string mesh_error(const TriangleMesh& mesh) {
  return error_of([&] { mesh.validate("mesh"); });
}

TEST(Shape, OpenMeshIsAnErrorThatNamesTheEdge) {
  TriangleMesh mesh = box({1, 1, 1});
  mesh.triangles.pop_back();
  EXPECT_THAT(mesh_error(mesh), HasSubstr("the mesh is open: the edge from vertex 5 to 7"));
}

TEST(Shape, SeamOfDuplicateVerticesIsOpen) {
  TriangleMesh mesh = box({1, 1, 1});
  mesh.vertices.push_back(mesh.vertices[0]);
  mesh.triangles[0][0] = 8;
  EXPECT_THAT(mesh_error(mesh), HasSubstr("merge vertices that are given more than once"));
}

TEST(Shape, FlippedTriangleIsAnErrorThatNamesIt) {
  TriangleMesh mesh = box({1, 1, 1});
  std::swap(mesh.triangles[3][0], mesh.triangles[3][1]);
  EXPECT_THAT(mesh_error(mesh), HasSubstr("in the same direction; reverse one of them"));
  EXPECT_THAT(mesh_error(mesh), HasSubstr("4"));
}

TEST(Shape, InwardMeshIsAnErrorThatSaysHowToTurnIt) {
  TriangleMesh mesh = box({1, 1, 1});
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_THAT(mesh_error(mesh), HasSubstr("face inward"));
  EXPECT_THAT(mesh_error(mesh), HasSubstr("reverse the order of the vertices in every triangle"));
}

TEST(Shape, OtherMeshDefectsAreNamed) {
  TriangleMesh mesh = box({1, 1, 1});
  mesh.triangles.push_back({0, 1, 5});
  EXPECT_THAT(mesh_error(mesh), HasSubstr("3 triangles meet at the edge from vertex 1 to 2"));

  mesh = box({1, 1, 1});
  mesh.triangles[2] = {1, 3, 3};
  EXPECT_THAT(mesh_error(mesh), HasSubstr("triangle 3 (vertices 2, 4, 4) has no area"));

  mesh = box({1, 1, 1});
  mesh.triangles[5][1] = 8;
  EXPECT_THAT(mesh_error(mesh), HasSubstr("triangle 6 refers to vertex 9, but there are 8"));
  mesh.triangles[5][1] = -1;
  EXPECT_THAT(mesh_error(mesh), HasSubstr("refers to vertex 0"));

  mesh = box({1, 1, 1});
  mesh.vertices[2].y() = NAN;
  EXPECT_THAT(mesh_error(mesh), HasSubstr("vertex 3 is at (-0.5, nan, -0.5)"));

  EXPECT_THAT(mesh_error(TriangleMesh{}), HasSubstr("0 triangles"));

  // Two sheets back to back: closed and oriented, but flat.
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 2, 1}, {0, 3, 2}};
  EXPECT_THAT(mesh_error(mesh), HasSubstr("meet at the edge from vertex 1 to 3"));
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {1, 0, 3}, {1, 3, 2}};
  EXPECT_THAT(mesh_error(mesh), HasSubstr("encloses no volume"));
}

}  // namespace shape_test
}  // namespace sinew
