#pragma once

#include <string>

#include "sinew/math/types.hpp"

/// The force of one contact as a smooth function of gap and velocity. See
/// docs/theory/smooth_contact.md, whose equation numbers are cited.

namespace sinew {

/// Per contact point. The defaults suit a body of some kilograms, in millimetres and m/s.
struct SmoothContactLaw {
  double stiffness = 1e5;        ///< k: slope of the normal force beyond the onset [N/m]
  double onset = 1e-3;           ///< d: depth over which the stiffness grows from 0 to k [m]
  double dissipation = 2;        ///< c: a slow impact at v keeps 1 − ⅔ c v of it [s/m]
  double friction = 0.5;         ///< μ
  double creep_velocity = 0.01;  ///< v_ε: sliding at it meets μN/√2; sticking bodies creep [m/s]

  /// Throws an Error naming the force `name` unless stiffness, onset and creep velocity are
  /// positive, dissipation and friction not negative, all finite.
  void validate(const std::string& name) const;
};

/// Energy stored at a gap [J]: Eq. (2). Zero if the shapes do not overlap.
double contact_energy(const SmoothContactLaw& law, double gap);

struct SmoothContactForce {
  double normal;  ///< N ≥ 0 [N]
  Vec3 f;         ///< force on the body above the plane [N]
  double power;   ///< power of damping and friction; never positive [W]
};
/// n: unit normal, out of the plane; u: velocity of the body relative to the plane at the contact.
SmoothContactForce contact_force(const SmoothContactLaw& law, double gap, const Vec3& n,
                                 const Vec3& u);

/// Derivatives of f at constant n.
struct SmoothContactSlopes {
  Vec3 df_dgap;  ///< [N/m]
  Mat3 df_du;    ///< [N s/m]
};
SmoothContactSlopes contact_slopes(const SmoothContactLaw& law, double gap, const Vec3& n,
                                   const Vec3& u);

}  // namespace sinew
