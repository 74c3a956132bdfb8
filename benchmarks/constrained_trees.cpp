#include "constrained_trees.hpp"

#include <cmath>
#include <utility>

namespace bench {
namespace {

constexpr double kConstrainedStep = 1e-4;  ///< [s]

TreeSpec without_constraints(TreeSpec tree, std::string name) {
  tree.name = std::move(name);
  tree.closures.clear();
  tree.couplers.clear();
  return tree;
}

// Four-bar. With the directions α, β, γ of crank, coupler and rocker (from the joint they hang on
// to the next), the loop is
//     a e(α) + b e(β) + c e(γ) = d e(0),   e = (cos, sin),
// and, where it moves, a α̇ e′(α) + b β̇ e′(β) + c γ̇ e′(γ) = 0.
constexpr double kCrank = 0.3, kCoupler = 0.8, kRocker = 0.6, kGround = 0.9;  // [m]

Vec3 along(double angle, double length) {
  return {length * std::cos(angle), length * std::sin(angle), 0};
}

/// (α, β, γ) from α, coupler and rocker above the line of pivots.
Vec3 directions(double alpha) {
  const Vec3 pivot(kGround, 0, 0), pin = along(alpha, kCrank), to_pivot = pivot - pin;
  const double s = to_pivot.norm();
  // Law of cosines in the triangle of the crank's pin, the rocker's pin and the rocker's pivot.
  const double beta =
      std::atan2(to_pivot.y(), to_pivot.x()) +
      std::acos((kCoupler * kCoupler + s * s - kRocker * kRocker) / (2 * kCoupler * s));
  const Vec3 rocker = to_pivot - along(beta, kCoupler);
  return {alpha, beta, std::atan2(rocker.y(), rocker.x())};
}

/// Their rates: the loop's velocity dotted with e(γ), and with e(β).
Vec3 direction_rates(const Vec3& direction, double alpha_rate) {
  const double alpha = direction[0], beta = direction[1], gamma = direction[2];
  return {alpha_rate,
          -alpha_rate * kCrank * std::sin(alpha - gamma) / (kCoupler * std::sin(beta - gamma)),
          -alpha_rate * kCrank * std::sin(alpha - beta) / (kRocker * std::sin(gamma - beta))};
}

/// Angles between one bar and the next from their directions.
Vec3 relative(const Vec3& x) { return {x[0], x[1] - x[0], x[2] - x[1]}; }

/// A bar of 1 kg per metre. In the plane only the moment about z matters, so all three may be
/// equal.
BodySpec bar(std::string name, int parent, const Vec3& offset, const Vec3& to_next) {
  BodySpec body;
  body.name = std::move(name);
  body.parent = parent;
  body.axis = Vec3::UnitZ();
  body.offset = offset;
  body.mass = to_next.norm();
  body.com = to_next / 2;
  body.inertia.setConstant(body.mass * to_next.squaredNorm() / 12);
  return body;
}

/// A leg, its thigh on `pelvis`.
void add_leg(const std::string& side, double z, int pelvis, TreeSpec& tree) {
  using enum JointType;
  const auto add = [&](const BodySpec& body) {
    tree.bodies.push_back(body);
    return static_cast<int>(tree.bodies.size()) - 1;
  };
  const int femur =
      add(limb(side + "femur", pelvis, spherical, {-0.06, -0.08, z * 0.08}, 9.3, 0.41, 0.08));
  const int tibia = add(limb(side + "tibia", femur, revolute, {0, -0.41, 0}, 3.7, 0.40, 0.05));
  const int patella =
      add(limb(side + "patella", femur, revolute, {0.04, -0.40, 0}, 0.086, 0.05, 0.02));
  const int talus = add(limb(side + "talus", tibia, revolute, {0, -0.40, 0}, 0.1, 0.04, 0.02));
  BodySpec calcn = limb(side + "calcn", talus, revolute, {-0.05, -0.04, 0}, 1.25, 0.05, 0.04);
  calcn.axis = Vec3::UnitX();
  const int foot = add(calcn);
  add(limb(side + "toes", foot, revolute, {0.18, 0, 0}, 0.22, 0.04, 0.03));
  tree.couplers.push_back({patella, tibia, {0.02, 0.9, -0.12, 0.05}});
}

/// An arm, its humerus on `torso`.
void add_arm(const std::string& side, double z, int torso, TreeSpec& tree) {
  using enum JointType;
  const auto add = [&](const BodySpec& body) {
    tree.bodies.push_back(body);
    return static_cast<int>(tree.bodies.size()) - 1;
  };
  const int humerus =
      add(limb(side + "humerus", torso, spherical, {0, 0.37, z * 0.17}, 2.0, 0.29, 0.045));
  const int ulna = add(limb(side + "ulna", humerus, revolute, {0, -0.29, 0}, 0.61, 0.25, 0.03));
  BodySpec radius = limb(side + "radius", ulna, revolute, {0, -0.01, z * 0.02}, 0.61, 0.24, 0.03);
  radius.axis = Vec3::UnitY();
  const int forearm = add(radius);
  add(limb(side + "hand", forearm, universal, {0, -0.24, 0}, 0.46, 0.18, 0.03));
}

/// Dependent coordinates and their rates from the others'.
void satisfy_couplers(const TreeSpec& tree, Sample& sample) {
  std::vector<int> first{0};
  for (const BodySpec& body : tree.bodies) first.push_back(first.back() + dof(body.joint));
  for (const CouplerSpec& coupler : tree.couplers) {
    const auto dependent = static_cast<size_t>(coupler.dependent);
    const auto argument = static_cast<size_t>(coupler.argument);
    const double x = sample.position[argument].angle[0];
    double value = 0, slope = 0;
    for (auto c = coupler.coefficients.rbegin(); c != coupler.coefficients.rend(); ++c) {
      slope = slope * x + value;
      value = value * x + *c;
    }
    sample.position[dependent].angle[0] = value;
    sample.v[first[dependent]] = slope * sample.v[first[argument]];
  }
}

}  // namespace

ConstrainedModel four_bar(int samples) {
  ConstrainedModel model;
  const Vec3 reference = directions(1);
  const Vec3 crank = along(reference[0], kCrank), coupler = along(reference[1], kCoupler),
             rocker = along(reference[2], kRocker);
  model.tree.name = "four-bar";
  model.tree.h = kConstrainedStep;
  model.tree.bodies = {bar("crank", -1, Vec3::Zero(), crank), bar("coupler", 0, crank, coupler),
                       bar("rocker", 1, coupler, rocker)};
  model.tree.closures = {{2, -1, rocker, Vec3(kGround, 0, 0)}};
  model.open = without_constraints(model.tree, "four-bar open");
  model.samples = random_samples(model.tree, samples);
  for (Sample& sample : model.samples) {
    const Vec3 direction = directions(5 * sample.position[0].angle[0]);  // full circle
    const Vec3 q = relative(direction) - relative(reference);
    for (size_t k = 0; k < 3; ++k) sample.position[k].angle[0] = q[static_cast<int>(k)];
    sample.v = relative(direction_rates(direction, sample.v[0]));
  }
  return model;
}

ConstrainedModel gait(int samples) {
  ConstrainedModel model;
  TreeSpec& tree = model.tree;
  tree.name = "gait";
  tree.h = kConstrainedStep;
  tree.bodies.push_back(rod("pelvis", -1, JointType::free, {0, 0, 0}, 11.8, 0.15, 0.12));
  for (const double z : {-1.0, 1.0}) add_leg(z < 0 ? "left " : "right ", z, 0, tree);
  const int torso = static_cast<int>(tree.bodies.size());
  tree.bodies.push_back(rod("torso", 0, JointType::spherical, {-0.1, 0.08, 0}, 26.8, 0.60, 0.14));
  for (const double z : {-1.0, 1.0}) add_arm(z < 0 ? "left " : "right ", z, torso, tree);
  model.open = without_constraints(tree, "gait uncoupled");
  model.samples = random_samples(tree, samples);
  for (Sample& sample : model.samples) satisfy_couplers(tree, sample);
  return model;
}

}  // namespace bench
