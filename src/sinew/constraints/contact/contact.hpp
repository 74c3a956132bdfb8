#pragma once

#include "sinew/math/se3.hpp"

/// One place where two shapes A and B touch, or are about to, and how it moves with their poses.

namespace sinew {

struct Contact {
  Vec3 x_A, x_B;    ///< the two points, on the surfaces of A and of B; world [m]
  Vec3 n;           ///< unit, from B to A; world
  double gap;       ///< n·(x_A − x_B): the signed distance, negative if they overlap [m]
  int feature = 0;  ///< the same for the same parts of the two shapes from step to step
};

using Row12 = Eigen::Matrix<double, 1, 12>;
using Mat3x12 = Eigen::Matrix<double, 3, 12>;

/// Derivatives of a contact by ξ = (ξ_A; ξ_B), where a shape's pose moves as E_WS exp(ξ_S): its
/// twist in its own frame, angular part first. For rates, substitute twists for ξ.
struct ContactDerivatives {
  Mat3x12 dn, dx_A, dx_B;
};

/// If the points are those of a shortest distance, the gap changes as if they were fixed to their
/// shapes and n were constant: ∂gap/∂ξ = nᵀ(Γ_A ξ_A − Γ_B ξ_B), Γ ξ the velocity of the material
/// point. The force n on A at x_A and −n on B at x_B has these generalised components.
Row12 contact_jacobian(const Pose& E_WA, const Pose& E_WB, const Contact& contact);

/// ∂gap/∂ξ without exception: nᵀ(∂x_A − ∂x_B), since ∂n is orthogonal to x_A − x_B. It differs from
/// contact_jacobian only at the corners clipped from box against box, by the tilt of the faces.
Row12 gap_gradient(const Contact& contact, const ContactDerivatives& derivatives);

}  // namespace sinew
