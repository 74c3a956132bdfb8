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

namespace {

/// Length, direction and tension of a spring.
struct Pull {
  double length;
  Vec3 u;
  double rate;     ///< l̇
  double tension;  ///< [N]
  double damping;  ///< damping's part of the tension
};

Pull pull_of(const Spring& spring, const Vec3& x, const Vec3& v) {
  Pull out{x.norm(), Vec3::Zero(), 0, 0, 0};
  if (out.length == 0) return out;
  const double L2 = spring.rest_length * spring.rest_length;
  out.u = x / out.length;
  out.rate = out.u.dot(v);
  out.damping = spring.damping * out.rate / L2;
  out.tension = spring.stiffness * (out.length - spring.rest_length) / L2 + out.damping;
  return out;
}

}  // namespace

double spring_energy(const Spring& spring, const Vec3& x) {
  const double strain = (x.norm() - spring.rest_length) / spring.rest_length;
  return 0.5 * spring.stiffness * strain * strain;
}

Vec3 spring_force(const Spring& spring, const Vec3& x, const Vec3& v, double& power) {
  const Pull pull = pull_of(spring, x, v);
  power -= pull.damping * pull.rate;
  return pull.tension * pull.u;
}

void spring_derivatives(const Spring& spring, const Vec3& x, const Vec3& v, Mat3& K, Mat3& D) {
  // T u: through the length, the direction, and the direction that l̇ = u · v is measured in.
  const Pull pull = pull_of(spring, x, v);
  K.setZero();
  D.setZero();
  if (pull.length == 0) return;
  const double L2 = spring.rest_length * spring.rest_length;
  const Mat3 across = (Mat3::Identity() - pull.u * pull.u.transpose()) / pull.length;
  K = (spring.stiffness / L2) * pull.u * pull.u.transpose() + pull.tension * across +
      (spring.damping / L2) * pull.u * (across * v).transpose();
  D = (spring.damping / L2) * pull.u * pull.u.transpose();
}

}  // namespace sinew
