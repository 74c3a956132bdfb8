#pragma once

#include "sinew/constraints/contact/contact_model.hpp"
#include "sinew/constraints/solve/joint_friction.hpp"
#include "sinew/constraints/solve/limit.hpp"

/// Rows of quantities that must not become negative, from limits and from contacts between
/// surfaces, and rows that friction inside bearings opposes.

namespace sinew {

/// All unilateral elements of a system.
struct UnilateralElements {
  std::vector<Limit> limits;
  ContactModel contacts;
  std::vector<JointFriction> bearings;
  ConstraintList constraints;  ///< the system's; bearings may be in them
  int holds = 0;               ///< rows of friction that parts write
  bool empty() const {
    return limits.empty() && contacts.empty() && bearings.empty() && holds == 0;
  }
};

/// The source of a row: a limit's, two surfaces' (those of ContactModel) or a bearing's.
struct UnilateralSource {
  int limit = -1;
  ShapePair surfaces{-1, -1};
  int bearing = -1;
};

/// One c(q) ≥ 0.
struct Unilateral {
  UnilateralSource source;
  double gap = 0;    ///< c [m, rad]
  int tangent = -1;  ///< first of the two rows of sliding velocities [m/s]; −1 without friction
  /// Their directions, for the first surface; world.
  std::array<Vec3, 2> sliding{Vec3::Zero(), Vec3::Zero()};
  double friction = 0;
  double restitution = 0;
  /// Time over which extrapolating with Ġ q̇ is useful [s]: when a corner passes another one, the
  /// normal turns at once.
  double horizon = 0;
};

/// The rows near one (t, q, q̇), and the scratch that finds them. Row k < list.size() is the rate of
/// list[k].gap: ċ = G q̇ + rate. Tangent rows follow; all rows from `count` on are unused.
struct UnilateralRows {
  UnilateralRows(const Skeleton& skeleton, Eigen::Index on_links, Eigen::Index on_parts)
      : rows(skeleton, 0, on_links, on_parts) {}

  std::vector<Unilateral> list;
  int count = 0;
  ConstraintRows rows;
  /// A row of a bearing.
  struct BearingRow {
    int bearing, axis, row;
  };
  std::vector<BearingRow> bearing_rows;
  std::vector<BearingFrame> bearing_frames;  ///< one per bearing
  int first_hold = 0;                        ///< row of the first of the parts' friction
  std::vector<double> holds;                 ///< the most that each of these can hold [N, Nm]

  // detection
  struct Found {
    ShapePair pair;
    Contact contact;
  };
  std::vector<double> reach;  ///< per surface
  std::vector<Pose> pose;     ///< per surface, E_WS
  std::vector<Aabb> boxes;
  BroadPhase broad_phase;
  std::vector<ShapePair> pairs;
  std::vector<Contact> contacts;
  std::vector<Found> found;
};

/// The contacts to look for: those of surfaces that are within `margin` of each other, or may get
/// there in time h at their present velocities.
struct ContactSearch {
  double margin = 0;  ///< [m]
  double h = 0;       ///< [s]
  /// Adds the rows that friction opposes: the two tangents of every contact that has friction, the
  /// first along the sliding velocity if there is one; and those of bearings.
  bool friction = false;
};

/// Gaps at (t, q, q̇): all bounds of limits, and contacts. Writes list, and the terms of rows: those
/// of parts are the caller's, and update_row_jacobian and update_row_bias. Needs update_kinematics.
void list_unilateral_rows(const UnilateralElements& elements, const SkeletonAt& in,
                          const ContactSearch& search, UnilateralRows& out);

/// "limit 'knee'" or "contact of 'foot' and 'ground'".
std::string describe(const UnilateralElements& elements, const UnilateralSource& source);

}  // namespace sinew
