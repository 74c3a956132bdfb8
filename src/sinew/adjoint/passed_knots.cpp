#include "sinew/adjoint/passed_knots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/core/error.hpp"
#include "sinew/muscles/muscle_element.hpp"
#include "sinew/muscles/opensim/opensim_path_force.hpp"

namespace sinew {
namespace {

/// The highest derivative in forces: f'' of what moves mass, f' of a path that only pulls.
constexpr int kOfMass = 2, kOfPull = 1;
/// Of the distance between the outermost knots: what Newton's method leaves of a coordinate that is
/// held on a knot.
constexpr double kOnKnot = 1e-9;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Calls visit(axis, first coordinate of its joint) for all function joints in a joint.
template <class Visit>
void visit_axes(const Joint& joint, int first, const Visit& visit) {
  if (const auto* function = std::get_if<FunctionJoint>(&joint.variant())) {
    for (const auto* axes : {&function->rotation(), &function->translation()})
      for (const TransformAxis& axis : *axes) visit(axis, first);
  } else if (const auto* series = std::get_if<Composite>(&joint.variant())) {
    for (const Joint& part : series->parts) {
      visit_axes(part, first, visit);
      first += part.dof();
    }
  }
}

/// Those of a function whose argument is held within limits.
std::vector<FunctionKnot> knots_within(const ScalarFunction& f, double lower, double upper) {
  std::vector<FunctionKnot> out;
  const auto add_limit = [&](double x) {
    if (!std::isfinite(x)) return;
    const int argument = 0;
    const double one = 1;
    const JointFunctionValue at = evaluate(f, {&argument, 1}, {&x, 1}, {&one, 1});
    const double derivatives[] = {at.gradient[0], at.hessian[0][0], at.third[0]};
    for (int k = 0; k < 3; ++k)
      if (derivatives[k] != 0) return out.push_back({x, k + 1});
  };
  add_limit(lower);
  for (const FunctionKnot& knot : knots_of(f))
    if (knot.x > lower && knot.x < upper) out.push_back(knot);
  add_limit(upper);
  return out;
}

bool lies_between(double x, double a, double b) { return (a < x && x < b) || (b < x && x < a); }

}  // namespace

PassedKnots::PassedKnots(const System& system) {
  add_joints(system);
  add_rows_and_map(system);
  add_muscles(system);
  for (const auto& force : system.forces())
    if (const auto* along = dynamic_cast<const OpenSimPathForce*>(force.get()))
      add_opensim_path("force '" + along->name() + "'", system.skeleton(), along->path());
  restart();
}

void PassedKnots::add_rows_and_map(const System& system) {
  const std::vector<Coordinate>& all = system.skeleton().coordinates();
  for (const auto& constraint : system.constraints())
    if (const auto* coupling = dynamic_cast<const CoordinateCoupling*>(constraint.get()))
      for (const CoordinateCoupling::Term& term : coupling->terms())
        if (term.arguments.size() == 1) {
          const int dof = term.arguments[0].value;
          add("constraint '" + coupling->name() + "'", false, dof,
              all[static_cast<size_t>(dof)].name, knots_of(term.f), kOfMass);
        }
  if (const CoordinateMap* map = system.coordinate_map())
    for (const CoordinateMap::Term& term : map->terms())
      if (term.arguments.size() == 1 && term.arguments[0] != CoordinateMap::kTime) {
        const int free = term.arguments[0];
        add("coordinate '" + all[static_cast<size_t>(term.dof)].name + "'", true, free,
            map->coordinates()[static_cast<size_t>(free)].name, knots_of(term.f), kOfMass);
      }
}

void PassedKnots::add_joints(const System& system) {
  const Skeleton& skeleton = system.skeleton();
  for (const Body& body : skeleton.bodies())
    visit_axes(body.joint, body.first_dof.value, [&](const TransformAxis& axis, int first) {
      if (axis.coordinates.size() != 1) return;
      const int dof = first + axis.coordinates[0];
      add("joint '" + body.joint_name + "'", false, dof,
          skeleton.coordinates()[static_cast<size_t>(dof)].name, knots_of(axis.function), kOfMass);
    });
}

void PassedKnots::add_muscles(const System& system) {
  const Skeleton& skeleton = system.skeleton();
  for (const auto& element : system.muscles()) {
    const Muscle& muscle = element->muscle();
    const std::string name = "muscle '" + muscle.name + "'";
    if (muscle.opensim_path) add_opensim_path(name, skeleton, *muscle.opensim_path);
    if (muscle.opensim_path && !muscle.has_mass()) continue;
    for (const PathPoint& point : muscle.points)
      for (const PathTerm& term : point.terms)
        for (const PathWeight& weight : term.weights)
          if (const auto* f = std::get_if<ScalarFunction>(&weight.function))
            add(name, false, weight.dof.value,
                skeleton.coordinates()[static_cast<size_t>(weight.dof.value)].name, knots_of(*f),
                muscle.has_mass() ? kOfMass : kOfPull);
  }
}

void PassedKnots::add_opensim_path(const std::string& element, const Skeleton& skeleton,
                                   const OpenSimPath& path) {
  for (const OpenSimPathPoint& point : path.points)
    for (const OpenSimPathPoint::Motion& motion : point.motions)
      if (motion.dof.valid())
        add(element, false, motion.dof.value,
            skeleton.coordinates()[static_cast<size_t>(motion.dof.value)].name,
            knots_within(motion.f, motion.lower, motion.upper), kOfPull);
}

void PassedKnots::add(const std::string& element, bool of_state, int dof,
                      const std::string& coordinate, const std::vector<FunctionKnot>& knots,
                      int highest_jump) {
  if (knots.empty()) return;
  auto at = std::find_if(watched_.begin(), watched_.end(), [&](const Watched& w) {
    return w.element == element && w.of_state == of_state && w.dof == dof;
  });
  if (at == watched_.end())
    at = watched_.insert(watched_.end(), {element, coordinate, of_state, dof, {}, {}});
  const double rounding = kOnKnot * std::max(knots.back().x - knots.front().x, 1e-3);
  at->rounding = std::max(at->rounding, rounding);
  for (const FunctionKnot& knot : knots) {
    if (knot.order <= highest_jump) {
      at->jumps.push_back({element, coordinate, knot});
    } else if (knot.order == highest_jump + 1) {
      // Functions of one element often share their knots.
      if (std::none_of(at->kinks.begin(), at->kinks.end(),
                       [&](double x) { return std::abs(x - knot.x) < rounding; }))
        at->kinks.push_back(knot.x);
    }
  }
}

void PassedKnots::restart() {
  for (Watched& w : watched_) {
    w.last = kNone;
    w.passed = 0;
  }
}

const PassedKnots::Jump* PassedKnots::pass(const VecView& skeleton_q, const VecView& state_q) {
  const Jump* jump = nullptr;
  for (Watched& w : watched_) {
    const double q = (w.of_state ? state_q : skeleton_q)[w.dof];
    const auto is_at = [&](double x) { return std::abs(x - q) < w.rounding; };
    if (std::any_of(w.kinks.begin(), w.kinks.end(), is_at) ||
        std::any_of(w.jumps.begin(), w.jumps.end(), [&](const Jump& j) { return is_at(j.knot.x); }))
      continue;
    for (const Jump& j : w.jumps)
      if (jump == nullptr && lies_between(j.knot.x, w.last, q)) jump = &j;
    for (const double x : w.kinks) w.passed += lies_between(x, w.last, q);
    w.last = q;
  }
  return jump;
}

std::vector<PassedKnots::Count> PassedKnots::counts() const {
  std::vector<Count> out;
  for (const Watched& w : watched_) {
    if (w.passed == 0) continue;
    if (!out.empty() && out.back().element == w.element)
      out.back().count += w.passed;
    else
      out.push_back({w.element, w.passed});
  }
  return out;
}

void throw_jump(const PassedKnots::Jump& jump, double t) {
  constexpr const char* kWhat[] = {"value", "slope", "curvature"};
  throw Error(jump.element,
              fmt::format("the {} of its function of '{}' jumps at {:.6g}, which the run passes at "
                          "t = {:.6g} s, and forces jump there",
                          kWhat[jump.knot.order], jump.coordinate, jump.knot.x, t),
              "give the function points beyond, or a natural spline in its place, or keep the "
              "coordinate on one side");
}

}  // namespace sinew
