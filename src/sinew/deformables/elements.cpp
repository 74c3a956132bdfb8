#include "sinew/deformables/elements.hpp"

namespace sinew {

Tetrahedron make_tetrahedron(const std::vector<Vec3>& rest, const std::array<int, 4>& corners) {
  const auto X = [&](int i) -> const Vec3& {
    return rest[static_cast<size_t>(corners[static_cast<size_t>(i)])];
  };
  Mat3 edges;
  for (int i = 0; i < 3; ++i) edges.col(i) = X(i + 1) - X(0);
  Tetrahedron out{corners, edges.determinant() / 6, Mat34::Zero()};
  // x = x_0 + edges · (N_1, N_2, N_3): the rows of its inverse are the gradients.
  out.gradient.rightCols<3>() = edges.inverse().transpose();
  out.gradient.col(0) = -out.gradient.rightCols<3>().rowwise().sum();
  return out;
}

double tetrahedron_energy(const Material& material, const Tetrahedron& tet, const Mat34& x) {
  return tet.volume * ElasticState(material, x * tet.gradient.transpose()).energy();
}

void tetrahedron_forces(const Material& material, const Tetrahedron& tet, const Mat34& x,
                        const Mat34& v, Mat34& f, double& power) {
  const Mat3 F = x * tet.gradient.transpose();
  Mat3 P = ElasticState(material, F).stress();
  if (material.viscosity > 0) {
    const Mat3 Fdot = v * tet.gradient.transpose();
    const Mat3 viscous = viscous_stress(material.viscosity, F, Fdot);
    power -= tet.volume * viscous.cwiseProduct(Fdot).sum();
    P += viscous;
  }
  f.noalias() = (-tet.volume * P) * tet.gradient;
}

void tetrahedron_derivatives(const Material& material, const Tetrahedron& tet, const Mat34& x,
                             const Mat34& v, Mat12& K, Mat12& D) {
  const Mat3 F = x * tet.gradient.transpose(), Fdot = v * tet.gradient.transpose();
  const ElasticState state(material, F);
  const double eta = material.viscosity;
  // Blocks of the last three corners; moving all four together changes nothing and they pull only
  // on each other, so the first corner's row and column follow from the others.
  const auto fill = [&](Mat12& out, auto&& block) {
    out.topRows<3>().setZero();
    out.leftCols<3>().setZero();
    for (int i = 1; i < 4; ++i)
      for (int j = 1; j < 4; ++j) {
        const Mat3 b = -tet.volume * block(tet.gradient.col(i), tet.gradient.col(j));
        out.block<3, 3>(3 * i, 3 * j) = b;
        out.block<3, 3>(0, 3 * j) -= b;
        out.block<3, 3>(3 * i, 0) -= b;
        out.block<3, 3>(0, 0) += b;
      }
  };
  if (eta == 0) {
    fill(K, [&](const Vec3& a, const Vec3& b) -> Mat3 { return state.stiffness(a, b); });
    D.setZero();
    return;
  }
  fill(K, [&](const Vec3& a, const Vec3& b) -> Mat3 {
    return state.stiffness(a, b) + viscous_stiffness(eta, F, Fdot, a, b);
  });
  fill(D, [&](const Vec3& a, const Vec3& b) { return viscous_damping(eta, F, a, b); });
}

}  // namespace sinew
