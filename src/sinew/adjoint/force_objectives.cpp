#include "sinew/adjoint/force_objectives.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/contact_plane.hpp"
#include "sinew/system/element_sums.hpp"

namespace sinew {
namespace {

/// Its kinematics must be those of the last update_kinematics.
SkeletonAt skeleton_of(const Objective::At& at, const State& state) {
  return skeleton_at(at.system, state, at.ws.border->expanded(state), at.ws);
}

/// Calls f(link) for the links that a contact pushes: all but that of its plane.
template <class F>
void for_each_pushed_link(const System& system, const Force& contact, F&& f) {
  const int ground = link_of(system.skeleton(), contact.arrow().from->body);
  for (int a = 0; a < system.skeleton().link_count(); ++a)
    if (a != ground) f(a);
}

}  // namespace

std::vector<std::string> ReactionTarget::names(const System& system) {
  Workspace ws(system);
  const auto measured = measure_constraints(system, system.default_state(), ws);
  std::vector<std::string> out;
  for (size_t k = 0; k < measured.size(); ++k)
    for (const Measurement& m : measured[k])
      out.push_back(system.constraints()[k]->name() + "_" + m.name);
  return out;
}

ReactionTarget::ReactionTarget(const System& system, const std::string& name, TimeFunction target,
                               double weight, Moments when)
    : LeastSquares(weight, std::move(when)), target_(std::move(target)) {
  if (this->when().counts_start())
    throw Error("reaction '" + name + "'", "is known after steps, not at the start of the run",
                "choose later times");
  Workspace ws(system);
  const auto measured = measure_constraints(system, system.default_state(), ws);
  for (size_t k = 0; k < measured.size(); ++k) {
    const Constraint& constraint = *system.constraints()[k];
    for (size_t m = 0; m < measured[k].size(); ++m)
      if (constraint.name() + "_" + measured[k][m].name == name) {
        constraint_ = k;
        measurement_ = m;
        rows_ = constraint.rows();
        return;
      }
    first_row_ += constraint.rows();
  }
  throw Error("reaction", "'" + name + "' is not a reaction of the model's constraints",
              measured.empty() ? "the model has no constraints" : suggest(name, names(system)));
}

double ReactionTarget::measure(const At& at, const State& state,
                               std::span<const double> lambda) const {
  return at.system.constraints()[constraint_]
      ->measure(skeleton_of(at, state), lambda)[measurement_]
      .value;
}

LeastSquares::Residual ReactionTarget::residual(const At& at) const {
  update_kinematics(at.system, at.state, at.ws);
  const double* lambda = at.lambda.data() + first_row_;
  const double now = measure(at, at.state, {lambda, static_cast<size_t>(rows_)});
  return Residual::Constant(1, now - target_.derivatives(at.state.t)[0]);
}

/// A reaction is C(q) λ. Elements tell its value, so that C comes from unit multipliers, and ∂C/∂q
/// from differences of fourth order of that one evaluation: over 1e-3 rad or m, geometry of 0.1 m
/// leaves 3e-10 of it, and rounding 1e-13.
void ReactionTarget::pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const {
  std::vector<double> unit(static_cast<size_t>(rows_));
  for (Eigen::Index r = 0; r < rows_; ++r) {
    unit[static_cast<size_t>(r)] = 1;
    bar.lambda[first_row_ + r] += r_bar[0] * measure(at, at.state, unit);
    unit[static_cast<size_t>(r)] = 0;
  }
  constexpr double kStep = 0x1p-10;
  const std::span<const double> lambda{at.lambda.data() + first_row_, unit.size()};
  State moved = at.state;
  for (Eigen::Index k = 0; k < moved.q.size(); ++k) {
    const auto value = [&](double h) {
      moved.q[k] = at.state.q[k] + h;
      update_kinematics(at.system, moved, at.ws);
      return measure(at, moved, lambda);
    };
    const double near = value(kStep) - value(-kStep), far = value(2 * kStep) - value(-2 * kStep);
    bar.q[k] += r_bar[0] * (8 * near - far) / (12 * kStep);
    moved.q[k] = at.state.q[k];
  }
}

ContactForceTarget::ContactForceTarget(const System& system,
                                       const std::vector<std::string>& contacts, const Vec3& target,
                                       double weight, Moments when)
    : LeastSquares(weight, std::move(when)), target_(target) {
  if (system.has(Feature::dependent_coordinates))
    throw Error("contact", "its force is not differentiated where coordinates depend on others",
                "judge how bodies move");
  std::vector<std::string> names;
  for (const auto& force : system.forces())
    if (force->arrow().from != nullptr) names.push_back(force->name());
  for (const std::string& name : contacts) {
    const auto found = std::find_if(
        system.forces().begin(), system.forces().end(),
        [&](const auto& f) { return f->arrow().from != nullptr && f->name() == name; });
    if (found == system.forces().end())
      throw Error(
          "contact", "'" + name + "' is not a smooth contact of the model",
          names.empty() ? "the model has none: give it a ground-contact" : suggest(name, names));
    contacts_.push_back(static_cast<size_t>(found - system.forces().begin()));
  }
}

LeastSquares::Residual ContactForceTarget::residual(const At& at) const {
  update_kinematics(at.system, at.state, at.ws);
  const SkeletonAt in = skeleton_of(at, at.state);
  Vec3 sum = -target_;
  for (const size_t k : contacts_) {
    const Force& contact = *at.system.forces()[k];
    AppliedForces applied(at.system.skeleton());
    contact.add_force(in, applied);
    for_each_pushed_link(at.system, contact,
                         [&](int a) { sum += applied.wrench[static_cast<size_t>(a)].tail<3>(); });
  }
  return sum;
}

/// The force on link a changes by the lower half of K_ab ξ_b + D_ab ν_b, and turns with it: by
/// θ_a × F_a. For coordinate m, of axis s, ξ = s and ν = ṡ by q_m, ν = s by q̇_m.
void ContactForceTarget::pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const {
  const Skeleton& skeleton = at.system.skeleton();
  const Vec3 f_bar = r_bar;
  // Axes and their rates.
  Linearization unused;
  VecX g(at.system.dof_count());
  linearize(at.system, at.state, VecX::Zero(g.size()), StiffnessModel::exact, at.ws, g, unused);
  const DerivativeWorkspace& axes = linearizer(at.system, at.ws).skeleton;
  const SkeletonAt in = skeleton_of(at, at.state);
  const Vec3 origin = common_origin(at.ws.skeleton);
  // Adds (c_s · s + c_sdot · ṡ) of the coordinates that move link b, and c_s · s for q̇.
  const auto add = [&](int b, const Vec6& by_s, const Vec6& by_sdot) {
    const Vec3 d = at.ws.skeleton.link[static_cast<size_t>(b)].p - origin;
    // A twist about the common origin: v + ω × d at the link's. So of its dual.
    const auto to_common = [&](Vec6 c) {
      c.head<3>() += d.cross(c.tail<3>());
      return c;
    };
    const Vec6 c = to_common(by_s), cdot = to_common(by_sdot);
    for (int i = b; i > 0; i = skeleton.link(i).parent) {
      const Link& link = skeleton.link(i);
      for (int m = link.dof; m < link.dof + link.dof_count; ++m) {
        const auto axis = static_cast<size_t>(m);
        bar.q[m] += c.dot(axes.s[axis]) + cdot.dot(axes.sdot[axis]);
        bar.qdot[m] += cdot.dot(axes.s[axis]);
      }
    }
  };
  for (const size_t k : contacts_) {
    const Force& contact = *at.system.forces()[k];
    AppliedForces applied(skeleton);
    contact.add_force(in, applied);
    ForceDerivatives slopes(skeleton);
    contact.add_derivatives(in, StiffnessModel::exact, slopes);
    for_each_pushed_link(at.system, contact, [&](int a) {
      const auto place = static_cast<size_t>(a);
      Vec6 turning = Vec6::Zero();
      turning.head<3>() = applied.wrench[place].tail<3>().cross(f_bar);
      add(a, turning, Vec6::Zero());
      if (slopes.touched[place])
        add(a, slopes.K[place].bottomRows<3>().transpose() * f_bar,
            slopes.D[place].bottomRows<3>().transpose() * f_bar);
      for (const ForceDerivatives::Pair& pair : slopes.pairs)
        if (pair.a == a)
          add(pair.b, pair.K.bottomRows<3>().transpose() * f_bar,
              pair.D.bottomRows<3>().transpose() * f_bar);
    });
  }
}

}  // namespace sinew
