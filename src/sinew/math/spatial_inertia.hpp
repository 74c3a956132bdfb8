#pragma once

#include <string>

#include "sinew/math/se3.hpp"

namespace sinew {

/// Inertia of a rigid body as ten numbers, at the origin O and in the axes of the frame it is
/// expressed in: mass m, first moment h = m c, and second moment I about O. As a matrix,
///     M = [ I  [h] ; [h]ᵀ  m·1 ],   momentum = M φ.
struct SpatialInertia {
  double mass = 0;
  Vec3 h = Vec3::Zero();  ///< mass × centre of mass [kg m]
  Mat3 I = Mat3::Zero();  ///< about the origin, not the centre of mass [kg m²]; symmetric

  /// From the centre of mass and the inertia about it.
  static SpatialInertia FromCentral(double mass, const Vec3& com, const Mat3& I_com);

  Vec3 com() const { return h / mass; }
  Mat3 central_inertia() const;

  /// M φ.
  Vec6 operator*(const Vec6& phi) const;
  Mat6 matrix() const;
  SpatialInertia operator+(const SpatialInertia& other) const;

  /// The same inertia expressed in frame A, given this one in frame B and E_AB:
  /// M_A = Ad(E_BA)ᵀ M_B Ad(E_BA).
  SpatialInertia transformed(const Pose& E_AB) const;
};

/// Principal moments in ascending order and the right-handed frame E_BI (origin at the centre of
/// mass, axes principal) seen from the body frame.
struct PrincipalInertia {
  Vec3 moments;
  Pose E_BI;
};
PrincipalInertia principal_inertia(const SpatialInertia& inertia);

/// Empty if a real body could have this inertia; otherwise the reason why not ("inertia is not
/// finite", "mass is not positive", "inertia is not symmetric", "inertia is indefinite", "principal
/// moments violate the triangle inequality"). `triangle_tolerance` is relative to the largest
/// moment.
std::string physical_defect(const SpatialInertia& inertia, double triangle_tolerance = 1e-9);

}  // namespace sinew
