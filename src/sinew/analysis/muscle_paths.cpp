#include "sinew/analysis/muscle_paths.hpp"

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/muscles/muscles.hpp"

namespace sinew {
namespace {

using Shape = SpanShape<PathDual>;

/// Moment arms by the coordinates of a state from the gradient of a length by those of elements.
VecX moment_arms(const System& system, const Workspace& ws, const VecX& gradient) {
  const auto n = static_cast<Eigen::Index>(system.coordinates().size());
  return -ws.border->pulled(gradient).col(0).head(n);
}

void add_nodes(const MuscleElement& muscle, const MuscleWorkspace& ws, MusclePath& out) {
  out.nodes.clear();
  out.wrapped_angle = 0;
  for (size_t j = 0; j < muscle.muscle().spans.size(); ++j) {
    const Shape& shape = ws.kernel.shape(static_cast<int>(j));
    const MuscleWorkspace::SpanColumns& S = ws.spans[j];
    for (int k = j == 0 ? 0 : 1; k <= shape.pieces; ++k) {
      const auto& y = shape.node[static_cast<size_t>(k)];
      out.nodes.push_back(S.p + S.R * Vec3(y[0].v, y[1].v, y[2].v));
    }
    out.wrapped_angle += shape.wrapped_angle.v;
  }
}

/// Whether a muscle's path may be lost: one around surfaces, or with tendons that may be too long.
bool may_fail(const MuscleElement& muscle) {
  if (muscle.muscle().has_mass() && muscle.muscle().material.B0 < 0) return true;
  for (const PathSpan& span : muscle.muscle().spans)
    if (!std::holds_alternative<Straight>(span.wrap)) return true;
  return false;
}

void update_span_path(size_t k, const System& system, const SkeletonAt& in, Workspace& ws,
                      MusclePath& out) {
  const MuscleElement& muscle = *system.muscles()[k];
  MuscleWorkspace& path = muscle_scratch(ws).path;
  muscle.update(in, nullptr, MuscleView::path, path);
  muscle.update_length_gradient(path);
  VecX gradient = VecX::Zero(in.q.size());
  for (size_t l = 0; l < muscle.dofs().size(); ++l) gradient[muscle.dofs()[l]] = path.dL[l];
  out.length = muscle.length(path);
  out.rate = gradient.dot(in.qdot);
  out.tension = muscle_scratch(ws).tension[k];
  out.status = muscle.status(path);
  out.moment_arms = moment_arms(system, ws, gradient);
  add_nodes(muscle, path, out);
}

void update_route(const OpenSimPathOnSkeleton& route, const System& system, const SkeletonAt& in,
                  Workspace& ws, MusclePath& out) {
  OpenSimPathWorkspace& course = muscle_scratch(ws).route;
  route.update(in, course);
  route.update_length_gradient(in, course);
  VecX gradient = VecX::Zero(in.q.size());
  for (size_t k = 0; k < route.dofs().size(); ++k) gradient[route.dofs()[k]] = course.dL[k];
  out = MusclePath();
  out.length = course.length;
  out.rate = gradient.dot(in.qdot);
  out.moment_arms = moment_arms(system, ws, gradient);
  for (const RouteNode& node : course.nodes) {
    out.nodes.push_back(node.x);
    if (node.surface >= 0) out.status = SpanStatus::wrapped;
  }
}

/// Whether no path is taut because an end is not outside the surface.
bool is_inside(const Wrap& wrap, const Vec3& o, const Vec3& i) {
  return std::visit(
      [&](auto exact) {
        // The smooth models of these two have a path from inside, too.
        if constexpr (std::is_same_v<decltype(exact), CylinderWrap> ||
                      std::is_same_v<decltype(exact), SphereWrap>)
          exact.model = WrapKind::exact;
        return exact.solve(o, i).status == SpanStatus::anchor_inside;
      },
      wrap);
}

bool is_inside(const MuscleElement& muscle, const SkeletonAt& in, MuscleWorkspace& ws) {
  muscle.update(in, nullptr, MuscleView::path, ws);
  for (size_t j = 0; j < muscle.muscle().spans.size(); ++j)
    if (is_inside(muscle.muscle().spans[j].wrap, ws.motion[j].x[0], ws.motion[j].x[1])) return true;
  return false;
}

bool is_inside(const OpenSimPathOnSkeleton& route, const SkeletonAt& in, OpenSimPathWorkspace& ws) {
  route.update(in, ws);
  for (size_t s = 0; s < route.path().surfaces.size(); ++s) {
    const RouteSurface& on = route.path().surfaces[s];
    const Pose E_SW = ws.E_WS[s].inverse();
    const RouteNode* last = nullptr;
    for (const RouteNode& node : ws.nodes) {
      if (node.point < on.first || node.point > on.last) continue;
      if (last && on.surface->active &&
          wrap_segment(*on.surface, E_SW * last->x, E_SW * node.x).meeting == WrapDecision::inside)
        return true;
      last = &node;
    }
  }
  return false;
}

}  // namespace

std::vector<MuscleEntry> list_muscles(const System& system) {
  std::vector<MuscleEntry> out;
  for (const auto& muscle : system.muscles())
    out.push_back({muscle->name(), static_cast<int>(out.size()), -1});
  for (size_t i = 0; i < system.hill_muscles().size(); ++i) {
    const HillElement& element = *system.hill_muscles()[i];
    if (element.muscle >= 0)
      out[static_cast<size_t>(element.muscle)].hill = static_cast<int>(i);
    else
      out.push_back({element.name(), -1, static_cast<int>(i)});
  }
  return out;
}

void update_muscle_paths(const System& system, const At& at, Workspace& ws,
                         std::vector<MusclePath>& out) {
  const size_t muscles = system.muscles().size();
  size_t routes = 0;
  for (const auto& element : system.hill_muscles()) routes += element->route() ? 1 : 0;
  out.resize(muscles + routes);
  if (out.empty()) return;
  const ExpandedState x = expand(system, at, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  const SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  system.muscle_part()->update_tensions(controls_at(system, at, ws), muscle_scratch(ws));
  for (size_t i = 0; i < muscles; ++i) update_span_path(i, system, in, ws, out[i]);
  size_t i = muscles;
  for (const auto& element : system.hill_muscles())
    if (const OpenSimPathOnSkeleton* route = element->route())
      update_route(*route, system, in, ws, out[i++]);
}

void update_muscle_path(const System& system, const MuscleEntry& muscle, const At& at,
                        Workspace& ws, MusclePath& out) {
  const ExpandedState x = expand(system, at, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  const SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  system.muscle_part()->update_tensions(controls_at(system, at, ws), muscle_scratch(ws));
  if (muscle.muscle >= 0)
    update_span_path(static_cast<size_t>(muscle.muscle), system, in, ws, out);
  else
    update_route(*system.hill_muscles()[static_cast<size_t>(muscle.hill)]->route(), system, in, ws,
                 out);
}

std::vector<std::string> muscles_inside_surfaces(const System& system, const State& state,
                                                 Workspace& ws) {
  std::vector<std::string> out;
  const std::vector<MuscleEntry> muscles = list_muscles(system);
  if (muscles.empty()) return out;
  const ExpandedState x = expand(system, state, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  const SkeletonAt in{system.skeleton(), state.t, x.q, x.qdot, ws.skeleton};
  for (const MuscleEntry& entry : muscles) {
    const bool inside =
        entry.muscle >= 0
            ? is_inside(*system.muscles()[static_cast<size_t>(entry.muscle)], in,
                        muscle_scratch(ws).path)
            : is_inside(*system.hill_muscles()[static_cast<size_t>(entry.hill)]->route(), in,
                        muscle_scratch(ws).route);
    if (inside) out.push_back(entry.name);
  }
  return out;
}

LostPath find_lost_path(const System& system, const At& at, Workspace& ws) {
  if (system.muscles().empty()) return {};
  const ExpandedState x = expand(system, at, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  const SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  for (size_t i = 0; i < system.muscles().size(); ++i) {
    const MuscleElement& muscle = *system.muscles()[i];
    if (!may_fail(muscle)) continue;
    muscle.update(in, nullptr, MuscleView::path, muscle_scratch(ws).path);
    const SpanStatus status = muscle.status(muscle_scratch(ws).path);
    if (failed(status)) return {static_cast<int>(i), status};
  }
  return {};
}

}  // namespace sinew
