#pragma once

#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/force.hpp"

/// Derivatives shared by all force elements for contacts between a body and a plane
/// (docs/theory/smooth_contact.md, Eqs. 6 to 9).

namespace sinew {

/// The point of a body that is at x_W now.
AttachedPoint at_world_point(const SkeletonAt& in, BodyIndex body, const Vec3& x_W);

/// One contact, linearised. World axes.
struct ContactLinearization {
  Vec3 f;        ///< force on the body above the plane [N]
  Vec3 df_dgap;  ///< at constant n and u [N/m]
  Mat3 df_du;    ///< u: the body's velocity relative to the plane's [N s/m]
  Vec3 n;        ///< out of the plane
  /// Motion of the point of action over the body's shape as the normal turns against it:
  /// −C (δn − θ × n), θ the turn of the shape [m].
  Mat3 C;
  /// Its motion along −n as the gap opens: 0 for a point of the body's surface, 1 for one of the
  /// plane.
  double share;
};

/// K and D between the body's link a and the plane's link b, summed over contacts.
class ContactBlocks {
 public:
  void add(const SkeletonAt& in, const AttachedPoint& a, const AttachedPoint& b,
           const ContactLinearization& contact);
  /// Blocks between links are passed on even if nothing touches: a list that grew at touch-down
  /// would allocate in the middle of a run.
  void hand_over(int a, int b, bool touches, ForceDerivatives& out) const;

 private:
  Mat6 K_aa_ = Mat6::Zero(), K_ab_ = Mat6::Zero(), K_ba_ = Mat6::Zero(), K_bb_ = Mat6::Zero();
  Mat6 D_aa_ = Mat6::Zero(), D_ab_ = Mat6::Zero(), D_ba_ = Mat6::Zero(), D_bb_ = Mat6::Zero();
};

}  // namespace sinew
