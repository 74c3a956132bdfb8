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

/// Refuses anything that is not a pose. Poses come from files with perhaps ten digits: an error
/// above 1e-6 is a mistake; a merely rounded pose is made orthonormal again (two Newton steps
/// towards the nearest rotation: 1e-6 → 1e-12 → 0), or lengths and energies would change along the
/// chain. A rotation as good as double allows is kept to the bit.
Pose checked_pose(const Pose& E, const std::string& element, const char* which) {
  const auto defect = [](const Mat3& R) { return (R.transpose() * R - Mat3::Identity()).norm(); };
  if (!E.R.allFinite() || !(defect(E.R) < 1e-6) || E.R.determinant() < 0)
    throw Error(element, std::string(which) + " has no proper rotation",
                "give an orthonormal, right-handed 3×3 matrix");
  if (!E.p.allFinite())
    throw Error(element, std::string(which) + " has a position that is not finite",
                "give three finite numbers");
  Pose out = E;
  if (defect(E.R) > 1e-14)
    for (int step = 0; step < 2; ++step)
      out.R = (0.5 * out.R * (3 * Mat3::Identity() - out.R.transpose() * out.R)).eval();
  return out;
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

void check_inertia(const SpatialInertia& M_B, bool idealized, const std::string& element) {
  if (idealized) {
    if (!std::isfinite(M_B.mass) || !M_B.h.allFinite() || !M_B.I.allFinite() || M_B.mass < 0)
      throw Error(element, "its mass is negative, or its inertia is not finite",
                  "give a mass of at least zero and finite moments");
    return;
  }
  if (const std::string defect = physical_defect(M_B); !defect.empty())
    throw Error(element, defect, "give a positive mass and the inertia of a real body");
}

/// The body that `spec` describes, or an Error; its place in a link is still unknown.
Body checked_body(const BodySpec& spec, int parent, int first_dof) {
  const std::string element = "body '" + spec.name + "'";
  spec.joint.validate("joint '" + spec.joint_name + "'");
  const Pose E_PJ = checked_pose(spec.E_PJ, element, "the joint's placement in the parent");
  const Pose E_JB = checked_pose(spec.E_JB, element, "the body's placement in the joint");
  check_inertia(spec.M_B, spec.idealized, element);
  const int dof = spec.joint.dof();
  check_values(spec.q0, dof, element, "the initial position");
  check_values(spec.qdot0, dof, element, "the initial velocity");
  if (!spec.coordinate_names.empty() && static_cast<int>(spec.coordinate_names.size()) != dof)
    throw Error(element, "names " + std::to_string(spec.coordinate_names.size()) + " coordinates",
                "its joint has " + std::to_string(dof));
  return {.name = spec.name,
          .joint_name = spec.joint_name,
          .parent = BodyIndex(parent),
          .joint = spec.joint,
          .E_PJ = E_PJ,
          .E_JB = E_JB,
          .M_B = spec.M_B,
          .first_dof = DofIndex(first_dof),
          .link = LinkIndex(),
          .E_LB = Pose(),
          .idealized = spec.idealized};
}

using NameMap = std::unordered_map<std::string, int>;

void insert_unique(NameMap& names, const std::string& name, int index, const std::string& what) {
  if (name.empty())
    throw Error(what + " number " + std::to_string(index + 1), "has no name",
                "give each a unique name");
  if (!names.emplace(name, index).second)
    throw Error(what + " '" + name + "'", "is defined twice", "give each a unique name");
}

NameMap unique_body_names(const std::vector<BodySpec>& specs) {
  NameMap bodies, joints;
  for (size_t i = 0; i < specs.size(); ++i) {
    insert_unique(bodies, specs[i].name, static_cast<int>(i), "body");
    insert_unique(joints, specs[i].joint_name, static_cast<int>(i), "joint");
    if (specs[i].name == "world")
      throw Error("body 'world'", "has the name of the ground", "choose another name");
  }
  return bodies;
}

void append_coordinates(const BodySpec& spec, BodyIndex body, NameMap& names,
                        std::vector<Coordinate>& coordinates) {
  for (int k = 0; k < spec.joint.dof(); ++k) {
    const auto kk = static_cast<size_t>(k);
    const std::string name = spec.coordinate_names.empty()
                                 ? spec.joint_name + "_" + std::to_string(k + 1)
                                 : spec.coordinate_names[kk];
    insert_unique(names, name, static_cast<int>(coordinates.size()), "coordinate");
    require_coordinate_name(name);
    coordinates.push_back({name, spec.joint.kind(k), body, k, spec.q0.empty() ? 0 : spec.q0[kk],
                           spec.qdot0.empty() ? 0 : spec.qdot0[kk]});
  }
}

/// The indices of the parents; refuses unknown ones.
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

/// Bodies with parents before children and subtrees together. Uses an explicit stack because chains
/// may have any length. Bodies that the world does not reach are on a cycle.
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
                "break the cycle: attach one of its bodies to the world");
  }
  return order;
}

/// The link that a moving joint makes, still without inertia; writes the body's place in it.
Link link_of(Body& body, BodyIndex index, LinkIndex parent, const Pose& E_PL0) {
  Link link{.parent = parent,
            .kind = LinkKind::generic,
            .dof = body.first_dof,
            .dof_count = body.joint.dof(),
            .body = index,
            .E_PL0 = E_PL0};
  body.E_LB = body.E_JB;
  const auto turn = [&](const Vec3& axis, LinkKind kind) {
    const Pose A = Pose::Rotation(frame_with_z(axis));
    link.kind = kind;
    link.E_PL0 = E_PL0 * A;
    body.E_LB = A.inverse() * body.E_JB;
  };
  if (const auto* revolute = std::get_if<Revolute>(&body.joint.variant()))
    turn(revolute->axis, LinkKind::revolute_z);
  else if (const auto* prismatic = std::get_if<Prismatic>(&body.joint.variant()))
    turn(prismatic->axis, LinkKind::prismatic_z);
  return link;
}

