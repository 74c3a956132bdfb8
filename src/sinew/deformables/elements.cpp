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
  const bool viscous = material.viscosity > 0;
  const auto fill = [&](Mat12& out, auto&& stress_change) {
    // Moving all corners together changes nothing: the first corner's column is what the others'
    // leave.
    out.leftCols<3>().setZero();
    for (int j = 1; j < 4; ++j)
      for (int b = 0; b < 3; ++b) {
        Mat3 dF = Mat3::Zero();
        dF.row(b) = tet.gradient.col(j).transpose();
        const Mat34 df = (-tet.volume * stress_change(dF)) * tet.gradient;
        const int column = 3 * j + b;
        for (int i = 0; i < 4; ++i) out.block<3, 1>(3 * i, column) = df.col(i);
        out.col(b) -= out.col(column);
      }
  };
  fill(K, [&](const Mat3& dF) -> Mat3 {
    if (!viscous) return state.stress_change(dF);
    return state.stress_change(dF) +
           viscous_stress_change(material.viscosity, F, Fdot, dF, Mat3::Zero());
  });
  if (viscous)
    fill(D, [&](const Mat3& dF) -> Mat3 {
      return viscous_stress_change(material.viscosity, F, Fdot, Mat3::Zero(), dF);
    });
  else
    D.setZero();
}

namespace {

/// Length, direction and tension of a spring.
struct Pull {
  double length;
  Vec3 u;
  double rate;     ///< l̇
  double tension;  ///< [N]
  double damping;  ///< its part of the tension
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
