#include "sinew/system/energy_variables.hpp"

#include "sinew/system/equations.hpp"

// The quadratic velocity vector of Lagrange's equations is C(q, q̇) q̇ with Christoffel's symbols in
// C, and is as a function of q̇ a quadratic form: its derivative by q̇ is 2C, and Ṁ = C + Cᵀ. So Ṁ is
// the symmetric part of the derivative of inverse dynamics by q̇, without forces.
//
// From L Lᵀ = M: L⁻¹Ṁ L⁻ᵀ = L⁻¹L̇ + (L⁻¹L̇)ᵀ, whose lower triangle, with half of the
// diagonal, is L⁻¹L̇.

namespace sinew {

bool EnergyVariables::update(const MatX& mass, const MatX& dg_dqdot) {
  const Eigen::Index n = mass.rows();
  L = mass;
  const Eigen::LLT<Eigen::Ref<MatX>> factor(L);
  if (factor.info() != Eigen::Success) return false;
  L.triangularView<Eigen::StrictlyUpper>().setZero();
  // L⁻¹Ṁ L⁻ᵀ, in the place of Ṁ
  if (D.rows() != n) D.resize(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      D(i, j) = D(j, i) = 0.5 * (dg_dqdot(i, j) + dg_dqdot(j, i));
  L.triangularView<Eigen::Lower>().solveInPlace(D);
  D.transposeInPlace();
  L.triangularView<Eigen::Lower>().solveInPlace(D);
  D.triangularView<Eigen::StrictlyUpper>().setZero();
  D.diagonal() *= 0.5;
  Ldot.noalias() = L * D;
  return true;
}

bool EnergyVariables::update(const System& system, const At& at, Workspace& ws) {
  if (rest.size() != system.dof_count()) {
    rest.setZero(system.dof_count());
    g.resize(system.dof_count());
  }
  inverse_dynamics(system, at, rest, ws, g);
  differentiate_inertia(system, at, ws, inertial);
  return update(inertial.M, inertial.dg_dqdot);
}

}  // namespace sinew
