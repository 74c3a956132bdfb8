#include "sinew/analysis/drawing/muscle_drawing.hpp"

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/muscles/muscles.hpp"
#include "sinew/muscles/opensim/opensim_path_drawing.hpp"

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

void add_span(const Shape& shape, const SpanPathWorkspace::SpanColumns& S, size_t end,
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

void draw_path(const SpanPath& muscle, const SpanPathWorkspace& ws, std::vector<Vec3>& out) {
  out.assign(1, ws.points.front().x);
  size_t end = 1;
  for (size_t j = 0; j < muscle.muscle().spans.size(); ++j) {
    end += static_cast<size_t>(chords(muscle.muscle().spans[j].wrap));
    add_span(ws.kernel.shape(static_cast<int>(j)), ws.spans[j], end, out);
  }
}

/// Of the samples that stand for the mass: two with their moments on straight pieces, else points.
Vec3 center_of_mass(const SpanPathWorkspace& ws) {
  double mass = 0;
  Vec3 moment = Vec3::Zero();
  for (int g = 0; g < ws.kernel.group_count(); ++g) {
    const MassGroup<double>& group = ws.kernel.group(g);
    for (size_t a = 0; a < static_cast<size_t>(group.count); ++a) {
      const double share = group.linear ? group.weight[2 * a] + group.weight[1] : group.weight[a];
      const PathSample<double>& at = group.sample[a];
      const SpanPathWorkspace::SpanColumns& S = ws.spans[static_cast<size_t>(at.span)];
      mass += share;
      moment += share * (S.p + S.R * at.y);
    }
  }
  return mass > 0 ? Vec3(moment / mass) : Vec3(Vec3::Zero());
}

}  // namespace

int drawing_points(const MuscleElement& muscle) {
  if (muscle.opensim_path()) return drawing_points(muscle.opensim_path()->path());
  int out = 1;
  for (const PathSpan& span : muscle.muscle().spans) out += chords(span.wrap);
  return out;
}

std::vector<int> drawing_points(const System& system) {
  std::vector<int> out;
  for (const auto& muscle : system.muscles()) out.push_back(drawing_points(*muscle));
  return out;
}

void draw_muscle(const MuscleElement& muscle, const PathWorkspace& ws, MuscleDrawing& out) {
  const bool massive = muscle.muscle().has_mass();
  out.kinetic_energy = massive ? muscle.spans()->kinetic_energy(ws.spans) : 0;
  out.com = massive ? center_of_mass(ws.spans) : Vec3(Vec3::Zero());
  out.anchors.clear();
  if (muscle.opensim_path()) {
    draw_opensim_path(*muscle.opensim_path(), ws.opensim, out.points);
    place_anchors(*muscle.opensim_path(), ws.opensim, out.anchors);
  } else {
    draw_path(*muscle.spans(), ws.spans, out.points);
    for (const auto& point : ws.spans.points) out.anchors.push_back(point.x);
  }
}

}  // namespace sinew
