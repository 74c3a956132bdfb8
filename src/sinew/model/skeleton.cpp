#include "sinew/model/skeleton.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"

namespace sinew {
namespace {

/// A rotation whose z column is `axis`; exact (entries 0, ±1) for the coordinate axes.
Mat3 frame_with_z(const Vec3& axis) {
  Mat3 A;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(axis[k]) != 1) continue;
    const Vec3 x = Vec3::Unit((k + 1) % 3);
    A << x, axis.cross(x), axis;
    return A;
  }
  const Vec3 x = axis.unitOrthogonal();
  A << x, axis.cross(x), axis;
  return A;
}

bool is_rotation(const Mat3& R) {
  // Poses come from files with perhaps ten digits; worse is a mistake, not rounding.
  return R.allFinite() && (R.transpose() * R - Mat3::Identity()).norm() < 1e-6 &&
         R.determinant() > 0;
}

void check_pose(const Pose& E, const std::string& element, const char* which) {
  if (!is_rotation(E.R))
    throw Error(element, std::string(which) + " has no proper rotation",
                "give an orthonormal, right-handed 3×3 matrix");
  if (!E.p.allFinite())
    throw Error(element, std::string(which) + " has a position that is not finite",
                "give three finite numbers");
}

void check_values(const std::vector<double>& values, int dof, const std::string& element,
                  const char* which) {
  if (!values.empty() && static_cast<int>(values.size()) != dof)
    throw Error(element, std::string(which) + " has " + std::to_string(values.size()) + " values",
                "give " + std::to_string(dof) + ", one per coordinate of the joint");
  for (double v : values)
    if (!std::isfinite(v))
      throw Error(element, std::string(which) + " is not finite", "give finite numbers");
}

void check_spec(const BodySpec& spec) {
  const std::string element = "body '" + spec.name + "'";
  spec.joint.validate("joint '" + spec.joint_name + "'");
  check_pose(spec.E_PJ, element, "the joint's placement in the parent");
  check_pose(spec.E_JB, element, "the body's placement in the joint");
  if (const std::string defect = physical_defect(spec.M_B); !defect.empty())
    throw Error(element, defect, "give a positive mass and the inertia of a real body");
  const int dof = spec.joint.dof();
  check_values(spec.q0, dof, element, "the initial position");
  check_values(spec.qdot0, dof, element, "the initial velocity");
  if (!spec.coordinate_names.empty() && static_cast<int>(spec.coordinate_names.size()) != dof)
    throw Error(element, "names " + std::to_string(spec.coordinate_names.size()) + " coordinates",
                "its joint has " + std::to_string(dof));
}

using NameMap = std::unordered_map<std::string, int>;

void insert_unique(NameMap& names, const std::string& name, int index, const char* what) {
  if (name.empty()) throw Error(what, "has no name", "give every one a name of its own");
  if (!names.emplace(name, index).second)
    throw Error(std::string(what) + " '" + name + "'", "is defined twice",
                "give every one a name of its own");
}

/// Parents by index; refuses unknown ones.
std::vector<int> resolve_parents(const std::vector<BodySpec>& specs, const NameMap& by_name) {
  std::vector<std::string> names;
  for (const BodySpec& spec : specs) names.push_back(spec.name);
  std::vector<int> parent(specs.size(), kWorld);
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].parent.empty()) continue;
    const auto found = by_name.find(specs[i].parent);
    if (found == by_name.end())
      throw Error("body '" + specs[i].name + "'", "parent '" + specs[i].parent + "' does not exist",
                  suggest(specs[i].parent, names));
    parent[i] = found->second;
  }
  return parent;
}

/// Bodies with parents before children and subtrees together. An explicit stack: chains may be of
/// any length. What the world does not reach hangs on a cycle.
std::vector<int> depth_first_order(const std::vector<int>& parent,
                                   const std::vector<BodySpec>& specs) {
  const size_t n = specs.size();
  std::vector<std::vector<int>> children(n + 1);  // the world's last
  for (size_t i = 0; i < n; ++i)
    children[parent[i] == kWorld ? n : static_cast<size_t>(parent[i])].push_back(
        static_cast<int>(i));

  std::vector<int> order;
  std::vector<bool> reached(n, false);
  std::vector<int> stack(children.back().rbegin(), children.back().rend());
  while (!stack.empty()) {
    const auto b = static_cast<size_t>(stack.back());
    stack.pop_back();
    order.push_back(static_cast<int>(b));
    reached[b] = true;
    stack.insert(stack.end(), children[b].rbegin(), children[b].rend());
  }
  if (order.size() < n) {
    auto b =
        static_cast<size_t>(std::find(reached.begin(), reached.end(), false) - reached.begin());
    for (size_t up = 0; up < n; ++up) b = static_cast<size_t>(parent[b]);  // onto the cycle itself
    throw Error("body '" + specs[b].name + "'", "descends from itself",
                "break the cycle: one body of it must hang on the world");
  }
  return order;
}

}  // namespace

SkeletonBuilder& SkeletonBuilder::add_body(BodySpec spec) {
  if (spec.joint_name.empty()) spec.joint_name = spec.name + "_joint";
  specs_.push_back(std::move(spec));
  return *this;
}

