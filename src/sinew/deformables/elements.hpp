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

/// A piece of a strand (Wang 2022 Eq. 4.88): V = ½ K ε², ε = (l − L)/L; tension (K ε + d ε̇)/L.
struct Spring {
  std::array<int, 2> ends;
  double stiffness = 0;    ///< K [J]
  double rest_length = 0;  ///< L [m]
  double damping = 0;      ///< d [J s]
};

double spring_energy(const Spring& spring, const Vec3& x);
/// The force on the first end, for x and v from the first to the second; adds the power of damping.
/// The force is zero if the ends coincide: there is no direction.
Vec3 spring_force(const Spring& spring, const Vec3& x, const Vec3& v, double& power);
/// Its derivatives by x and v.
void spring_derivatives(const Spring& spring, const Vec3& x, const Vec3& v, Mat3& K, Mat3& D);

}  // namespace sinew
