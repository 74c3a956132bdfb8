#include "sinew/model/joints/product_of_exponentials.hpp"

#include "sinew/math/so3.hpp"

namespace sinew {
namespace {

double dot(const std::array<double, kMaxJointDofs>& a, Coordinates b) {
  double sum = 0;
  for (size_t i = 0; i < b.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// exp(gφ), the short way for the twists that most factors have.
Pose exponential(const Vec6& g, double phi) {
  const Vec3 w = g.head<3>(), v = g.tail<3>();
  if (w.isZero(0)) return Pose::Translation(v * phi);
  if (v.isZero(0)) return Pose::Rotation(exp_so3(w * phi));
  return exp(g * phi);
}

/// Whether φ varies with q_i at all here: then, and only then, column i of anything changes.
bool varies(const JointFunctionValue& phi, int i, int n) {
  if (phi.gradient[i] != 0 || phi.third[i] != 0) return true;
  for (int j = 0; j < n; ++j)
    if (phi.hessian[i][j] != 0) return true;
  return false;
}

}  // namespace

// With A_k = Ad(exp(g_k φ_k))⁻¹, whose rate is Ȧ_k = −φ̇_k ad(g_k) A_k = −φ̇_k A_k ad(g_k), the
// columns μⁱ of S and their rates follow factor by factor (Lee and Terzopoulos 2008 Eq 29 and Eq 31
// contracted with q̇):
//     μⁱ ← g ∂ᵢφ + A μⁱ
//     μ̇ⁱ ← g ∂ᵢφ̇ + A (μ̇ⁱ + ad(μⁱ) g φ̇),   ∂ᵢφ̇ = Σ_j φ_ij q̇_j.
// A column is zero until the first factor that varies with its coordinate; that skips half the work
// for Euler angles.
void evaluate_product(const Pose& H, std::span<const ExponentialFactor> factors, Coordinates qdot,
                      JointMotion& out) {
  const int n = static_cast<int>(qdot.size());
  std::array<bool, kMaxJointDofs> begun{};
  out.Q = H;
  out.S.setZero(6, n);
  out.Sdot.setZero(6, n);
  for (const auto& [g, phi] : factors) {
    const Pose E = exponential(g, phi.value);
    const double phi_dot = dot(phi.gradient, qdot);
    out.Q = out.Q * E;
    for (int i = 0; i < n; ++i) {
      if (begun[i]) {
        const Vec6 mu = out.S.col(i), mu_dot = out.Sdot.col(i);
        out.S.col(i) = Ad_inverse_times(E, mu);
        out.Sdot.col(i) = Ad_inverse_times(E, mu_dot + ad_times(mu, g) * phi_dot);
      }
      if (varies(phi, i, n)) {
        out.S.col(i) += g * phi.gradient[i];
        out.Sdot.col(i) += g * dot(phi.hessian[i], qdot);
        begun[i] = true;
      }
    }
  }
}

// ∂_jμⁱ is Lee and Terzopoulos 2008 Eq 31. For ∂(Ṡq̇)/∂q the recursion is first contracted with q̇,
// twist u = Sq̇ and bias w = Ṡq̇ (φ̈ at q̈ = 0),
//     u ← g φ̇ + A u,     w ← g φ̈ + A b,     b = w + ad(u) g φ̇,
// and only then differentiated, using ∂_mA x = A ad(x) g ∂_mφ:
//     ∂_m u ← g ∂_mφ̇ + A (∂_m u + ad(u) g ∂_mφ)
//     ∂_m w ← g ∂_mφ̈ + A (∂_m w + ad(∂_m u) g φ̇ + ad(u) g ∂_mφ̇ + ad(b) g ∂_mφ).
void differentiate_product(std::span<const ExponentialFactor> factors, Coordinates qdot,
                           JointMotionDerivatives& out) {
  const int n = static_cast<int>(qdot.size());
  set_zero(n, out);
  Mat6Xb S = Mat6Xb::Zero(6, n), du = Mat6Xb::Zero(6, n);
  Vec6 u = Vec6::Zero(), w = Vec6::Zero();
  std::array<bool, kMaxJointDofs> begun{}, begins{};  // before this factor; with it
  for (const auto& [g, phi] : factors) {
    const Pose E = exponential(g, phi.value);
    std::array<double, kMaxJointDofs> dphi_dot{};
    for (int i = 0; i < n; ++i) {
      dphi_dot[i] = dot(phi.hessian[i], qdot);
      begins[i] = begun[i] || varies(phi, i, n);
    }
    const double phi_dot = dot(phi.gradient, qdot), phi_ddot = dot(dphi_dot, qdot);

    const Vec6 ad_u_g = ad_times(u, g);
    const Vec6 b = w + ad_u_g * phi_dot;
    const Vec6 ad_b_g = ad_times(b, g);
    for (int m = 0; m < n; ++m) {
      if (!begins[m]) continue;
      const Vec6 du_m = du.col(m), dw_m = out.dSdot_qdot.col(m);
      const Vec6 dw_before =
          dw_m + ad_times(du_m, g) * phi_dot + ad_u_g * dphi_dot[m] + ad_b_g * phi.gradient[m];
      out.dSdot_qdot.col(m) = g * phi.third[m] + Ad_inverse_times(E, dw_before);
      du.col(m) = g * dphi_dot[m] + Ad_inverse_times(E, du_m + ad_u_g * phi.gradient[m]);
    }
    w = g * phi_ddot + Ad_inverse_times(E, b);
    u = g * phi_dot + Ad_inverse_times(E, u);

    for (int i = 0; i < n; ++i) {
      if (!begins[i]) continue;
      const Vec6 mu = S.col(i), ad_mu_g = ad_times(mu, g);
      for (int j = 0; j < n; ++j) {
        if (!begins[j]) continue;
        const Vec6 dmu = out.dS[j].col(i);
        out.dS[j].col(i) = g * phi.hessian[i][j];
        if (begun[i]) out.dS[j].col(i) += Ad_inverse_times(E, dmu + ad_mu_g * phi.gradient[j]);
      }
      S.col(i) = g * phi.gradient[i] + Ad_inverse_times(E, mu);
    }
    begun = begins;
  }
}

void set_zero(int n, JointMotionDerivatives& out) {
  for (int k = 0; k < n; ++k) out.dS[k].setZero(6, n);
  out.dSdot_qdot.setZero(6, n);
}

}  // namespace sinew
