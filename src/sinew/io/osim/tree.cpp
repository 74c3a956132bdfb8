#include "sinew/io/osim/tree.hpp"

#include <cmath>
#include <set>
#include <unordered_map>

namespace sinew {
namespace {

Mat3 read_inertia(const OsimElement& body) {
  std::vector<double> v = body.numbers("inertia");
  if (v.empty())
    v = {body.number("inertia_xx", 0), body.number("inertia_yy", 0), body.number("inertia_zz", 0),
         body.number("inertia_xy", 0), body.number("inertia_xz", 0), body.number("inertia_yz", 0)};
  if (v.size() != 6)
    body.fail("its <inertia> has " + std::to_string(v.size()) + " numbers",
              "give Ixx Iyy Izz Ixy Ixz Iyz about the centre of mass");
  Mat3 I;
  I << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
  return I;
}

/// Mass properties into `spec`; an inertia that no real body has is accepted with a warning.
void read_mass(const OsimElement& body, BodySpec& spec, std::vector<std::string>& warnings) {
  const double mass = body.not_negative("mass", 0);
  Mat3 I = read_inertia(body);
  if (I.diagonal().minCoeff() < 0)
    body.fail("has a negative moment of inertia", "give moments of at least zero");
  if (mass == 0 && !I.isZero()) {
    warnings.push_back(body.describe("has inertia but no mass; its inertia is not counted"));
    I.setZero();
  }
  spec.M_B = SpatialInertia::FromCentral(mass, body.vector3("mass_center", Vec3::Zero()), I);
  const std::string defect = physical_defect(spec.M_B);
  spec.idealized = !defect.empty();
  if (mass > 0 && spec.idealized) warnings.push_back(body.describe(defect + "; used unchanged"));
}

/// Assembles the tree joint by joint.
class TreeBuilder {
 public:
  TreeBuilder(const OsimFrames& frames, std::vector<std::string>& warnings)
      : warnings_(warnings), attached_{"ground"} {
    for (const OsimElement& body : frames.bodies()) element_.emplace(body.name(), body);
  }

  bool attached(const std::string& body) const { return attached_.count(body) > 0; }

  void attach(const OsimJoint& joint, bool reversed) {
    const OsimFrame& inner = reversed ? joint.child : joint.parent;
    const OsimFrame& outer = reversed ? joint.parent : joint.child;
    BodySpec spec = body_spec(outer.body);
    spec.parent = inner.body == "ground" ? "" : inner.body;
    spec.joint_name = joint.name;
    Pose offset;
    spec.joint = joint.make(reversed, offset);
    spec.E_PJ = inner.E_BF * offset;
    spec.E_JB = outer.E_BF.inverse();
    for (const auto& c : joint.coordinates) {
      spec.coordinate_names.push_back(c.coordinate.name);
      spec.q0.push_back(c.coordinate.default_value);
      spec.qdot0.push_back(c.coordinate.default_speed);
    }
    add(std::move(spec), &joint);
  }

  void attach_freely(const OsimElement& body) {
    warnings_.push_back(body.describe("is moved by no joint; it is free in space"));
    BodySpec spec = body_spec(body.name());
    spec.joint_name = "free_" + body.name();
    const auto axis = [](int k, int coordinate) {
      return TransformAxis{Vec3::Unit(k), LinearFunction{{1}, 0}, {coordinate}};
    };
    spec.joint =
        FunctionJoint({CoordinateKind::angle, CoordinateKind::angle, CoordinateKind::angle,
                       CoordinateKind::length, CoordinateKind::length, CoordinateKind::length},
                      {axis(0, 0), axis(1, 1), axis(2, 2)}, {axis(0, 3), axis(1, 4), axis(2, 5)});
    for (int k = 0; k < 6; ++k)
      spec.coordinate_names.push_back(spec.joint_name + "_coord_" + std::to_string(k));
    add(std::move(spec), nullptr);
  }

  /// Bodies that would move without inertia.
  void find_weightless() {
    std::unordered_map<std::string, double> carried;
    for (auto body = tree.bodies.rbegin(); body != tree.bodies.rend(); ++body) {
      const double mass = carried[body->name] += body->M_B.mass;
      if (mass == 0 && body->joint.dof() > 0) tree.weightless.push_back(element_.at(body->name));
      if (!body->parent.empty()) carried[body->parent] += mass;
    }
  }

  OsimTree tree;

 private:
  BodySpec body_spec(const std::string& name) {
    BodySpec spec;
    spec.name = name;
    read_mass(element_.at(name), spec, warnings_);
    return spec;
  }

  void add(BodySpec spec, const OsimJoint* joint) {
    attached_.insert(spec.name);
    tree.bodies.push_back(std::move(spec));
    tree.joints.push_back(joint);
  }

  std::vector<std::string>& warnings_;
  std::set<std::string> attached_;
  std::unordered_map<std::string, OsimElement> element_;
};

}  // namespace

OsimTree build_osim_tree(const OsimFrames& frames, const std::vector<OsimJoint>& joints,
                         std::vector<std::string>& warnings) {
  TreeBuilder builder(frames, warnings);
  std::vector<const OsimJoint*> waiting;
  for (const OsimJoint& joint : joints) waiting.push_back(&joint);

  /// Attaches all possible joints, first those in their own direction; false if there was none.
  const auto grow = [&](bool reversed) {
    for (size_t i = 0; i < waiting.size(); ++i) {
      const OsimJoint& joint = *waiting[i];
      const bool parent = builder.attached(joint.parent.body);
      const bool child = builder.attached(joint.child.body);
      if (parent == child || parent == reversed) continue;
      builder.attach(joint, reversed);
      waiting.erase(waiting.begin() + static_cast<ptrdiff_t>(i));
      return true;
    }
    return false;
  };
  /// A body that starts a new tree: preferably one that is not a joint's child.
  const auto free_body = [&]() -> const OsimElement* {
    const OsimElement* any = nullptr;
    for (const OsimElement& body : frames.bodies()) {
      if (builder.attached(body.name())) continue;
      any = any == nullptr ? &body : any;
      bool is_child = false;
      for (const OsimJoint* joint : waiting) is_child |= joint->child.body == body.name();
      if (!is_child) return &body;
    }
    return any;
  };
  for (;;) {
    if (grow(false) || grow(true)) continue;
    const OsimElement* body = free_body();
    if (body == nullptr) break;
    builder.attach_freely(*body);
  }
  builder.find_weightless();
  builder.tree.loops = waiting;
  return std::move(builder.tree);
}

}  // namespace sinew
