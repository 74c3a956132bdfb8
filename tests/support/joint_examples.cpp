#include "support/joint_examples.hpp"

#include <numbers>

#include "support/random.hpp"

namespace sinew::test {
namespace {

constexpr double kPi = std::numbers::pi;

VecX vec(std::initializer_list<double> values) {
  return Eigen::Map<const VecX>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

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

std::vector<JointExample> make_examples() {
  std::vector<JointExample> list;
  add_elementary(list);
  add_spherical(list);
  add_composites(list);
  return list;
}

}  // namespace

const std::vector<JointExample>& joint_examples() {
  static const std::vector<JointExample> list = make_examples();
  return list;
}

}  // namespace sinew::test
