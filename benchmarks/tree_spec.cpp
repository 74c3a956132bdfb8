#include "tree_spec.hpp"

#include <cstdint>
#include <utility>

namespace bench {
namespace {

/// Numbers in [−1, 1) from a linear congruence (Knuth's MMIX constants):
/// std::uniform_real_distribution may differ between libraries.
class Random {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1;
  }
  Vec3 vector() {
    const double x = (*this)(), y = (*this)(), z = (*this)();
    return {x, y, z};
  }
  VecX vector(int n) {
    VecX x(n);
    for (double& each : x) each = (*this)();
    return x;
  }

 private:
  std::uint64_t state_ = 20;
};

}  // namespace

int dof(JointType type) {
  switch (type) {
    case JointType::revolute:
      return 1;
    case JointType::universal:
      return 2;
    case JointType::spherical:
      return 3;
    case JointType::free:
      return 6;
  }
  return 0;
}

int TreeSpec::dof_count() const {
  int n = 0;
  for (const BodySpec& body : bodies) n += dof(body.joint);
  return n;
}

BodySpec rod(std::string name, int parent, JointType joint, const Vec3& offset, double mass,
             double length, double radius) {
  const double across = mass * (length * length / 12 + radius * radius / 4);
  BodySpec body;
  body.name = std::move(name);
  body.parent = parent;
  body.joint = joint;
  body.axis = Vec3::UnitZ();
  body.offset = offset;
  body.mass = mass;
  body.com = {0, length / 2, 0};
  body.inertia = {across, mass * radius * radius / 2, across};
  return body;
}

BodySpec limb(std::string name, int parent, JointType joint, const Vec3& offset, double mass,
              double length, double radius) {
  BodySpec body = rod(std::move(name), parent, joint, offset, mass, length, radius);
  body.com = -body.com;
  return body;
}

TreeSpec chain(int n) {
  TreeSpec tree;
  tree.name = "chain " + std::to_string(n);
  for (int i = 0; i < n; ++i) {
    BodySpec body;
    body.name = "b" + std::to_string(i);
    body.parent = i - 1;
    body.axis = i % 2 == 0 ? Vec3::UnitX() : Vec3::UnitY();
    body.offset = {0, 0, i == 0 ? 0 : 0.2};
    body.mass = 1;
    body.com = {0, 0, 0.1};
    body.inertia = {0.004, 0.004, 0.001};
    tree.bodies.push_back(body);
  }
  return tree;
}

TreeSpec human() {
  using enum JointType;
  TreeSpec tree;
  tree.name = "human";
  const auto add = [&tree](const BodySpec& body) {
    tree.bodies.push_back(body);
    return static_cast<int>(tree.bodies.size()) - 1;
  };
  // Masses and lengths near those of an adult of 75 kg.
  const int pelvis = add(rod("pelvis", -1, free, {0, 0, 0}, 10.0, 0.15, 0.14));
  const int abdomen = add(rod("abdomen", pelvis, universal, {0, 0.15, 0}, 8.0, 0.15, 0.13));
  const int thorax = add(rod("thorax", abdomen, revolute, {0, 0.15, 0}, 15.0, 0.30, 0.15));
  const int neck = add(rod("neck", thorax, revolute, {0, 0.30, 0}, 1.2, 0.10, 0.06));
  add(rod("head", neck, revolute, {0, 0.10, 0}, 4.5, 0.22, 0.09));
  for (const double side : {-1.0, 1.0}) {
    const std::string at = side < 0 ? "left " : "right ";
    const int thigh =
        add(limb(at + "thigh", pelvis, spherical, {0, 0, side * 0.09}, 8.0, 0.42, 0.08));
    const int shank = add(limb(at + "shank", thigh, revolute, {0, -0.42, 0}, 3.3, 0.43, 0.05));
    add(limb(at + "foot", shank, revolute, {0, -0.43, 0}, 1.0, 0.15, 0.04));
    const int arm =
        add(limb(at + "arm", thorax, universal, {0, 0.26, side * 0.19}, 2.1, 0.30, 0.045));
    const int forearm = add(limb(at + "forearm", arm, revolute, {0, -0.30, 0}, 1.3, 0.26, 0.035));
    add(limb(at + "hand", forearm, revolute, {0, -0.26, 0}, 0.5, 0.18, 0.03));
  }
  return tree;
}

std::vector<Sample> random_samples(const TreeSpec& tree, int count) {
  Random random;
  std::vector<Sample> samples;
  for (int k = 0; k < count; ++k) {
    Sample sample;
    for (const BodySpec& body : tree.bodies) {
      JointPosition position;
      for (double& angle : position.angle) angle = 0.6 * random();
      const Vec3 turn = 0.6 * random.vector();
      if (body.joint == JointType::spherical || body.joint == JointType::free)
        position.R = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
      if (body.joint == JointType::free) position.p = random.vector();
      sample.position.push_back(position);
    }
    sample.v = random.vector(tree.dof_count());
    sample.tau = random.vector(tree.dof_count());
    sample.a = random.vector(tree.dof_count());
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace bench
