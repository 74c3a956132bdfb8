#include "sinew/muscles/opensim/opensim_path_force.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/force_checks.hpp"
#include "sinew/muscles/opensim/opensim_path_drawing.hpp"

namespace sinew {
namespace {

/// Elements hold no scratch, but a route needs some: one per thread, without memory between calls,
/// which every call writes before it reads.
struct Scratch {
  OpenSimPathWorkspace course;
  std::vector<Vec6> wrench;
  VecX tau;
  MatX dg_dq;
};
Scratch& scratch(const Skeleton& skeleton) {
  thread_local Scratch out;
  out.wrench.assign(static_cast<size_t>(skeleton.link_count()), Vec6::Zero());
  out.tau.setZero(skeleton.dof_count());
  return out;
}

double rate_of(const OpenSimPathOnSkeleton& route, const SkeletonAt& in,
               const OpenSimPathWorkspace& course) {
  double rate = 0;
  for (size_t k = 0; k < route.dofs().size(); ++k) rate += course.dL[k] * in.qdot[route.dofs()[k]];
  return rate;
}

}  // namespace

OpenSimPathForce::OpenSimPathForce(std::shared_ptr<const OpenSimPathOnSkeleton> route, Law law)
    : Force(route->name()), route_(std::move(route)), law_(std::move(law)) {}

OpenSimPathForce::Tension OpenSimPathForce::tension(double length, double rate) const {
  Tension out;
  if (const auto* spring = std::get_if<PathSpringLaw>(&law_)) {
    const double x = length - spring->rest_length;
    if (x <= 0) return out;
    const double still = spring->stiffness * x, moving = 1 + spring->dissipation * rate;
    out.value = still * moving;
    out.by_length = spring->stiffness * moving;
    out.by_rate = still * spring->dissipation;
    out.energy = 0.5 * still * x;
    out.power = -still * spring->dissipation * rate * rate;
    return out;
  }
  const LigamentLaw& law = std::get<LigamentLaw>(law_);
  if (length <= law.rest_length) return out;
  const double strain = length / law.rest_length, one = 1;
  const int argument = 0;
  const JointFunctionValue f = evaluate(law.curve, {&argument, 1}, {&strain, 1}, {&one, 1});
  out.value = law.strength * f.value;
  out.by_length = law.strength * f.gradient[0] / law.rest_length;
  out.power = -out.value * rate;
  return out;
}

void OpenSimPathForce::add_force(const SkeletonAt& in, AppliedForces& out) const {
  Scratch& s = scratch(in.skeleton);
  route_->update(in, s.course);
  route_->update_length_gradient(in, s.course);
  const Tension t = tension(s.course.length, rate_of(*route_, in, s.course));
  out.power += t.power;
  if (t.value == 0) return;
  route_->add_forces(in, t.value, s.course, s.wrench, s.tau);
  for (const int link : route_->links())
    out.wrench[static_cast<size_t>(link)] -= s.wrench[static_cast<size_t>(link)];
  out.tau -= s.tau;
}

void OpenSimPathForce::add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                                       ForceDerivatives& out) const {
  Scratch& s = scratch(in.skeleton);
  route_->update(in, s.course);
  route_->update_length_gradient(in, s.course);
  const Tension t = tension(s.course.length, rate_of(*route_, in, s.course));
  if (t.value == 0 && t.by_length == 0) return;
  const int n = in.skeleton.dof_count();
  s.dg_dq.setZero(n, n);
  route_->add_forces(in, 1, s.course, s.wrench, s.tau);
  if (kind == StiffnessModel::exact) route_->add_derivatives(in, 1, s.course, s.dg_dq);
  // With q, L̇ changes through the directions of the pulls, and with the twists of the links: see
  // below.
  s.tau.noalias() = s.dg_dq.transpose() * in.qdot.head(s.dg_dq.rows());
  s.dg_dq *= t.value;
  const std::vector<int>& dofs = route_->dofs();
  for (size_t c = 0; c < dofs.size(); ++c)
    for (size_t r = 0; r < dofs.size(); ++r)
      s.dg_dq(dofs[r], dofs[c]) +=
          s.course.dL[r] * (t.by_length * s.course.dL[c] + t.by_rate * s.tau[dofs[c]]);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      if (s.dg_dq(i, j) == 0) continue;
      if (i == j)
        out.dtau_dq[i] -= s.dg_dq(i, i);
      else
        out.coordinate_pairs.push_back({i, j, -s.dg_dq(i, j)});
    }
  if (t.by_rate == 0) return;
  // L̇ = Σ w·ν over the links, w the wrench that holds 1 N.
  for (const int a : route_->links())
    for (const int b : route_->links())
      out.add(a, b, Mat6::Zero(),
              -t.by_rate * s.wrench[static_cast<size_t>(a)] *
                  s.wrench[static_cast<size_t>(b)].transpose());
}

double OpenSimPathForce::potential_energy(const SkeletonAt& in) const {
  Scratch& s = scratch(in.skeleton);
  route_->update(in, s.course);
  return tension(s.course.length, 0).energy;
}

Obstacle OpenSimPathForce::obstacle() const {
  const OpenSimPath& path = route_->path();
  const auto any_point = [&](auto&& is) {
    return std::any_of(path.points.begin(), path.points.end(), is);
  };
  if (!path.surfaces.empty() ||
      any_point([](const OpenSimPathPoint& point) { return point.condition.valid(); }))
    return {"follows a path by OpenSim's rules, which jumps", "remove its surfaces"};
  const auto* spring = std::get_if<PathSpringLaw>(&law_);
  if (spring != nullptr && spring->dissipation != 0 &&
      any_point([](const OpenSimPathPoint& point) { return !point.motions.empty(); }))
    return {"dissipates along points that move, whose derivatives are not complete",
            "set its dissipation to 0"};
  return {};
}

int OpenSimPathForce::piece(const SkeletonAt& in) const {
  Scratch& s = scratch(in.skeleton);
  route_->update(in, s.course);
  return tension(s.course.length, 0).value != 0 ? 1 : 0;
}

void OpenSimPathForce::validate(const Skeleton&) const {
  if (const auto* spring = std::get_if<PathSpringLaw>(&law_)) {
    require_not_negative(spring->stiffness, name(), "stiffness");
    require_not_negative(spring->dissipation, name(), "dissipation");
    require_not_negative(spring->rest_length, name(), "rest length");
    return;
  }
  const LigamentLaw& law = std::get<LigamentLaw>(law_);
  require_not_negative(law.strength, name(), "strength");
  require_positive(law.rest_length, name(), "rest length");
  if (const std::string defect = function_defect(law.curve);
      !defect.empty() || argument_count(law.curve) > 1)
    throw Error("force '" + name() + "'", "its curve cannot be evaluated: " + defect,
                "give a function of one argument with finite numbers");
}

std::vector<MovingShape> OpenSimPathForce::shapes() const {
  return {{name(), "path", drawing_points(route_->path())}};
}

void OpenSimPathForce::draw(const SkeletonAt& in, std::vector<double>& points) const {
  OpenSimPathWorkspace& course = scratch(in.skeleton).course;
  route_->update(in, course);
  std::vector<Vec3> line;
  draw_opensim_path(*route_, course, line);
  for (const Vec3& x : line) points.insert(points.end(), x.begin(), x.end());
}

}  // namespace sinew
