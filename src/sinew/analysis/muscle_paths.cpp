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

void add_nodes(const SpanPath& path, const SpanPathWorkspace& ws, MusclePath& out) {
  for (size_t j = 0; j < path.muscle().spans.size(); ++j) {
    const Shape& shape = ws.kernel.shape(static_cast<int>(j));
    const SpanPathWorkspace::SpanColumns& S = ws.spans[j];
    for (int k = j == 0 ? 0 : 1; k <= shape.pieces; ++k) {
      const auto& y = shape.node[static_cast<size_t>(k)];
      out.nodes.push_back(S.p + S.R * Vec3(y[0].v, y[1].v, y[2].v));
    }
    out.wrapped_angle += shape.wrapped_angle.v;
  }
  out.status = path.status(ws);
}

void add_nodes(const OpenSimPathWorkspace& ws, MusclePath& out) {
  for (const OpenSimPathNode& node : ws.nodes) {
    out.nodes.push_back(node.x);
    if (node.surface >= 0) out.status = SpanStatus::wrapped;
  }
}

/// Runs update_kinematics.
SkeletonAt place_skeleton(const System& system, const At& at, Workspace& ws) {
  const ExpandedState x = expand(system, at, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  return {system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
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

bool is_inside(const SpanPath& muscle, const SkeletonAt& in, SpanPathWorkspace& ws) {
  muscle.update(in, nullptr, MuscleView::path, ws);
  for (size_t j = 0; j < muscle.muscle().spans.size(); ++j)
    if (is_inside(muscle.muscle().spans[j].wrap, ws.motion[j].x[0], ws.motion[j].x[1])) return true;
  return false;
}

bool is_inside(const OpenSimPathOnSkeleton& route, const SkeletonAt& in, OpenSimPathWorkspace& ws) {
  route.update(in, ws);
  for (size_t s = 0; s < route.path().surfaces.size(); ++s) {
    const OpenSimPathSurface& on = route.path().surfaces[s];
    const Pose E_SW = ws.E_WS[s].inverse();
    const OpenSimPathNode* last = nullptr;
    for (const OpenSimPathNode& node : ws.nodes) {
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

void read_muscle_path(const System& system, size_t k, const SkeletonAt& in, Workspace& ws,
                      MusclePath& out) {
  const MuscleElement& muscle = *system.muscles()[k];
  MuscleScratch& scratch = muscle_scratch(ws);
  const PathState path = muscle.path_state(in, scratch.path);
  VecX gradient = VecX::Zero(in.q.size());
  for (size_t l = 0; l < path.dofs.size(); ++l) gradient[path.dofs[l]] = path.dL[l];
  out = MusclePath();
  out.length = path.length;
  out.rate = path.rate;
  out.tension = scratch.tension[k];
  out.moment_arms = moment_arms(system, ws, gradient);
  if (muscle.opensim_path())
    add_nodes(scratch.path.opensim, out);
  else
    add_nodes(*muscle.spans(), scratch.path.spans, out);
}

void update_muscle_paths(const System& system, const At& at, Workspace& ws,
                         std::vector<MusclePath>& out) {
  out.resize(system.muscles().size());
  if (out.empty()) return;
  const SkeletonAt in = place_skeleton(system, at, ws);
  system.muscle_part()->update_tensions(controls_at(system, at, ws), muscle_scratch(ws));
  for (size_t k = 0; k < out.size(); ++k) {
    system.muscles()[k]->update_path(in, muscle_scratch(ws).path);
    read_muscle_path(system, k, in, ws, out[k]);
  }
}

void update_muscle_path(const System& system, size_t muscle, const At& at, Workspace& ws,
                        MusclePath& out) {
  const SkeletonAt in = place_skeleton(system, at, ws);
  system.muscle_part()->update_tensions(controls_at(system, at, ws), muscle_scratch(ws));
  system.muscles()[muscle]->update_path(in, muscle_scratch(ws).path);
  read_muscle_path(system, muscle, in, ws, out);
}

std::vector<std::string> muscles_inside_surfaces(const System& system, const State& state,
                                                 Workspace& ws) {
  std::vector<std::string> out;
  if (system.muscles().empty()) return out;
  const SkeletonAt in = place_skeleton(system, state, ws);
  PathWorkspace& scratch = muscle_scratch(ws).path;
  for (const auto& muscle : system.muscles())
    if (muscle->opensim_path() ? is_inside(*muscle->opensim_path(), in, scratch.opensim)
                               : is_inside(*muscle->spans(), in, scratch.spans))
      out.push_back(muscle->name());
  return out;
}

LostPath find_lost_path(const System& system, const At& at, Workspace& ws) {
  if (system.muscles().empty()) return {};
  const SkeletonAt in = place_skeleton(system, at, ws);
  SpanPathWorkspace& scratch = muscle_scratch(ws).path.spans;
  for (size_t k = 0; k < system.muscles().size(); ++k) {
    if (!system.muscles()[k]->may_lose_path()) continue;
    const auto& path = system.muscles()[k]->spans();
    path->update(in, nullptr, MuscleView::path, scratch);
    const SpanStatus status = path->status(scratch);
    if (failed(status)) return {static_cast<int>(k), status};
  }
  return {};
}

}  // namespace sinew
