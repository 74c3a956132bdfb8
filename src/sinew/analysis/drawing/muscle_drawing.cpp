#include "sinew/analysis/drawing/muscle_drawing.hpp"

#include "sinew/analysis/drawing/opensim_path_drawing.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/muscles/muscles.hpp"

namespace sinew {
namespace {

using Shape = SpanShape<PathDual>;

/// Chords that a span may need: its straight pieces, and those of the arcs between them.
int chords(const Wrap& wrap) {
  const int pieces = max_pieces(wrap);
  if (pieces > 5) return pieces;  // polylines of knots
  const int arcs = pieces / 2;
  return pieces - arcs + arcs * kDrawnChords;
}

Vec3 values(const Point<PathDual>& x) { return {x[0].v, x[1].v, x[2].v}; }

void add_span(const Shape& shape, const MuscleWorkspace::SpanColumns& S, size_t end,
              std::vector<Vec3>& out) {
  const auto add = [&](const Vec3& x_S) { out.push_back(S.p + S.R * x_S); };
  for (int k = 0; k < shape.pieces; ++k) {
    const auto& piece = shape.piece[static_cast<size_t>(k)];
    if (piece.kind != PieceKind::straight)
      for (int j = 1; j < kDrawnChords; ++j)
        add(values(shape.at(k, piece.length * (static_cast<double>(j) / kDrawnChords))));
    add(values(shape.node[static_cast<size_t>(k + 1)]));
  }
  while (out.size() < end) out.push_back(Vec3(out.back()));
}

void draw_path(const MuscleElement& muscle, const MuscleWorkspace& ws, std::vector<Vec3>& out) {
  out.assign(1, ws.points.front().x);
  size_t end = 1;
  for (size_t j = 0; j < muscle.muscle().spans.size(); ++j) {
    end += static_cast<size_t>(chords(muscle.muscle().spans[j].wrap));
    add_span(ws.kernel.shape(static_cast<int>(j)), ws.spans[j], end, out);
  }
}

/// Centre of mass of the samples: two with their moments on straight pieces, otherwise points.
Vec3 center_of_mass(const MuscleWorkspace& ws) {
  double mass = 0;
  Vec3 moment = Vec3::Zero();
  for (int g = 0; g < ws.kernel.group_count(); ++g) {
    const MassGroup<double>& group = ws.kernel.group(g);
    for (size_t a = 0; a < static_cast<size_t>(group.count); ++a) {
      const double share = group.linear ? group.weight[2 * a] + group.weight[1] : group.weight[a];
      const PathSample<double>& at = group.sample[a];
      const MuscleWorkspace::SpanColumns& S = ws.spans[static_cast<size_t>(at.span)];
      mass += share;
      moment += share * (S.p + S.R * at.y);
    }
  }
  return mass > 0 ? Vec3(moment / mass) : Vec3(Vec3::Zero());
}

}  // namespace

int drawing_points(const Muscle& muscle) {
  int out = 1;
  for (const PathSpan& span : muscle.spans) out += chords(span.wrap);
  return out;
}

std::vector<int> drawing_points(const System& system) {
  std::vector<int> out;
  for (const auto& muscle : system.muscles()) out.push_back(drawing_points(muscle->muscle()));
  for (const auto& element : system.hill_muscles())
    if (const OpenSimPathOnSkeleton* route = element->route())
      out.push_back(drawing_points(route->path()));
  return out;
}

void update_muscle_drawings(const System& system, const At& at, Workspace& ws,
                            std::vector<MuscleDrawing>& out) {
  const size_t muscles = system.muscles().size();
  size_t routes = 0;
  for (const auto& element : system.hill_muscles()) routes += element->route() ? 1 : 0;
  out.resize(muscles + routes);
  const ExpandedState x = expand(system, at, ws);
  update_kinematics(system.skeleton(), x.q, x.qdot, ws.skeleton);
  const SkeletonAt in{system.skeleton(), at.t, x.q, x.qdot, ws.skeleton};
  for (Vec6& a : ws.skeleton.a) a.setZero();
  for (size_t i = 0; i < muscles; ++i) {
    const MuscleElement& muscle = *system.muscles()[i];
    MuscleWorkspace& path = muscle_scratch(ws).path;
    const bool massive = muscle.muscle().has_mass();
    muscle.update(in, nullptr, massive ? MuscleView::moving : MuscleView::path, path);
    draw_path(muscle, path, out[i].points);
    out[i].anchors.clear();
    for (const auto& point : path.points) out[i].anchors.push_back(point.x);
    out[i].kinetic_energy = massive ? muscle.kinetic_energy(path) : 0;
    out[i].com = massive ? center_of_mass(path) : Vec3(Vec3::Zero());
  }
  size_t i = muscles;
  for (const auto& element : system.hill_muscles())
    if (const OpenSimPathOnSkeleton* route = element->route()) {
      route->update(in, muscle_scratch(ws).route);
      draw_route(*route, muscle_scratch(ws).route, out[i].points);
      place_anchors(*route, muscle_scratch(ws).route, out[i++].anchors);
    }
}

}  // namespace sinew
