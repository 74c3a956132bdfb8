#pragma once

#include <optional>

#include "sinew/dynamics/constraint.hpp"
#include "sinew/math/se3.hpp"

namespace sinew {

/// Closes a loop: acts as a joint between two bodies of the tree, as a constraint.
///
///     ball    the points coincide                     3 rows, 2 where the loop is planar
///     hinge   and the axes do, too                    5 rows, 2
///     weld    the frames coincide                     6 rows, 3
///
/// Planar means: whatever the joints do, the points' relative velocity has no component along one
/// direction that some body on the way to the root carries with it (found when the system is built;
/// see `specialized`). The rows along it would be redundant, and are left out: the two-row form of
/// Wang 2022 Eq. 4.98. The two directions that stay ride on the body nearest to the root that
/// carries the normal; in a linkage on the ground they are constant. A gap along the normal of up
/// to 1e-4 of the skeleton's size stays open.
class Closure final : public Constraint {
 public:
  enum class Kind { ball, hinge, weld };

  /// x_A on body a and x_B on body b coincide.
  static Closure Ball(std::string name, BodyIndex a, const Vec3& x_A, BodyIndex b, const Vec3& x_B);
  /// The directions axis_A on a and axis_B on b coincide, too.
  static Closure Hinge(std::string name, BodyIndex a, const Vec3& x_A, const Vec3& axis_A,
                       BodyIndex b, const Vec3& x_B, const Vec3& axis_B);
  /// The frames E_AJ on a and E_BJ on b coincide.
  static Closure Weld(std::string name, BodyIndex a, const Pose& E_AJ, BodyIndex b,
                      const Pose& E_BJ);

  Kind kind() const { return kind_; }
  BodyIndex a() const { return a_; }
  BodyIndex b() const { return b_; }
  const Pose& E_AJ() const { return E_AJ_; }
  bool planar() const { return plane_.has_value(); }

  int rows() const override;
  void evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const override;
  void add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                ForceDerivatives& out) const override;
  /// Force and moment on body b at the closing point, world axes [N, N m].
  std::vector<Measurement> measure(const SkeletonAt& in,
                                   std::span<const double> lambda) const override;
  void validate(const Skeleton& skeleton) const override;
  std::shared_ptr<const Constraint> specialized(const Skeleton& skeleton,
                                                const VecX& q0) const override;

 private:
  Closure(std::string name, Kind kind, BodyIndex a, const Pose& E_AJ, BodyIndex b, const Pose& E_BJ)
      : Constraint(std::move(name)), kind_(kind), a_(a), b_(b), E_AJ_(E_AJ), E_BJ_(E_BJ) {}

  /// Calls point(v) for every direction along which the points may not separate, then
  /// angle(a, b) for every pair of directions, a on body a and b on body b, that stay
  /// perpendicular; all world axes.
  template <class Point, class Angle>
  void for_each_row(const SkeletonAt& in, Point point, Angle angle) const;
  int carrier() const { return plane_ ? plane_->carrier : 0; }

  struct Plane {
    int carrier;          ///< link
    Vec3 normal, v1, v2;  ///< link axes, right-handed
    Vec3 u1, u2;          ///< weld: directions in frame J, orthogonal to the normal
  };

  Kind kind_;
  BodyIndex a_, b_;
  Pose E_AJ_, E_BJ_;  // the hinge's axis is z
  std::optional<Plane> plane_;
};

}  // namespace sinew
