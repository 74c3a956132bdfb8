#include "sinew/dynamics/soft_limit.hpp"

#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/force_checks.hpp"

namespace sinew {
namespace {

/// How far x is past a limit; an infinite limit is never passed.
double depth(double x) { return x > 0 ? x : 0; }

/// S at depth x, its derivative by x, and ∫ S x dx from 0.
struct Step {
  double value = 0, slope = 0, work = 0;

  Step(double x, double width) {
    if (x <= 0) return;
    const double t = x / width;
    if (t >= 1) {
      value = 1;
      work = 5.0 / 14 * width * width + 0.5 * (x * x - width * width);
      return;
    }
    value = t * t * t * (10 + t * (-15 + 6 * t));
    slope = 30 * t * t * (1 - t) * (1 - t) / width;
    work = width * width * std::pow(t, 5) * (2 + t * (-2.5 + 6.0 / 7 * t));
  }
};

}  // namespace

SoftLimit::SoftLimit(std::string name, DofIndex dof, const Law& law)
    : Force(std::move(name)), dof_(dof), law_(law) {}

void SoftLimit::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const double over = depth(in.q[dof_] - law_.upper), under = depth(law_.lower - in.q[dof_]);
  const Step up(over, law_.transition), low(under, law_.transition);
  const double drag = -law_.damping * (up.value + low.value) * in.qdot[dof_];
  out.tau[dof_] +=
      drag - law_.upper_stiffness * up.value * over + law_.lower_stiffness * low.value * under;
  out.power += drag * in.qdot[dof_];
}

void SoftLimit::add_derivatives(const SkeletonAt& in, StiffnessModel, ForceDerivatives& out) const {
  const double over = depth(in.q[dof_] - law_.upper), under = depth(law_.lower - in.q[dof_]);
  const Step up(over, law_.transition), low(under, law_.transition);
  out.dtau_dq[dof_] -= law_.upper_stiffness * (up.value + up.slope * over) +
                       law_.lower_stiffness * (low.value + low.slope * under) +
                       law_.damping * (up.slope - low.slope) * in.qdot[dof_];
  out.dtau_dqdot[dof_] -= law_.damping * (up.value + low.value);
}

double SoftLimit::potential_energy(const SkeletonAt& in) const {
  const Step up(in.q[dof_] - law_.upper, law_.transition);
  const Step low(law_.lower - in.q[dof_], law_.transition);
  return law_.upper_stiffness * up.work + law_.lower_stiffness * low.work;
}

void SoftLimit::validate(const Skeleton& skeleton) const {
  require_dof(skeleton, dof_, name());
  require_not_negative(law_.lower_stiffness, name(), "lower stiffness");
  require_not_negative(law_.upper_stiffness, name(), "upper stiffness");
  require_not_negative(law_.damping, name(), "damping");
  require_positive(law_.transition, name(), "transition");
  if (!(law_.lower <= law_.upper))
    throw Error("force '" + name() + "'", "has its lower limit above the upper one",
                "give the smaller one first");
}

}  // namespace sinew
