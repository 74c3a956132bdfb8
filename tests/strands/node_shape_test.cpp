#include "sinew/strands/node_shape.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "sinew/strands/node_tree.hpp"
#include "support/finite_difference.hpp"
#include "support/message_of.hpp"
#include "support/node_shapes.hpp"

/// Curves and surfaces that carry nodes: their weights, and the points that they give.

namespace sinew {
namespace node_shape_test {

using Eigen::Vector2d;

/// The weight of every control point with derivatives: value, u, v, uu, uv, vv, uuu, uuv, uvv, vvv.
MatX weights_at(const NodeShape& shape, size_t controls, const Vector2d& u) {
  MatX out = MatX::Zero(static_cast<Eigen::Index>(controls), 10);
  for_each_weight(shape, controls, u, [&](const NodeWeight& w) {
    auto row = out.row(static_cast<Eigen::Index>(w.control));
    row[0] += w.w;
    for (int k = 0; k < 2; ++k) row[1 + k] += w.d[static_cast<size_t>(k)];
    for (int k = 0; k < 3; ++k) row[3 + k] += w.dd[static_cast<size_t>(k)];
    for (int k = 0; k < 4; ++k) row[6 + k] += w.ddd[static_cast<size_t>(k)];
  });
  return out;
}

Vec3 point(const NodeShape& shape, const std::vector<Vec3>& controls, double u, double v = 0) {
  Vec3 out = Vec3::Zero();
  for_each_weight(shape, controls.size(), {u, v},
                  [&](const NodeWeight& w) { out += w.w * controls[w.control]; });
  return out;
}

TEST(NodeShape, WeightsAddUpToOneAndHaveTheirDerivatives) {
  for (const test::ShapeExample& example : test::shape_examples())
    for (const Vector2d& u : {Vector2d(0.3, 0.6), Vector2d(1.2, 0.2), Vector2d(-0.8, 1.3),
                              Vector2d(2.7, -0.3), Vector2d(11.2, 0.7)}) {
      SCOPED_TRACE(example.name);
      const auto at = [&](const Vector2d& x) {
        return weights_at(example.shape, example.controls, x);
      };
      const MatX here = at(u);
      EXPECT_NEAR(here.col(0).sum(), 1, 1e-12);  // rounding
      for (int k = 1; k < 10; ++k) EXPECT_NEAR(here.col(k).sum(), 0, 1e-12);
      // Each column is the derivative of one before it.
      constexpr int kOf[10][2] = {{},     {0, 0}, {0, 1}, {1, 0}, {2, 0},
                                  {2, 1}, {3, 0}, {4, 0}, {5, 0}, {5, 1}};
      for (int k = 1; k < 10; ++k) {
        const int from = kOf[k][0], by = kOf[k][1];
        // The last entry sets the scale where a derivative is zero, up to rounding.
        VecX claimed(here.rows() + 1);
        claimed << here.col(k), 1;
        const DifferenceSweep sweep = check_derivative(
            [&](const VecX& x) {
              Vector2d moved = u;
              moved[by] = x[0];
              VecX out(here.rows() + 1);
              out << at(moved).col(from), x[0];
              return out;
            },
            VecX::Constant(1, u[by]), claimed);
        EXPECT_TRUE(sweep.confirms(1e-7)) << k << " at " << u.transpose() << "\n" << sweep.table();
      }
    }
}

TEST(NodeShape, CurvesStartAndEndInTheirControlPointsAndGoOnStraight) {
  const std::vector<Vec3> controls = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 1}};
  for (const NodeShape& shape : {NodeShape(PolylineCurve{}), NodeShape(BSplineCurve{})}) {
    EXPECT_LT((point(shape, controls, 0) - controls[0]).norm(), 1e-15);
    EXPECT_LT((point(shape, controls, 3) - controls[3]).norm(), 1e-15);
    const Vec3 a = point(shape, controls, -1), b = point(shape, controls, -2),
               c = point(shape, controls, -5);
    EXPECT_LT(((c - b) - 3 * (b - a)).norm(), 1e-13);
    const Vec3 d = point(shape, controls, 4) - controls[3];
    EXPECT_LT((d - (controls[3] - controls[2])).norm(), 1e-14);
  }
  // A polyline is straight between its bent corners, and stays inside them.
  const NodeShape polyline = PolylineCurve{CurveEnds::plain, 0.25};
  EXPECT_LT((point(polyline, controls, 0.6) - Vec3(0.6, 0, 0)).norm(), 1e-15);
  EXPECT_LT((point(polyline, controls, 1.5) - Vec3(1, 1, 0)).norm(), 1e-15);
  // At the corner: a weight of 3 r/16 on either side.
  EXPECT_LT((point(polyline, controls, 1) - Vec3(1 - 3 * 0.25 / 16, 2 * 3 * 0.25 / 16, 0)).norm(),
            1e-15);
}

