#include "sinew/deformables/material.hpp"

#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/math/se3.hpp"

// Corotated          Ψ = μ |F − R|² + λ/2 (tr S − 3)²,  F = R S                            (1)
//     P = 2μ (F − R) + λ (tr S − 3) R,   δR = R [w],  (tr S − S) w = axial(RᵀδF − δFᵀR)     (2)
// St. Venant–Kirchhoff  Ψ = μ E:E + λ/2 (tr E)²,  E = ½(FᵀF − 1),  P = F (2μ E + λ tr E)     (3)
// Stable neo-Hookean (Smith, de Goes, Kim 2018)
//     Ψ = μ/2 (F:F − 3) − μ/2 log(F:F + 1) + λ/2 (J − α)² + const,  α = 1 + ¾ μ/λ            (4)
//     with μ = 4/3 of Lamé's and λ + 5/6 μ of Lamé's, which makes it Hooke's for small strain.

namespace sinew {
namespace {

/// ∂J/∂F, its columns are cross products of those of F.
Mat3 cofactor(const Mat3& F) {
  Mat3 C;
  C.col(0) = F.col(1).cross(F.col(2));
  C.col(1) = F.col(2).cross(F.col(0));
  C.col(2) = F.col(0).cross(F.col(1));
  return C;
}

Mat3 polar_by_svd(const Mat3& F) {
  const Eigen::JacobiSVD<Mat3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 U = svd.matrixU();
  // The smallest singular value takes the sign: no other choice is continuous as an element
  // inverts.
  if ((U * svd.matrixV().transpose()).determinant() < 0) U.col(2) = -U.col(2);
  return U * svd.matrixV().transpose();
}

/// (tr S − S)⁻¹. It is singular where two signed stretches cancel, and R jumps: there its largest
/// entry is kept finite.
Mat3 turn_matrix(const Mat3& S) {
  const Mat3 G = S.trace() * Mat3::Identity() - S;
  const double size = G.norm(), det = G.determinant();
  if (std::abs(det) > 1e-9 * size * size * size) return G.inverse();
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(0.5 * (G + G.transpose()));
  Vec3 inverse;
  const double least = 1e-9 * std::max(size, std::numeric_limits<double>::min());
  for (int k = 0; k < 3; ++k) {
    const double g = eigen.eigenvalues()[k];
    inverse[k] = 1 / (std::abs(g) < least ? (g < 0 ? -least : least) : g);
  }
  return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace

std::string to_string(MaterialModel model) {
  switch (model) {
    case MaterialModel::corotated:
      return "corotated";
    case MaterialModel::st_venant_kirchhoff:
      return "st-venant-kirchhoff";
    case MaterialModel::neo_hookean:
      return "neo-hookean";
  }
  return "";
}

void Material::validate(const std::string& element) const {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (!positive(young))
    throw Error(element, "has a Young's modulus that is not positive", "give it in pascals");
  if (!(poisson > -1 && poisson < 0.5))
    throw Error(element, "has a Poisson's ratio that is not between -1 and 0.5",
                "give e.g. 0.4; 0.5 would be incompressible");
  if (!positive(density))
    throw Error(element, "has a density that is not positive", "give it in kg/m³");
  if (!(std::isfinite(viscosity) && viscosity >= 0))
    throw Error(element, "has a negative viscosity", "give it in Pa s, or 0");
}

Mat3 polar_rotation(const Mat3& F) {
  // Newton's iteration X ← ½ (X + X⁻ᵀ), scaled while far away: quadratic, and much cheaper than
  // singular values. It keeps the sign of the determinant, so inverted elements go the other way.
  if (!(F.determinant() > 0)) return polar_by_svd(F);
  Mat3 X = F;
  for (int k = 0; k < 20; ++k) {
    const double det = X.determinant();
    if (!(std::abs(det) > 1e-12)) break;
    const Mat3 Y = cofactor(X) / det;
    const double gap = (X - Y).squaredNorm();
    const double scale = gap > 1e-2 ? std::sqrt(Y.norm() / X.norm()) : 1;
    X = 0.5 * (scale * X + Y / scale);
    if (gap < 1e-14) return X;  // the step just made leaves an error of gap²
  }
  return polar_by_svd(F);
}

ElasticState::ElasticState(const Material& material, const Mat3& F)
    : model_(material.model), mu_(material.mu()), lambda_(material.lambda()), F_(F) {
  switch (model_) {
    case MaterialModel::corotated: {
      A_ = polar_rotation(F);
      const Mat3 S = A_.transpose() * F;
      a_ = S.trace() - 3;
      turn_ = A_ * turn_matrix(S) * A_.transpose();
      break;
    }
    case MaterialModel::st_venant_kirchhoff: {
      const Mat3 E = 0.5 * (F.transpose() * F - Mat3::Identity());
      A_ = 2 * mu_ * E + lambda_ * E.trace() * Mat3::Identity();
      break;
    }
    case MaterialModel::neo_hookean:
      lambda_ += 5. / 6 * mu_;
      mu_ *= 4. / 3;
      A_ = cofactor(F);
      a_ = F.determinant() - (1 + 0.75 * mu_ / lambda_);
      b_ = F.squaredNorm() + 1;
      break;
  }
}

double ElasticState::energy() const {
  switch (model_) {
    case MaterialModel::corotated:
      return mu_ * (F_ - A_).squaredNorm() + 0.5 * lambda_ * a_ * a_;
    case MaterialModel::st_venant_kirchhoff: {
      const Mat3 E = 0.5 * (F_.transpose() * F_ - Mat3::Identity());
      return mu_ * E.squaredNorm() + 0.5 * lambda_ * E.trace() * E.trace();
    }
    case MaterialModel::neo_hookean: {
      const double rest = 0.75 * mu_ / lambda_;
      return 0.5 * mu_ * (b_ - 4 - std::log(b_ / 4)) + 0.5 * lambda_ * (a_ * a_ - rest * rest);
    }
  }
  return 0;
}

Mat3 ElasticState::stress() const {
  switch (model_) {
    case MaterialModel::corotated:
      return 2 * mu_ * (F_ - A_) + lambda_ * a_ * A_;
    case MaterialModel::st_venant_kirchhoff:
      return F_ * A_;
    case MaterialModel::neo_hookean:
      return mu_ * (1 - 1 / b_) * F_ + lambda_ * a_ * A_;
  }
  return Mat3::Zero();
}

Mat3 ElasticState::stiffness(const Vec3& a, const Vec3& b) const {
  switch (model_) {
    case MaterialModel::corotated: {
      // δR = [ω] R with ω = R (tr S − S)⁻¹ Rᵀ (R b × u).
      const Vec3 Ra = A_ * a, Rb = A_ * b;
      Mat3 K =
          lambda_ * Ra * Rb.transpose() - (lambda_ * a_ - 2 * mu_) * skew(Ra) * turn_ * skew(Rb);
      K.diagonal().array() += 2 * mu_ * a.dot(b);
      return K;
    }
    case MaterialModel::st_venant_kirchhoff: {
      const Vec3 Fa = F_ * a, Fb = F_ * b;
      Mat3 K = mu_ * (a.dot(b) * F_ * F_.transpose() + Fb * Fa.transpose()) +
               lambda_ * Fa * Fb.transpose();
      K.diagonal().array() += a.dot(A_ * b);
      return K;
    }
    case MaterialModel::neo_hookean: {
      // ∂²J for u bᵀ along a: u × F (a × b).
      const Vec3 Fa = F_ * a, Fb = F_ * b, Ca = A_ * a, Cb = A_ * b;
      Mat3 K = (2 * mu_ / (b_ * b_)) * Fa * Fb.transpose() + lambda_ * Ca * Cb.transpose() -
               lambda_ * a_ * skew(F_ * a.cross(b));
      K.diagonal().array() += mu_ * (1 - 1 / b_) * a.dot(b);
      return K;
    }
  }
  return Mat3::Zero();
}

Mat3 viscous_stress(double viscosity, const Mat3& F, const Mat3& Fdot) {
  const Mat3 B = F.transpose() * Fdot;
  return viscosity * F * (B + B.transpose());
}

Mat3 viscous_stiffness(double viscosity, const Mat3& F, const Mat3& Fdot, const Vec3& a,
                       const Vec3& b) {
  const Vec3 Fa = F * a, Fb = F * b, va = Fdot * a, vb = Fdot * b;
  Mat3 K = Fb * va.transpose() + a.dot(b) * F * Fdot.transpose();
  K.diagonal().array() += Fa.dot(vb) + va.dot(Fb);
  return viscosity * K;
}

Mat3 viscous_damping(double viscosity, const Mat3& F, const Vec3& a, const Vec3& b) {
  return viscosity * (a.dot(b) * F * F.transpose() + (F * b) * (F * a).transpose());
}

}  // namespace sinew
