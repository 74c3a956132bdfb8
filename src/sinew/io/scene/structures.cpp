#include "sinew/io/scene/structures.hpp"

#include <cmath>
#include <numbers>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/math/so3.hpp"

namespace sinew {
namespace {

/// Adds rods, which lie along their x axis from the joint, and springs between points of them.
class Rods {
 public:
  explicit Rods(const StructureOptions& options) : options_(options) {}

  /// A rod at the end of `parent` (−1: at the world's `placement`), turned by R; hinged about z, or
  /// about y if `sideways`. Returns its index.
  int add(int parent, const Pose& placement, bool sideways) {
    const int i = static_cast<int>(out_.bodies.size());
    BodySpec spec;
    spec.name = "rod" + std::to_string(i + 1);
    spec.joint = Revolute(sideways ? Vec3::UnitY() : Vec3::UnitZ());
    spec.E_PJ = placement;
    if (parent >= 0) {
      spec.parent = out_.bodies[static_cast<size_t>(parent)].name;
      spec.E_PJ.p += Vec3(options_.length, 0, 0);
    }
    const Cuboid solid{Vec3(options_.length, options_.thickness, options_.thickness)};
    const ShapePart part{solid, {Mat3::Identity(), middle()}, options_.density};
    spec.M_B = composite_inertia({part}, "structure");
    E_W_.push_back(parent < 0 ? spec.E_PJ : E_W_[static_cast<size_t>(parent)] * spec.E_PJ);
    out_.bodies.push_back(std::move(spec));
    out_.shapes.push_back(part);
    return i;
  }

  Vec3 middle() const { return {0.5 * options_.length, 0, 0}; }
  Vec3 tip() const { return {options_.length, 0, 0}; }
  const Pose& pose(int i) const { return E_W_[static_cast<size_t>(i)]; }
  int count() const { return static_cast<int>(out_.bodies.size()); }

  /// The rest length is the present distance.
  void tie(int a, const Vec3& x_A, int b, const Vec3& x_B) {
    tie(BodyIndex(a), x_A, BodyIndex(b), x_B, (pose(a) * x_A - pose(b) * x_B).norm());
  }
  /// From a point of a rod to its present place in the world.
  void hold(int a, const Vec3& x_A) { tie(BodyIndex(a), x_A, kWorld, pose(a) * x_A, 0); }

  Structure take() { return std::move(out_); }

 private:
  void tie(BodyIndex a, const Vec3& x_A, BodyIndex b, const Vec3& x_B, double rest) {
    out_.springs.push_back(
        std::make_shared<PointSpring>("spring" + std::to_string(out_.springs.size() + 1), a, x_A, b,
                                      x_B, options_.stiffness, options_.damping, rest));
  }

  const StructureOptions& options_;
  Structure out_;
  std::vector<Pose> E_W_;  // poses in the default state
};

Pose turned(const Vec3& axis, double angle, const Vec3& p = Vec3::Zero()) {
  return {exp_so3(Vec3(axis * angle)), p};
}

void chain(int n, Rods& rods) {
  constexpr double kBend = 0.5;  // half of it to either side of the x axis
  for (int i = 0; i < n; ++i)
    rods.add(i - 1,
             turned(Vec3::UnitZ(), i == 0       ? kBend / 2
                                   : i % 2 == 1 ? -kBend
                                                : kBend),
             i % 2 == 1);
  for (int i = 0; i + 2 < n; ++i) rods.tie(i, rods.middle(), i + 2, rods.middle());
}

void binary_tree(int n, Rods& rods) {
  rods.add(-1, turned(Vec3::UnitZ(), std::numbers::pi / 2), false);
  for (int i = 1; i < n; ++i) {
    const int generation = static_cast<int>(std::log2(i + 1));
    const double angle = std::pow(0.8, generation) * (i % 2 == 1 ? 1 : -1);
    rods.add((i - 1) / 2, turned(Vec3::UnitZ(), angle), generation % 2 == 1);
  }
  // The generation of i ends where i + 2 is a power of two.
  for (int i = 1; i + 1 < n; ++i)
    if (((i + 2) & (i + 1)) != 0) rods.tie(i, rods.tip(), i + 1, rods.tip());
}

void rope_bridge(int n, double width, Rods& rods) {
  const int first = (n + 1) / 2;
  for (int i = 0; i < n; ++i) {
    const int along = i < first ? i : i - first;
    const Pose start{Mat3::Identity(), Vec3(0, 0, i < first ? 0 : width)};
    rods.add(along == 0 ? -1 : i - 1, along == 0 ? start : Pose{}, along % 2 == 1);
  }
  for (int i = 0; first + i < n; ++i) rods.tie(i, rods.tip(), first + i, rods.tip());
  rods.hold(first - 1, rods.tip());
  if (n > 1) rods.hold(n - 1, rods.tip());
}

void umbrella(int n, Rods& rods) {
  const int ribs = std::max(3, static_cast<int>(std::lround(std::sqrt(n))));
  for (int i = 0; i < n; ++i) {
    const int ring = i / ribs, rib = i % ribs;
    const Pose start = turned(Vec3::UnitY(), 2 * std::numbers::pi * rib / ribs);
    rods.add(ring == 0 ? -1 : i - ribs, ring == 0 ? start : Pose{}, ring % 2 == 1);
  }
  for (int i = 0; i < n; ++i) {
    const int next = i % ribs + 1 < ribs ? i + 1 : i + 1 - ribs;
    const bool whole = i - i % ribs + ribs <= n;
    if (next < n && (next > i || whole)) rods.tie(i, rods.tip(), next, rods.tip());
  }
}

}  // namespace

const std::vector<std::string>& structure_names() {
  static const std::vector<std::string> names = {"chain", "binary-tree", "rope-bridge", "umbrella"};
  return names;
}

Structure make_structure(StructureShape shape, const StructureOptions& options) {
  constexpr int kMost = 100000;
  if (options.bodies < 1 || options.bodies > kMost)
    throw Error("structure", "cannot have " + std::to_string(options.bodies) + " bodies",
                "give 1 to 100000");
  Rods rods(options);
  switch (shape) {
    case StructureShape::chain:
      chain(options.bodies, rods);
      break;
    case StructureShape::binary_tree:
      binary_tree(options.bodies, rods);
      break;
    case StructureShape::rope_bridge:
      rope_bridge(options.bodies, 5 * options.length, rods);
      break;
    case StructureShape::umbrella:
      umbrella(options.bodies, rods);
      break;
  }
  return rods.take();
}

SystemBuilder structure_builder(const Structure& structure) {
  SkeletonBuilder skeleton;
  for (const BodySpec& body : structure.bodies) skeleton.add_body(body);
  SystemBuilder builder(skeleton.build());
  for (const auto& spring : structure.springs) builder.add_force(spring);
  return builder;
}

}  // namespace sinew