TEST(NodeShape, CurvesAreTwiceContinuouslyDifferentiable) {
  const std::vector<Vec3> controls = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 1}, {3, 1, 1}};
  for (const CurveEnds ends : {CurveEnds::plain, CurveEnds::wrapped})
    for (const NodeShape& shape :
         {NodeShape(PolylineCurve{ends, 0.3}), NodeShape(BSplineCurve{ends})})
      for (const double knot : {-1.0, 0.0, 0.3, 0.7, 1.0, 1.3, 2.0, 4.0, 4.3, 5.0, 9.7}) {
        const MatX before = weights_at(shape, controls.size(), {knot - 1e-9, 0}),
                   after = weights_at(shape, controls.size(), {knot + 1e-9, 0});
        // Third derivatives are below 50.
        for (const int k : {0, 1, 3})
          EXPECT_LT((before.col(k) - after.col(k)).lpNorm<Eigen::Infinity>(), 2e-7) << knot;
      }
}

TEST(NodeShape, WrappedCurvesComeBackToTheirStart) {
  const std::vector<Vec3> controls = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 1}};
  for (const NodeShape& shape :
       {NodeShape(PolylineCurve{CurveEnds::wrapped}), NodeShape(BSplineCurve{CurveEnds::wrapped})})
    for (const double u : {0.1, 1.7, 3.4}) {
      EXPECT_LT((point(shape, controls, u) - point(shape, controls, u + 4)).norm(), 1e-14);
      EXPECT_LT((point(shape, controls, u) - point(shape, controls, u - 40)).norm(), 1e-13);
    }
}

TEST(NodeShape, SurfacesAreThoseOfTheirNames) {
  const std::vector<Vec3> frame = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const double u : {0.3, 2.0, -4.0})
    for (const double v : {0.2, -0.9}) {
      const Vec3 e = point(EllipsoidSurface{{1, 2, 3}}, frame, u, v);
      EXPECT_NEAR(e.x() * e.x() + e.y() * e.y() / 4 + e.z() * e.z() / 9, 1, 1e-14);
      const Vec3 c = point(CylinderSurface{0.3}, frame, u, v);
      EXPECT_NEAR(c.head<2>().norm(), 0.3, 1e-15);
      EXPECT_EQ(c.z(), v);
      const Vec3 t = point(TorusSurface{0.5, 0.1}, frame, u, v);
      EXPECT_NEAR(std::hypot(t.head<2>().norm() - 0.5, t.z()), 0.1, 1e-15);
    }
  const std::vector<Vec3> three = {{1, 1, 0}, {3, 1, 0}, {1, 2, 0}};
  EXPECT_LT((point(EllipseCurve{}, three, std::numbers::pi) - Vec3(-1, 1, 0)).norm(), 1e-15);
  // A patch over a flat grid is flat, and starts in its corner.
  std::vector<Vec3> grid;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) grid.emplace_back(i, j, 0.5 * i + j);
  for (const double u : {0.0, 0.4, 1.7, 2.5})
    EXPECT_LT((point(BSplineSurface{3, 4}, grid, u, 1.3) - Vec3(u, 1.3, 0.5 * u + 1.3)).norm(),
              1e-14);
}

