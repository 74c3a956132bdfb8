#include "support/joint_examples.hpp"

#include <cmath>
#include <numbers>

#include "support/joint_evaluation.hpp"
#include "support/random.hpp"

namespace sinew::test {
namespace {

constexpr double kPi = std::numbers::pi;

/// Zero, tiny and random coordinates: the points every smooth joint is checked at.
JointExample smooth(std::string name, Joint joint, std::vector<VecX> singular = {}) {
  const int n = joint.dof();
  Random random(17);
  std::vector<VecX> regular{VecX::Zero(n), random.vecx(n, 1e-9)};
  for (int i = 0; i < 4; ++i) regular.push_back(random.vecx(n, 2));
  return {std::move(name), std::move(joint), std::move(regular), std::move(singular)};
}

void add_elementary(std::vector<JointExample>& list) {
  list.push_back(smooth("Fixed", Fixed()));
  list.push_back(smooth("Revolute", Revolute(Vec3(1, -2, 0.5))));
  list.push_back(smooth("Prismatic", Prismatic(Vec3(0.3, 2, 1))));
  list.push_back(smooth("Planar", Planar()));
  list.push_back(smooth("Translational", Translational()));
  list.push_back(smooth("Universal", Universal(), {vec({0.4, kPi / 2}), vec({-2, kPi})}));
  list.push_back(smooth("Helical", Helical(Vec3(1, 1, -1), 0.2)));
  list.push_back(smooth("Elliptic", Elliptic(1.3, 0.7), {vec({kPi / 2}), vec({kPi}), vec({7.0})}));
  // Curvature a/b² = 2000 at the narrow end.
  list.push_back(
      smooth("EllipticNarrow", Elliptic(5, 0.05), {vec({kPi / 2}), vec({kPi / 2 + 0.01})}));
  list.push_back(smooth("Free2D", Free2D()));
}

void add_spherical(std::vector<JointExample>& list) {
  // J_r is singular on the sphere |q| = 2π and its series switches near 0.
  const Vec3 u = Vec3(2, -1, 2) / 3;
  std::vector<VecX> delicate;
  for (const double angle : {1e-5, 1e-3, 0.1, kPi, 1.5 * kPi, 2 * kPi - 1e-3, 2 * kPi - 1e-6, 7.0})
    delicate.emplace_back(angle * u);
  list.push_back(smooth("SphericalExp", SphericalExp(), delicate));
  for (const char* order : {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"})
    list.push_back(smooth(std::string("SphericalEuler_") + order, SphericalEuler(order),
                          {vec({0.3, kPi / 2, -1}), vec({0.3, kPi / 2 - 1e-6, -1})}));
  for (const char* order : {"xyx", "xzx", "yxy", "yzy", "zxz", "zyz"})
    list.push_back(smooth(std::string("SphericalEuler_") + order, SphericalEuler(order),
                          {vec({0.3, 0, -1}), vec({0.3, 1e-6, -1}), vec({0.3, kPi, -1})}));
  const VecX near_turn = (VecX(3) << (2 * kPi - 1e-3) * u).finished();
  VecX translation_first(6), rotation_first(6);
  translation_first << 1, -2, 0.5, near_turn;
  rotation_first << near_turn, 1, -2, 0.5;
  list.push_back(smooth("Free3DTranslationFirst", Free3D(Free3D::Order::translation_first),
                        {translation_first}));
  list.push_back(
      smooth("Free3DRotationFirst", Free3D(Free3D::Order::rotation_first), {rotation_first}));
}

void add_composites(std::vector<JointExample>& list) {
  list.push_back(smooth("CompositeOfOne", Composite{{Revolute(Vec3::UnitY())}}));
  list.push_back(
      smooth("CompositeUniversal", Composite{{Revolute(Vec3::UnitX()), Revolute(Vec3::UnitY())}}));
  list.push_back(smooth("CompositeWithFixed",
                        Composite{{Fixed(), Prismatic(Vec3(1, 2, 3)), Fixed(), Universal()}}));
  list.push_back(
      smooth("CompositeSphericalElliptic", Composite{{SphericalExp(), Elliptic(1.3, 0.7)}}));
  const Composite inner{{Helical(Vec3(0, 1, 1), 0.3), Elliptic(0.8, 1.1)}};
  const Composite middle{{Universal(), inner}};
  list.push_back(smooth("CompositeNested", Composite{{Prismatic(Vec3(1, 0, 1)), middle,
                                                      Revolute(Vec3(-1, 0.2, 0.3))}}));
}

/// Frames along a winding path, each turned by less than a right angle against the one before.
std::vector<Pose> winding_frames(int count, unsigned seed) {
  Random random(seed);
  std::vector<Pose> frames{random.pose()};
  for (int i = 1; i < count; ++i) {
    const Vec3 step = random.vec3(0.5) + Vec3(0.8, 0, 0);
    frames.push_back(frames.back() * exp((Vec6() << random.vec3(0.8), step).finished()));
  }
  return frames;
}

/// Frames round a closed flower-shaped loop.
std::vector<Pose> flower_frames(int count) {
  std::vector<Pose> frames;
  for (int i = 0; i < count; ++i) {
    const double t = 2 * kPi * i / count, radius = 1 + 0.3 * std::cos(3 * t);
    const Vec3 position(radius * std::cos(t), radius * std::sin(t), 0.2 * std::sin(2 * t));
    const Mat3 tilt = exp(Vec6(0.3 * Vec6::Unit(0) * std::sin(t))).R;
    frames.push_back({exp(Vec6(t * Vec6::Unit(2))).R * tilt, position});
  }
  return frames;
}

/// A curve is only C² at its knots, where the laws of third order hold on either side but not
/// across: points of the range away from knots, some before and beyond it, and one just after every
/// knot.
JointExample curve(std::string name, const SplineCurve& joint) {
  const std::vector<double>& knots = joint.spline().breaks();
  JointExample example{std::move(name), joint, {}, {}};
  for (size_t k = 0; k + 1 < knots.size(); ++k) {
    const double width = knots[k + 1] - knots[k];
    example.regular.push_back(vec({knots[k] + 0.37 * width}));
    example.singular.push_back(vec({knots[k] + 0.01 * width}));
  }
  example.regular.push_back(vec({knots.front() - 0.4}));
  example.regular.push_back(vec({knots.back() + 0.6}));
  return example;
}

void add_splines(std::vector<JointExample>& list) {
  using Ends = SplineEnds;
  list.push_back(curve("CurveOpenUniform", SplineCurve::Uniform(winding_frames(7, 1), Ends::open)));
  list.push_back(
      curve("CurveOpenShortest", SplineCurve::Uniform(winding_frames(4, 2), Ends::open)));
  list.push_back(
      curve("CurveOpenKnots", SplineCurve::WithKnots(winding_frames(6, 3), Ends::open,
                                                     {-2, -1.5, -0.3, 0, 0.8, 1, 2.5, 2.6, 3, 5})));
  list.push_back(
      curve("CurveOpenClamped", SplineCurve::WithKnots(winding_frames(6, 4), Ends::open,
                                                       {0, 0, 0, 0, 0.7, 1.8, 3, 3, 3, 3})));
  list.push_back(
      curve("CurveOpenNatural", SplineCurve::Natural(winding_frames(7, 5), Ends::open, 0.3)));
  list.push_back(curve("CurveLoopUniform", SplineCurve::Uniform(flower_frames(9), Ends::cyclic)));
  list.push_back(curve("CurveLoopShortest", SplineCurve::Uniform(flower_frames(4), Ends::cyclic)));
  list.push_back(curve("CurveLoopKnots", SplineCurve::WithKnots(flower_frames(6), Ends::cyclic,
                                                                {-1, 0, 0.7, 2, 2.2, 3.1, 4})));
  list.push_back(
      curve("CurveLoopNatural", SplineCurve::Natural(flower_frames(9), Ends::cyclic, 0.3)));

  list.push_back(
      curve("CurveReversed", SplineCurve::Uniform(winding_frames(7, 1), Ends::open).reversed()));
  list.back().in_trees = false;
  list.push_back(
      curve("CurveLoopReversed", SplineCurve::Uniform(flower_frames(9), Ends::cyclic).reversed()));
  list.back().in_trees = false;

  const std::vector<VecX> inside{vec({0.31, 0.57}), vec({0.95, 0.1}), vec({0.02, 0.98})};
  const std::vector<VecX> outside{vec({-0.3, 1.4}), vec({2.3, -0.7})};
  const auto grids = [](int rows, int columns, unsigned seed) {
    Random random(seed);
    std::array<MatX, 6> list_of_grids;
    for (MatX& grid : list_of_grids) grid = random.matx(rows, columns);
    return list_of_grids;
  };
  list.push_back({"Surface", SplineSurface(grids(4, 4, 6)), inside, outside});
  list.push_back({"SurfaceLarge",
                  SplineSurface(grids(5, 7, 7)),
                  {vec({0.4, 0.3}), vec({3.2, 1.7}), vec({2.6, 0.9})},
                  outside});
  list.push_back({"SurfaceCyclic",
                  SplineSurface(grids(6, 5, 8), {Ends::cyclic, Ends::open}),
                  {vec({0.4, 0.3}), vec({4.7, 1.7}), vec({-0.4, 2.2})},
                  {}});
  list.push_back(
      {"SurfaceReversed", SplineSurface(grids(4, 4, 6)).reversed(), inside, outside, false});
  list.push_back({"SurfaceWithRanges",
                  SplineSurface(grids(5, 6, 9), {Ends::open, Ends::open},
                                SplineSurface::Ranges{{{-1, 2}, {0.5, 0.9}}}),
                  {vec({-0.4, 0.6}), vec({1.7, 0.73}), vec({0.3, 0.85})},
                  {vec({-1.3, 1.1})},
                  false});
  const std::vector<SplineSurface::Change> changes{
      {grids(4, 5, 10), SineFunction{0.7, 1.3, 0.2, 0.1}},
      {grids(4, 5, 11), PolynomialFunction{{0.1, 0.4, -0.3, 0.2}}}};
  const SplineSurface deforming = SplineSurface(grids(4, 5, 12)).deforming(changes);
  const std::vector<VecX> at_times{vec({0.31, 0.57, 0.2}), vec({1.3, 0.1, -1.1})};
  list.push_back({"SurfaceDeforming", deforming, at_times, {vec({-0.3, 1.4, 0})}, false});
  list.push_back({"SurfaceDeformingReversed", deforming.reversed(), at_times, {}, false});
}

void add_functions(std::vector<JointExample>& list) {
  const auto kinds = [](int n) { return std::vector<CoordinateKind>(static_cast<size_t>(n)); };
  // A knee: flexion, with the tibia sliding along measured curves.
  const NaturalCubicSpline slide({-2.1, -1.2, -0.5, 0, 0.2},
                                 {-0.003, 0.004, 0.005, -0.005, -0.006});
  const NaturalCubicSpline lift({-2.1, -1.4, -0.7, -0.1, 0.2},
                                {-0.42, -0.41, -0.4, -0.395, -0.396});
  const FunctionJoint knee(
      kinds(1), {{{Vec3::UnitZ(), LinearFunction{{1}, 0}, {0}}, {Vec3::UnitY()}, {Vec3::UnitX()}}},
      {{{Vec3::UnitX(), slide, {0}}, {Vec3::UnitY(), lift, {0}}, {Vec3::UnitZ()}}});
  list.push_back({"FunctionKnee", knee, {vec({-0.3}), vec({-1.7}), vec({-3}), vec({0.6})}, {}});

  const FunctionJoint reversed(kinds(1), knee.rotation(), knee.translation(), true);
  list.push_back(
      {"FunctionKneeReversed", reversed, {vec({-0.3}), vec({-1.7}), vec({0.6})}, {}, false});

  // Skew axes, every kind of function, coupled coordinates.
  const FunctionJoint coupled(kinds(2),
                              {{{Vec3(1, 0.2, 0), SineFunction{0.7, 1.3, 0.4, 0.1}, {1}},
                                {Vec3(0, 1, 0.5), LinearFunction{{0.6, -0.9}, 0.2}, {1, 0}},
                                {Vec3(1, 0, 1), PolynomialFunction{{0.1, -0.4, 0.3, 0.2}}, {0}}}},
                              {{{Vec3(1, 1, 0), PolynomialFunction{{0, 0.3, 0, 0.1, -0.05}}, {1}},
                                {Vec3(0, 1, 1), ConstantFunction{0.4}, {}},
                                {Vec3(1, 0, 2), SineFunction{0.2, 2, 0, 0}, {0}}}});
  list.push_back(smooth("FunctionCoupled", coupled));

  const FunctionJoint three(kinds(3),
                            {{{Vec3::UnitX(), LinearFunction{{1}, 0}, {0}},
                              {Vec3::UnitY(), LinearFunction{{1}, 0}, {1}},
                              {Vec3::UnitZ(), LinearFunction{{1}, 0}, {2}}}},
                            {{{Vec3::UnitX(), SineFunction{0.1, 1, 0, 0}, {2}},
                              {Vec3::UnitY(), LinearFunction{{0.1, 0.2, 0.3}, 0}, {2, 0, 1}},
                              {Vec3::UnitZ(), PolynomialFunction{{0, 0, 0.5}}, {1}}}});
  list.push_back(smooth("FunctionThree", three, {vec({0.2, kPi / 2, 0.1})}));

  list.push_back({"CompositeOfCurveAndFunction",
                  Composite{{SplineCurve::Uniform(winding_frames(6, 9), SplineEnds::open), coupled,
                             Composite{{SphericalExp()}}}},
                  {(VecX(6) << 1.3, 0.4, -0.7, 0.5, -1, 0.8).finished()},
                  {}});
}

std::vector<JointExample> make_examples() {
  std::vector<JointExample> list;
  add_elementary(list);
  add_spherical(list);
  add_composites(list);
  add_splines(list);
  add_functions(list);
  return list;
}

}  // namespace

const std::vector<JointExample>& joint_examples() {
  static const std::vector<JointExample> list = make_examples();
  return list;
}

}  // namespace sinew::test
