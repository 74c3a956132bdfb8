#pragma once

#include "sinew/dynamics/force.hpp"
#include "sinew/muscles/opensim/opensim_path.hpp"

namespace sinew {

/// A point of a route in a pose.
struct OpenSimPathNode {
  Vec3 x = Vec3::Zero();  ///< world [m]
  int slot = 0;           ///< its link, index into OpenSimPathOnSkeleton::links()
  int point = -1;         ///< index into the path's points, or
  int surface = -1;       ///< into its surfaces, if it touches or leaves one
  double arc = 0;         ///< if it leaves one: length on it [m]
};

/// Scratch of routes, one route at a time. Disposable.
struct OpenSimPathWorkspace {
  // update
  std::vector<OpenSimPathNode> nodes;
  double length = 0;  ///< [m]
  std::vector<Pose> E_WS;
  std::vector<int> order;  ///< order in which surfaces are visited
  std::vector<WrapDecision> meetings;

  // update_length_gradient
  std::vector<Vec3> force, moment;  ///< per slot: ∂L/∂(displacement, turn about the first node)
  std::vector<double> dL;           ///< ∂L/∂q of the route's coordinates

  // add_forces: ∂L/∂x per node
  std::vector<Vec3> pull;

  // add_derivatives: columns ∂x/∂q of all coordinates that carry the route, node by node; the part
  // that is a point's own motion
  std::vector<Vec3> J, own;
};

/// A OpenSimPath on a skeleton, massless: the checked description with derived data. Immutable. L
/// is the length of the course; its gradient is exact for geodesics, with touch points held on
/// their surfaces (docs/theory/opensim_paths.md).
class OpenSimPathOnSkeleton {
 public:
  /// Throws an Error naming the path if it makes no sense on the skeleton.
  OpenSimPathOnSkeleton(const Skeleton& skeleton, OpenSimPath path);

  const OpenSimPath& path() const { return path_; }
  const std::string& name() const { return path_.name; }
  /// Coordinates that can change the length, ascending.
  const std::vector<int>& dofs() const { return dofs_; }
  /// Links that carry points or surfaces, ascending.
  const std::vector<int>& links() const { return links_; }
  BodyIndex body_of(const OpenSimPathNode& node) const;

  /// The course and its length, at the pose of in.ws. All functions below need it.
  void update(const SkeletonAt& in, OpenSimPathWorkspace& ws) const;
  /// ∂L/∂q of the route's coordinates into ws.dL; moment arms are the negative.
  void update_length_gradient(const SkeletonAt& in, OpenSimPathWorkspace& ws) const;

  /// Adds the wrenches (world axes, about the links' origins) that hold the route under this
  /// tension, and the forces on coordinates that move its points.
  void add_forces(const SkeletonAt& in, double tension, OpenSimPathWorkspace& ws,
                  std::vector<Vec6>& wrench, VecRef tau) const;
  /// Adds the derivatives of add_forces with respect to q at constant tension, beyond those that
  /// come from the wrenches turning with their links (see ForceDerivatives). Needs add_forces.
  /// Exact for straight pieces, and for single cylinders and spheres; on other surfaces the touch
  /// points are held.
  void add_derivatives(const SkeletonAt& in, double tension, OpenSimPathWorkspace& ws,
                       MatRef dg_dq) const;

 private:
  friend class WrapSearch;
  /// Data of a point from the skeleton.
  struct Place {
    int slot = 0;
    Vec3 x_L;  ///< link frame
    struct Motion {
      Vec3 axis_L;
      int dof = -1, axis = -1;  ///< −1: constant; its place in axes_
    };
    std::vector<Motion> motions;
  };
  /// … of a surface.
  struct Ground {
    int slot = 0;
    Pose E_LS;
  };
  /// … and of a coordinate that carries the route, or moves a point of it.
  struct Axis {
    int dof = 0, mover = 0;            ///< the link that it moves
    int first_slot = 0, end_slot = 0;  ///< the slots that it moves
  };

  void check(const Skeleton& skeleton) const;
  void index_links(const Skeleton& skeleton);
  void index_coordinates(const Skeleton& skeleton);
  int slot_of(const Skeleton& skeleton, BodyIndex body) const;

  const LinkMotion& link(const SkeletonAt& in, int slot) const {
    return in.ws.link[static_cast<size_t>(links_[static_cast<size_t>(slot)])];
  }
  static bool moves(const Axis& axis, int slot) {
    return slot >= axis.first_slot && slot < axis.end_slot;
  }
  /// f, f′ and f″ of a point's motion at a value of its coordinate.
  static std::array<double, 3> derivatives(const OpenSimPathPoint::Motion& motion, double value);
  /// ∂x/∂q of a point at x of the link in a slot.
  static Vec3 column(const SkeletonAt& in, const Axis& axis, int slot, const Vec3& x);
  /// The same for a moving point's own motion.
  Vec3 own_column(const SkeletonAt& in, size_t point, size_t motion) const;
  Vec3 place(const SkeletonAt& in, size_t point) const;
  /// ∂L/∂x of a node: the sum of the unit vectors from its neighbours along straight pieces.
  static Vec3 pull_on(const std::vector<OpenSimPathNode>& nodes, size_t node);

  void update_columns(const SkeletonAt& in, OpenSimPathWorkspace& ws) const;
  void add_straight_pieces(double tension, const OpenSimPathWorkspace& ws, MatRef dg_dq) const;
  void add_turning(const SkeletonAt& in, double tension, const OpenSimPathWorkspace& ws,
                   MatRef dg_dq) const;
  void add_sliding(const SkeletonAt& in, double tension, const OpenSimPathWorkspace& ws,
                   MatRef dg_dq) const;

  OpenSimPath path_;
  std::vector<int> links_, dofs_;
  std::vector<Place> places_;
  std::vector<Ground> grounds_;
  std::vector<Axis> axes_;        ///< for all coordinates that carry the route, ascending
  std::vector<int> axis_of_dof_;  ///< index into axes_ for each of dofs_
  bool has_motions_ = false;
};

}  // namespace sinew