std::string message_of_nodes(const std::vector<StrandNode>& nodes) {
  return test::message_of([&] { check_nodes(nodes); });
}

TEST(NodeTree, ACycleIsAnErrorThatNamesIt) {
  const auto blend = [](std::string name, std::vector<std::string> of) {
    const auto n = of.size();
    return StrandNode{
        std::move(name),
        ShapedNode{Blend{std::vector<double>(n, 1.0 / static_cast<double>(n))}, std::move(of)}};
  };
  const StrandNode nail{"nail", RigidNode{}};
  EXPECT_EQ(message_of_nodes({blend("a", {"b", "nail"}), blend("b", {"nail"}), nail}), "");
  EXPECT_NE(
      message_of_nodes({blend("a", {"b"}), blend("b", {"nail", "c"}), blend("c", {"a"}), nail})
          .find("'a' → 'b' → 'c' → 'a'"),
      std::string::npos);
  EXPECT_NE(message_of_nodes({blend("a", {"a"})}).find("'a' → 'a'"), std::string::npos);
  EXPECT_NE(message_of_nodes({blend("a", {"nial"}), nail}).find("did you mean 'nail'?"),
            std::string::npos);
  // Every level doubles the points below: refused before it takes for ever.
  std::vector<StrandNode> deep = {nail};
  for (int k = 0; k < 40; ++k)
    deep.push_back(blend("d" + std::to_string(k), {deep.back().name, deep.back().name}));
  EXPECT_NE(message_of_nodes(deep).find("more than 100000 points"), std::string::npos);
}

TEST(NodeTree, NamesWhatIsWrongWithAShape) {
  const auto has = [](const char* what, const NodeShape& shape, size_t controls) {
    std::vector<StrandNode> nodes;
    ShapedNode shaped{shape, {}};
    for (size_t k = 0; k < controls; ++k) {
      nodes.push_back({"c" + std::to_string(k), RigidNode{}});
      shaped.controls.push_back(nodes.back().name);
    }
    nodes.push_back({"node", shaped});
    EXPECT_NE(message_of_nodes(nodes).find(what), std::string::npos)
        << what << ": " << message_of_nodes(nodes);
  };
  has("fewer than two control points", PolylineCurve{}, 1);
  has("rounding", PolylineCurve{CurveEnds::plain, 0.6}, 3);
  has("fewer than three control points", BSplineCurve{CurveEnds::wrapped}, 2);
  has("three control points", EllipseCurve{}, 2);
  has("has no frame", CylinderSurface{1}, 3);
  has("semi-axes", EllipsoidSurface{{1, 0, 1}}, 4);
  has("radius", CylinderSurface{-1}, 4);
  has("tube", TorusSurface{0.1, 0.2}, 4);
  has("rows of different lengths", BSplineSurface{2, 3}, 5);
  has("sum is not 1", Blend{{0.5, 0.6}}, 2);
  has("one weight for each", Blend{{1}}, 2);
}

TEST(NodeTree, PositionsFollowFromControlPointsToAnyDepth) {
  std::vector<StrandNode> nodes = {
      {"bead", ShapedNode{EllipseCurve{}, {"centre", "b", "c"}, {std::numbers::pi / 2, 0}}},
      {"centre", ShapedNode{Blend{{0.5, 0.5}}, {"b", "c"}}},
      {"b", RigidNode{BodyIndex(0), Vec3(1, 0, 0)}},
      {"c", MaximalNode{Vec3(0, 2, 0)}}};
  const auto pose = [](BodyIndex) {
    Pose out;
    out.p = Vec3(0, 0, 3);
    return out;
  };
  EXPECT_LT((described_positions(nodes, pose)[1] - Vec3(0.5, 1, 1.5)).norm(), 1e-15);
  EXPECT_LT((described_positions(nodes, pose)[0] - Vec3(0, 2, 0)).norm(), 1e-15);
}

}  // namespace node_shape_test
}  // namespace sinew
