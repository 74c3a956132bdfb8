#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/index.hpp"
#include "sinew/math/spatial_inertia.hpp"
#include "sinew/model/joint.hpp"

namespace sinew {

/// One body and the joint that carries it, as the user describes them.
struct BodySpec {
  std::string name;
  std::string parent;  ///< name of the parent body; empty for the world
  Joint joint = Fixed{};
  std::string joint_name;  ///< empty: "<name>_joint"
  Pose E_PJ;               ///< the joint's fixed frame in the parent's body frame
  Pose E_JB;               ///< the body frame in the joint's moving frame
  SpatialInertia M_B;      ///< in the body frame, at its origin [kg, m]
  std::vector<std::string> coordinate_names;  ///< empty: "<joint>_1", "<joint>_2", …
  std::vector<double> q0, qdot0;              ///< default state; empty: zeros
  /// Accept an inertia that no real body has: no mass, moments that violate the triangle
  /// inequality. Other people's models have such bodies, harmless as parts of the whole.
  bool idealized = false;
};

/// A body of the skeleton, in the user's order.
struct Body {
  std::string name;
  std::string joint_name;
  BodyIndex parent;
  Joint joint;
  Pose E_PJ, E_JB;
  SpatialInertia M_B;
  DofIndex first_dof;  ///< first of its joint; the joint's coordinates are consecutive
  LinkIndex link;      ///< the rigid cluster it belongs to
  Pose E_LB;           ///< its constant pose in that link
  bool idealized = false;
};

/// Whether a joint with the world leaves the body free to move away: its load is not the moment of
/// a joint.
bool is_free(const Body& body);

/// One scalar of q.
struct Coordinate {
  std::string name;
  CoordinateKind kind = CoordinateKind::angle;
  BodyIndex body;  ///< the body whose joint it belongs to
  int local = 0;   ///< its place within that joint
  double q0 = 0, qdot0 = 0;
};

/// Joints with one constant axis are the majority in every model and have their own code.
enum class LinkKind { world, revolute_z, prismatic_z, generic };

/// Bodies welded together move as one link: the algorithms see links only. The link frame is the
/// moving frame of its joint, turned for revolute and prismatic joints so that the axis is the
/// link's z.
struct Link {
  LinkIndex parent;
  LinkKind kind = LinkKind::world;
  int dof = 0;  ///< first coordinate
  int dof_count = 0;
  BodyIndex body;  ///< the body that owns the joint
  Pose E_PL0;      ///< the joint's fixed frame in the parent link (E_PL = E_PL0 Q(q))
  double mass = 0;
  Vec3 h = Vec3::Zero();  ///< first moment, link frame [kg m]
  Mat3 I = Mat3::Zero();  ///< second moment about the link's origin, link frame [kg m²]
};

/// The tree of bodies: immutable, made by SkeletonBuilder. Link 0 is the world; links are in
/// depth-first order, so that a parent precedes its children and a subtree is a contiguous range.
class Skeleton {
 public:
  const std::vector<Body>& bodies() const { return bodies_; }
  const std::vector<Link>& links() const { return links_; }
  const std::vector<Coordinate>& coordinates() const { return coordinates_; }
  const Body& body(BodyIndex i) const { return bodies_[static_cast<size_t>(i.value)]; }
  const Link& link(int i) const { return links_[static_cast<size_t>(i)]; }

  int body_count() const { return static_cast<int>(bodies_.size()); }
  int link_count() const { return static_cast<int>(links_.size()); }
  int dof_count() const { return static_cast<int>(coordinates_.size()); }
  /// One past the last link of the subtree rooted at link i.
  int subtree_end(int i) const { return subtree_end_[static_cast<size_t>(i)]; }
  /// The link that coordinate k moves directly.
  int link_of_dof(int k) const { return link_of_dof_[static_cast<size_t>(k)]; }

  /// Bodies with parents before their children.
  const std::vector<int>& root_to_tip() const { return root_to_tip_; }

  /// Throw an Error that suggests the nearest name if there is no such name.
  BodyIndex find_body(std::string_view name) const;
  DofIndex find_coordinate(std::string_view name) const;

  /// The same skeleton with other default coordinates and speeds.
  Skeleton with_defaults(const VecX& q0, const VecX& qdot0) const;
  /// The same skeleton with other inertias, one per body, in body frames. Throws an Error naming
  /// the body if no real body could have such an inertia.
  Skeleton with_inertias(const std::vector<SpatialInertia>& M_B) const;

 private:
  friend class SkeletonBuilder;
  std::vector<Body> bodies_;
  std::vector<Link> links_;
  std::vector<Coordinate> coordinates_;
  std::vector<int> subtree_end_, link_of_dof_, root_to_tip_;
};

/// Collects bodies in any order and checks them all at once in build(): names, parents, cycles,
/// inertias, joints, default states. Every mistake is an Error naming the culprit.
class SkeletonBuilder {
 public:
  SkeletonBuilder& add_body(BodySpec spec);
  Skeleton build() const;

 private:
  std::vector<BodySpec> specs_;
};

}  // namespace sinew
