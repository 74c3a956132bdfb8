#include "sinew/constraints/contact/hertz_contact_law.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/dynamics/force_checks.hpp"

namespace sinew {
namespace {

/// A quantity and its derivative.
struct Slope {
  double value, slope;
};

/// ½ (1 + tanh x).
Slope step(double x) {
  const double t = std::tanh(x);
  return {0.5 * (1 + t), 0.5 * (1 - t * t)};
}

/// Hertz's force by depth: Eqs. (1) and (4).
Slope elastic_force(const HertzContactLaw& law, double radius, double depth) {
  const double factor = 4.0 / 3 * law.modulus * std::sqrt(radius * law.modulus);
  if (!law.smooth) {
    if (!(depth > 0)) return {0, 0};
    const double root = std::sqrt(depth);
    return {factor * depth * root, 1.5 * factor * root};
  }
  const double square = depth * depth + law.smoothing;
  const double power = factor * std::pow(square, 0.75);
  const Slope on = step(law.depth_sharpness * depth);
  return {power * on.value,
          1.5 * power * depth / square * on.value + power * law.depth_sharpness * on.slope};
}

/// Factor of damping by the speed v at which the depth grows: Eqs. (2) and (5).
Slope damping_factor(const HertzContactLaw& law, double v) {
  const double c = 1.5 * law.dissipation;
  if (!law.smooth) return 1 + c * v > 0 ? Slope{1 + c * v, c} : Slope{0, 0};
  if (c == 0) return {1, 0};
  const Slope on = step(law.velocity_sharpness * (v + 1 / c));
  return {(1 + c * v) * on.value, c * on.value + (1 + c * v) * law.velocity_sharpness * on.slope};
}

/// m(s) = μ(s)/s of Eq. (6), and m′/s: neither is singular at rest.
Slope friction_ratio(const HertzContactLaw& law, double s) {
  const double v = law.transition_velocity, r = s / v;
  const double excess = 2 * (law.static_friction - law.dynamic_friction), d = 1 + r * r;
  const double g = law.dynamic_friction + excess / d;
  const double g_by_s2 = -2 * excess / (v * v * d * d);  // g′/s
  if (r < 1) return {g / v + law.viscous_friction, g_by_s2 / v};
  return {g / s + law.viscous_friction, (g_by_s2 - g / (s * s)) / s};
}

/// All quantities of one contact.
struct Parts {
  Slope elastic, damping, friction;
  Vec3 u_t;

  Parts(const HertzContactLaw& law, double radius, double gap, const Vec3& n, const Vec3& u)
      : elastic(elastic_force(law, radius, -gap)),
        damping(damping_factor(law, -n.dot(u))),
        u_t(u - n.dot(u) * n) {
    const double s2 = u_t.squaredNorm() + (law.smooth ? law.smoothing : 0);
    friction = friction_ratio(law, std::sqrt(s2));
  }
  double normal() const { return elastic.value * damping.value; }
  /// The force over the normal force.
  Vec3 direction(const Vec3& n) const { return n - friction.value * u_t; }
};

/// The smooth law is zero where 1 − tanh is below 1e-17.
bool too_far(const HertzContactLaw& law, double gap) {
  return law.smooth ? law.depth_sharpness * gap > 20 : gap >= 0;
}

}  // namespace

void HertzContactLaw::validate(const std::string& name) const {
  require_positive(modulus, name, "stiffness");
  require_not_negative(dissipation, name, "dissipation");
  require_not_negative(static_friction, name, "static friction");
  require_not_negative(dynamic_friction, name, "dynamic friction");
  require_not_negative(viscous_friction, name, "viscous friction");
  require_positive(transition_velocity, name, "transition velocity");
  require_not_negative(share, name, "place of the force");
  if (!smooth) return;
  require_positive(smoothing, name, "constant of smoothing");
  require_positive(depth_sharpness, name, "smoothing of Hertz's force");
  require_positive(velocity_sharpness, name, "smoothing of the damping");
}

HertzContactLaw combine(const HertzMaterial& sphere, const HertzMaterial& plane,
                        double transition_velocity) {
  const double a = std::pow(sphere.stiffness, 2.0 / 3), b = std::pow(plane.stiffness, 2.0 / 3);
  const auto mean = [](double x, double y) { return x + y > 0 ? 2 * x * y / (x + y) : 0; };
  HertzContactLaw law;
  law.share = b / (a + b);
  law.modulus = a * law.share;
  law.dissipation = sphere.dissipation * law.share + plane.dissipation * (1 - law.share);
  law.static_friction = mean(sphere.static_friction, plane.static_friction);
  law.dynamic_friction = mean(sphere.dynamic_friction, plane.dynamic_friction);
  law.viscous_friction = mean(sphere.viscous_friction, plane.viscous_friction);
  law.transition_velocity = transition_velocity;
  return law;
}

HertzContactForce hertz_force(const HertzContactLaw& law, double radius, double gap, const Vec3& n,
                              const Vec3& u) {
  if (too_far(law, gap)) return {0, 0, Vec3::Zero()};
  const Parts parts(law, radius, gap, n, u);
  return {parts.elastic.value, parts.normal(), parts.normal() * parts.direction(n)};
}

double hertz_energy(const HertzContactLaw& law, double radius, double gap) {
  if (law.smooth || too_far(law, gap)) return 0;
  return -0.4 * gap * elastic_force(law, radius, -gap).value;
}

int hertz_piece(const HertzContactLaw& law, double gap, const Vec3& n, const Vec3& u) {
  if (too_far(law, gap)) return 0;
  const Parts parts(law, 1, gap, n, u);
  const double s2 = parts.u_t.squaredNorm() + (law.smooth ? law.smoothing : 0);
  const int fast = s2 > law.transition_velocity * law.transition_velocity ? 1 : 0;
  if (law.smooth) return fast;
  return 1 + fast + (parts.damping.value > 0 ? 2 : 0);
}

HertzContactSlopes hertz_slopes(const HertzContactLaw& law, double radius, double gap,
                                const Vec3& n, const Vec3& u) {
  if (too_far(law, gap)) return {Vec3::Zero(), Mat3::Zero()};
  const Parts parts(law, radius, gap, n, u);
  const Vec3 direction = parts.direction(n);
  const Mat3 across = Mat3::Identity() - n * n.transpose();
  const Mat3 turn =
      parts.friction.value * across + parts.friction.slope * parts.u_t * parts.u_t.transpose();
  return {-parts.elastic.slope * parts.damping.value * direction,
          -parts.elastic.value * parts.damping.slope * direction * n.transpose() -
              parts.normal() * turn};
}

}  // namespace sinew