/// The constant pose of a joint without coordinates.
Pose fixed_pose(const Joint& joint) {
  JointMotion motion;
  joint.evaluate({}, {}, motion);
  return motion.Q;
}

void add_inertia(const Body& body, Link& link) {
  const SpatialInertia M_L = body.M_B.transformed(body.E_LB);
  link.mass += M_L.mass;
  link.h += M_L.h;
  link.I += M_L.I;
}

std::vector<int> subtree_ends(const std::vector<Link>& links) {
  std::vector<int> end(links.size());
  for (size_t i = links.size(); i-- > 0;) {
    end[i] = std::max(end[i], static_cast<int>(i) + 1);
    if (i == 0) break;
    int& parent_end = end[static_cast<size_t>(links[i].parent.value)];
    parent_end = std::max(parent_end, end[i]);
  }
  return end;
}

}  // namespace

bool is_free(const Body& body) {
  if (body.parent != kWorld) return false;
  for (int k = 0; k < body.joint.dof(); ++k)
    if (body.joint.kind(k) == CoordinateKind::length) return true;
  return false;
}

SkeletonBuilder& SkeletonBuilder::add_body(BodySpec spec) {
  if (spec.joint_name.empty()) spec.joint_name = spec.name + "_joint";
  specs_.push_back(std::move(spec));
  return *this;
}

Skeleton SkeletonBuilder::build() const {
  if (specs_.empty()) throw Error("skeleton", "has no bodies", "add at least one");
  const std::vector<int> parent = resolve_parents(specs_, unique_body_names(specs_));

  Skeleton skeleton;
  skeleton.root_to_tip_ = depth_first_order(parent, specs_);
  NameMap coordinate_names;
  for (size_t i = 0; i < specs_.size(); ++i) {
    skeleton.bodies_.push_back(checked_body(specs_[i], parent[i], skeleton.dof_count()));
    append_coordinates(specs_[i], BodyIndex(static_cast<int>(i)), coordinate_names,
                       skeleton.coordinates_);
  }

  std::vector<Link>& links = skeleton.links_;
  links.push_back({});
  skeleton.link_of_dof_.resize(skeleton.coordinates_.size());
  for (const int b : skeleton.root_to_tip_) {
    Body& body = skeleton.bodies_[static_cast<size_t>(b)];
    const bool on_world = body.parent == kWorld;
    const LinkIndex parent_link = on_world ? LinkIndex(0) : skeleton.body(body.parent).link;
    const Pose E_LJ = (on_world ? Pose() : skeleton.body(body.parent).E_LB) * body.E_PJ;
    if (body.joint.dof() == 0) {
      body.link = parent_link;
      body.E_LB = E_LJ * fixed_pose(body.joint) * body.E_JB;
    } else {
      body.link = LinkIndex(skeleton.link_count());
      links.push_back(link_of(body, BodyIndex(b), parent_link, E_LJ));
      for (int k = 0; k < body.joint.dof(); ++k)
        skeleton.link_of_dof_[static_cast<size_t>(body.first_dof + k)] = body.link;
    }
    add_inertia(body, links[static_cast<size_t>(body.link.value)]);
  }
  skeleton.subtree_end_ = subtree_ends(links);
  return skeleton;
}

namespace {

/// The index of the element with that name, or an Error that suggests the nearest name.
template <class Element>
int find_by_name(const std::vector<Element>& elements, std::string_view name, const char* what) {
  const auto found = std::find_if(elements.begin(), elements.end(),
                                  [&](const Element& e) { return e.name == name; });
  if (found != elements.end()) return static_cast<int>(found - elements.begin());
  std::vector<std::string> names;
  for (const Element& e : elements) names.push_back(e.name);
  throw Error(std::string(what) + " '" + std::string(name) + "'", "does not exist",
              suggest(name, names));
}

}  // namespace

BodyIndex Skeleton::find_body(std::string_view name) const {
  return BodyIndex(find_by_name(bodies_, name, "body"));
}

DofIndex Skeleton::find_coordinate(std::string_view name) const {
  return DofIndex(find_by_name(coordinates_, name, "coordinate"));
}

Skeleton Skeleton::with_defaults(const VecX& q0, const VecX& qdot0) const {
  Skeleton out = *this;
  for (size_t k = 0; k < coordinates_.size(); ++k) {
    out.coordinates_[k].q0 = q0[static_cast<Eigen::Index>(k)];
    out.coordinates_[k].qdot0 = qdot0[static_cast<Eigen::Index>(k)];
  }
  return out;
}

Skeleton Skeleton::with_inertias(const std::vector<SpatialInertia>& M_B) const {
  if (M_B.size() != bodies_.size())
    throw Error("skeleton", "is given " + std::to_string(M_B.size()) + " inertias",
                "give " + std::to_string(bodies_.size()) + ", one per body");
  Skeleton out = *this;
  for (Link& link : out.links_) {
    link.mass = 0;
    link.h.setZero();
    link.I.setZero();
  }
  // In the order of build(): the same inertias give the same bits.
  for (const int b : root_to_tip_) {
    Body& body = out.bodies_[static_cast<size_t>(b)];
    body.M_B = M_B[static_cast<size_t>(b)];
    check_inertia(body.M_B, body.idealized, "body '" + body.name + "'");
    add_inertia(body, out.links_[static_cast<size_t>(body.link.value)]);
  }
  return out;
}

}  // namespace sinew