Skeleton SkeletonBuilder::build() const {
  if (specs_.empty()) throw Error("skeleton", "has no bodies", "add at least one");

  NameMap body_names, joint_names, coordinate_names;
  for (size_t i = 0; i < specs_.size(); ++i) {
    insert_unique(body_names, specs_[i].name, static_cast<int>(i), "body");
    insert_unique(joint_names, specs_[i].joint_name, static_cast<int>(i), "joint");
    if (specs_[i].name == "world")
      throw Error("body 'world'", "takes the name of the ground", "choose another name");
  }
  const std::vector<int> parent = resolve_parents(specs_, body_names);

  Skeleton skeleton;
  skeleton.root_to_tip_ = depth_first_order(parent, specs_);
  for (size_t i = 0; i < specs_.size(); ++i) {
    const BodySpec& spec = specs_[i];
    check_spec(spec);
    skeleton.bodies_.push_back({.name = spec.name,
                                .joint_name = spec.joint_name,
                                .parent = BodyIndex(parent[i]),
                                .joint = spec.joint,
                                .E_PJ = spec.E_PJ,
                                .E_JB = spec.E_JB,
                                .M_B = spec.M_B,
                                .first_dof = DofIndex(skeleton.dof_count()),
                                .link = LinkIndex(),
                                .E_LB = Pose()});
    for (int k = 0; k < spec.joint.dof(); ++k) {
      const size_t kk = static_cast<size_t>(k);
      const std::string name = spec.coordinate_names.empty()
                                   ? spec.joint_name + "_" + std::to_string(k + 1)
                                   : spec.coordinate_names[kk];
      insert_unique(coordinate_names, name, skeleton.dof_count(), "coordinate");
      skeleton.coordinates_.push_back({name, spec.joint.kind(k), BodyIndex(static_cast<int>(i)), k,
                                       spec.q0.empty() ? 0 : spec.q0[kk],
                                       spec.qdot0.empty() ? 0 : spec.qdot0[kk]});
    }
  }

  skeleton.links_.push_back({});
  skeleton.link_of_dof_.resize(skeleton.coordinates_.size());

  const auto place = [&](int b) {
    Body& body = skeleton.bodies_[static_cast<size_t>(b)];
    const bool on_world = body.parent == kWorld;
    const LinkIndex parent_link = on_world ? LinkIndex(0) : skeleton.body(body.parent).link;
    const Pose E_LJ = (on_world ? Pose() : skeleton.body(body.parent).E_LB) * body.E_PJ;
    if (body.joint.dof() == 0) {
      JointMotion fixed;
      body.joint.evaluate({}, {}, fixed);
      body.link = parent_link;
      body.E_LB = E_LJ * fixed.Q * body.E_JB;
    } else {
      Link link{.parent = parent_link,
                .kind = LinkKind::generic,
                .dof = body.first_dof,
                .dof_count = body.joint.dof(),
                .body = BodyIndex(b),
                .E_PL0 = E_LJ};
      body.E_LB = body.E_JB;
      const auto turn = [&](const Vec3& axis, LinkKind kind) {
        const Pose A = Pose::Rotation(frame_with_z(axis));
        link.kind = kind;
        link.E_PL0 = link.E_PL0 * A;
        body.E_LB = A.inverse() * body.E_JB;
      };
      if (const auto* revolute = std::get_if<Revolute>(&body.joint.variant()))
        turn(revolute->axis, LinkKind::revolute_z);
      else if (const auto* prismatic = std::get_if<Prismatic>(&body.joint.variant()))
        turn(prismatic->axis, LinkKind::prismatic_z);
      body.link = LinkIndex(skeleton.link_count());
      for (int k = 0; k < link.dof_count; ++k)
        skeleton.link_of_dof_[static_cast<size_t>(link.dof + k)] = body.link;
      skeleton.links_.push_back(link);
    }
    Link& link = skeleton.links_[static_cast<size_t>(body.link.value)];
    const SpatialInertia M_L = body.M_B.transformed(body.E_LB);
    link.mass += M_L.mass;
    link.h += M_L.h;
    link.I += M_L.I;
  };

  for (const int b : skeleton.root_to_tip_) place(b);

  skeleton.subtree_end_.resize(skeleton.links_.size());
  for (int i = skeleton.link_count() - 1; i >= 0; --i) {
    int& end = skeleton.subtree_end_[static_cast<size_t>(i)];
    end = std::max(end, i + 1);
    if (i > 0) {
      int& parent_end = skeleton.subtree_end_[static_cast<size_t>(skeleton.link(i).parent.value)];
      parent_end = std::max(parent_end, end);
    }
  }
  return skeleton;
}

BodyIndex Skeleton::find_body(std::string_view name) const {
  std::vector<std::string> names;
  for (int i = 0; i < body_count(); ++i) {
    if (bodies_[static_cast<size_t>(i)].name == name) return BodyIndex(i);
    names.push_back(bodies_[static_cast<size_t>(i)].name);
  }
  throw Error("body '" + std::string(name) + "'", "does not exist", suggest(name, names));
}

DofIndex Skeleton::find_coordinate(std::string_view name) const {
  std::vector<std::string> names;
  for (int i = 0; i < dof_count(); ++i) {
    if (coordinates_[static_cast<size_t>(i)].name == name) return DofIndex(i);
    names.push_back(coordinates_[static_cast<size_t>(i)].name);
  }
  throw Error("coordinate '" + std::string(name) + "'", "does not exist", suggest(name, names));
}

}  // namespace sinew
