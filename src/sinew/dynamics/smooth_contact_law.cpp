#include "sinew/dynamics/smooth_contact_law.hpp"

#include <cmath>

#include "sinew/dynamics/force_checks.hpp"
#include "sinew/math/smooth_ramp.hpp"

namespace sinew {
namespace {

/// Half-width of the ramp that keeps the damping factor from becoming negative: the factor is
/// exactly 1 + c δ̇ above it, so that it is 1 at δ̇ = 0 and damping does no work of either sign
/// there.
constexpr double kFactorWidth = 0.5;

/// The normal force N = F χ and its derivatives: Eqs. (1) and (3).
struct NormalForce {
  double elastic;   ///< F
  double N;         ///< with damping
  double by_gap;    ///< ∂N/∂g
  double by_speed;  ///< ∂N/∂ġ
};

NormalForce normal_force(const SmoothContactLaw& law, double gap, double gap_rate) {
  const double w = 0.5 * law.onset, depth = -gap;
  const double F = law.stiffness * smooth_ramp(depth - w, w);
  const double x = 1 - law.dissipation * gap_rate;
  const double factor = smooth_ramp(x, kFactorWidth);
  return {F, F * factor, -law.stiffness * smooth_ramp_slope(depth - w, w) * factor,
          -F * law.dissipation * smooth_ramp_slope(x, kFactorWidth)};
}

/// Sliding velocity and its direction as friction sees it: Eq. (4).
struct Sliding {
  Vec3 u_t;
  double s;  ///< √(|u_t|² + v_ε²)
  Vec3 t() const { return u_t / s; }
};

Sliding sliding(const SmoothContactLaw& law, const Vec3& n, const Vec3& u) {
  const Vec3 u_t = u - n.dot(u) * n;
  return {u_t, std::sqrt(u_t.squaredNorm() + law.creep_velocity * law.creep_velocity)};
}

}  // namespace

void SmoothContactLaw::validate(const std::string& name) const {
  require_positive(stiffness, name, "stiffness");
  require_positive(onset, name, "onset");
  require_not_negative(dissipation, name, "dissipation");
  require_not_negative(friction, name, "friction");
  require_positive(creep_velocity, name, "creep velocity");
}

double contact_energy(const SmoothContactLaw& law, double gap) {
  const double w = 0.5 * law.onset;
  return law.stiffness * smooth_ramp_integral(-gap - w, w);
}

SmoothContactForce contact_force(const SmoothContactLaw& law, double gap, const Vec3& n,
                                 const Vec3& u) {
  const double gap_rate = n.dot(u);
  const NormalForce normal = normal_force(law, gap, gap_rate);
  const Sliding slide = sliding(law, n, u);
  const double drag = law.friction * normal.N / slide.s;
  return {normal.N, normal.N * n - drag * slide.u_t,
          (normal.N - normal.elastic) * gap_rate - drag * slide.u_t.squaredNorm()};
}

SmoothContactSlopes contact_slopes(const SmoothContactLaw& law, double gap, const Vec3& n,
                                   const Vec3& u) {
  const NormalForce normal = normal_force(law, gap, n.dot(u));
  const Sliding slide = sliding(law, n, u);
  const Vec3 t = slide.t(), along = n - law.friction * t;  // f = N along
  const Mat3 dt_du = (Mat3::Identity() - n * n.transpose() - t * t.transpose()) / slide.s;
  return {normal.by_gap * along,
          normal.by_speed * along * n.transpose() - law.friction * normal.N * dt_du};
}

}  // namespace sinew
