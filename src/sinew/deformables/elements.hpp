#pragma once

#include <array>
#include <vector>

#include "sinew/deformables/material.hpp"

/// Elements of deformable bodies: functions of the positions x and velocities v of a few vertices,
/// all in world axes. Forces are f = −∂V/∂x + (damping); K = ∂f/∂x and D = ∂f/∂v.

namespace sinew {

using Mat34 = Eigen::Matrix<double, 3, 4>;
using Mat12 = Eigen::Matrix<double, 12, 12>;

/// A tetrahedron with linear shape functions N_i: F = Σ x_i ∇N_iᵀ is constant in it.
struct Tetrahedron {
  std::array<int, 4> corners;
  double volume;   ///< at rest; negative if the corners are in the wrong order [m³]
  Mat34 gradient;  ///< ∇N_i at rest [1/m]
};
Tetrahedron make_tetrahedron(const std::vector<Vec3>& rest, const std::array<int, 4>& corners);

/// The matrices have a column for each corner.
double tetrahedron_energy(const Material& material, const Tetrahedron& tet, const Mat34& x);
/// Writes the forces; adds the power of the viscous ones, never positive.
void tetrahedron_forces(const Material& material, const Tetrahedron& tet, const Mat34& x,
                        const Mat34& v, Mat34& f, double& power);
void tetrahedron_derivatives(const Material& material, const Tetrahedron& tet, const Mat34& x,
                             const Mat34& v, Mat12& K, Mat12& D);

}  // namespace sinew
