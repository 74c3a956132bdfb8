#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/strands/strands.hpp"

// Tables and pictures.

namespace sinew {
namespace {

/// Points drawn along a piece around a guide, its end included: at least, and at most.
constexpr int kFewestPoints = 48, kMostPoints = 480;
/// And for each turn that its rope could make on a drum.
constexpr double kPointsPerTurn = 20;

/// The points of a piece that is part of `rest_length`, without its start.
int drawn_points(const RoutePiece& piece, const std::vector<StrandGuide>& guides,
                 double rest_length) {
  if (piece.guide < 0) return 1;
  const auto* pulley = std::get_if<PulleyWrap>(&guides[static_cast<size_t>(piece.guide)].wrap);
  if (pulley == nullptr || piece.hold == RimHold::none) return kFewestPoints;
  const double turns = rest_length / (2 * std::numbers::pi * pulley->radius);
  return static_cast<int>(
      std::clamp(std::ceil(kPointsPerTurn * turns), 1.0 * kFewestPoints, 1.0 * kMostPoints));
}

}  // namespace

std::vector<double> Strands::tensions(size_t i, StrandScratch& ws) const {
  const StrandSection& element = section(i, ws).element;
  if (!element.is_sliding()) return {element.pull(ws.motion).stretch.tension};
  SlidingPull& now = ws.terms_of(i).sliding;
  element.update_sliding(ws.motion, ws.kernel, now, ws.terms_of(i).by_nodes);
  std::vector<double> out;
  for (const ZonePull& zone : now.zones) out.push_back(zone.stretch.tension);
  return out;
}

std::vector<StrandReading> Strands::read(const PartAt& at, PartScratch& scratch) const {
  auto& ws = static_cast<StrandScratch&>(scratch);
  update_nodes(at, ws);
  std::vector<StrandReading> out;
  int point = 0;
  for (size_t u = 0; u < ws.used.size(); ++u) {
    const auto i = static_cast<size_t>(ws.used[u]);
    const Section& section = this->section(i, ws);
    const auto strand_of = [&](size_t k) {
      return sections_[static_cast<size_t>(ws.used[k])].strand;
    };
    gather(at, section, false, ws);
    const std::vector<double> tension = tensions(i, ws);
    std::vector<double> s;
    section.element.material(ws.motion, s);
    if (u > 0 && strand_of(u - 1) != section.strand) point = 0;
    const bool last = u + 1 == ws.used.size() || strand_of(u + 1) != section.strand;
    const size_t count = section.pieces.size() + 1;
    int number = section.row;
    for (size_t k = 0; k < (last ? count : count - 1); ++k) {
      StrandReading& row = out.emplace_back();
      row.strand = section.strand;
      row.section = section.number;
      row.node = section.nodes[k];
      row.material = !section.element.is_closed() && (k == 0 || k + 1 == count);
      row.point = point;
      row.x = ws.motion.x[k];
      row.s = s[k];
      if (k + 1 == count) continue;
      if (k == 0) point += section.inside;
      point += drawn_points(section.pieces[k], guides_, drawn_length(i));
      PieceLength piece;
      section.element.update_piece(ws.motion, k, false, piece);
      row.length = piece.length;
      const size_t zone = section.element.zone_of(k);
      row.tension = row.tension_after = tension[zone];
      row.zone = row.zone_after = static_cast<int>(zone);
      row.row = row.row_after = number;
      if (section.pieces[k].guide < 0) continue;
      number += section.pieces[k].rim < 0 ? 0 : 1;
      row.guide = section.pieces[k].guide;
      row.row_after = number;
      if (section.pieces[k].slip >= 0) {
        row.tension_after = tension[zone + 1];
        ++row.zone_after;
      }
      const SpanShape<double> path = section.element.path_of(ws.motion, k);
      const Pose E_WS = section.element.frame_of(ws.motion, k);
      row.wound = path.wrapped_angle;
      const RimHold hold = section.pieces[k].hold;
      const auto pieces = static_cast<size_t>(path.pieces);
      row.entry = E_WS * Vec3(path.node[hold == RimHold::first || pieces < 2 ? 0 : 1]);
      row.exit = E_WS * Vec3(path.node[hold == RimHold::last || pieces < 2 ? pieces : pieces - 1]);
    }
  }
  return out;
}

std::vector<PartColumns> Strands::columns() const {
  PartColumns out{"strands", {}}, vertices{"vertices", {}};
  for (const int node : vertices_)
    for (const char* axis : {"_x", "_y", "_z"})
      vertices.names.push_back(nodes()[static_cast<size_t>(node)].name + axis);
  for (const NodeTree::Mover& mover : tree_->movers()) {
    if (is_vertex_[static_cast<size_t>(mover.node)]) continue;
    for (int i = 0; i < mover.size; ++i)
      out.names.push_back(nodes()[static_cast<size_t>(mover.node)].name + "_" +
                          (mover.size == 3 ? "xyz" : "uv")[i]);
  }
  for (const int way : ways_) {
    if (way < 0) {
      const StrandRun& run = runs_[static_cast<size_t>(-1 - way)];
      for (int k = 0; k < run.last(); ++k)
        for (const char* what : {"_length_", "_tension_"})
          out.names.push_back(strands_[run.strand].name + what + std::to_string(run.number + k));
      continue;
    }
    const Section& section = sections_[static_cast<size_t>(way)];
    const Strand& strand = strands_[section.strand];
    const std::string number = std::to_string(section.number);
    out.names.push_back(strand.name + "_length_" + number);
    if (strand.length != StrandLength::elastic) continue;
    out.names.push_back(strand.name + "_tension_" + number);
    for (const RoutePiece& piece : section.pieces)
      if (piece.slip >= 0)
        out.names.push_back(strand.name + "_tension_" + number + "_after_" +
                            guides_[static_cast<size_t>(piece.guide)].name);
  }
  return {std::move(out), std::move(vertices)};
}

/// Material between two nodes of a run of which one is inside a gate has the strain and the tension
/// of the section that it is part of.
void Strands::measure_run(const PartAt& at, size_t r, StrandScratch& ws,
                          std::vector<double>& out) const {
  const StrandRun& run = runs_[r];
  const auto add = [&](size_t index, int from, int to) {
    const Section& section = this->section(index, ws);
    gather(at, section, false, ws);
    const SectionPull pull = section.element.pull(ws.motion);
    for (int k = from; k < to; ++k) {
      const double rest = run.slot(k + 1).s - run.slot(k).s;
      out.push_back(pull.length * rest / section.element.rest_length());
      out.push_back(pull.stretch.tension);
    }
  };
  run.for_each_section(
      ws.order[r], [&](int k) { add(run.plain + static_cast<size_t>(k), k, k + 1); },
      [&](size_t f, size_t g) {
        add(run.section_through(f, g), ws.order[r][f].before, ws.order[r][g].behind);
      });
}

void Strands::measure(const PartAt& at, PartScratch& scratch, std::vector<double>& out) const {
  auto& ws = static_cast<StrandScratch&>(scratch);
  update_nodes(at, ws);
  const double* const own = at.skeleton.q.data() + at.dof;
  for (const NodeTree::Mover& mover : tree_->movers())
    if (!is_vertex_[static_cast<size_t>(mover.node)])
      out.insert(out.end(), own + mover.first, own + mover.first + mover.size);
  for (const int way : ways_) {
    if (way < 0) {
      measure_run(at, static_cast<size_t>(-1 - way), ws, out);
      continue;
    }
    const size_t i = current(static_cast<size_t>(way), ws);
    gather(at, sections_[i], false, ws);
    out.push_back(sections_[i].element.pull(ws.motion).length);
    if (strands_[sections_[i].strand].length != StrandLength::elastic) continue;
    const std::vector<double> tension = tensions(i, ws);
    out.insert(out.end(), tension.begin(), tension.end());
  }
  for (const int node : vertices_) {
    const Vec3& x = ws.nodes[static_cast<size_t>(node)].x;
    out.insert(out.end(), x.begin(), x.end());
  }
}

void Strands::recall(std::span<const double> values, VecRef q) const {
  size_t next = 0;
  for (const NodeTree::Mover& mover : tree_->movers())
    for (int i = 0; i < mover.size && !is_vertex_[static_cast<size_t>(mover.node)]; ++i)
      q[mover.first + i] = values[next++];
  const double* x = values.data() + (values.size() - 3 * vertices_.size());
  for (const int node : vertices_) {
    const Place& place = place_of(node);
    if (place.free)
      q.segment<3>(tree_->movers()[static_cast<size_t>(place.mover)].first) =
          Eigen::Map<const Vec3>(x);
    x += 3;
  }
}

namespace {

/// `total` points along a piece, without its start: one at the end of each straight part, the
/// others on arcs; at equal distances on straight pieces.
void append_path(const SpanShape<double>& path, const Pose& E_WS, int total,
                 std::vector<double>& points) {
  const auto put = [&](const Vec3& x_S) {
    const Vec3 x = E_WS * x_S;
    points.insert(points.end(), x.data(), x.data() + 3);
  };
  int straight = 0;
  for (int k = 0; k < path.pieces; ++k)
    straight += path.piece[static_cast<size_t>(k)].kind == PieceKind::straight;
  int left = total, arcs = path.pieces - straight;
  for (int k = 0; k < path.pieces; ++k) {
    const auto& piece = path.piece[static_cast<size_t>(k)];
    const bool bends = piece.kind != PieceKind::straight;
    int count = 1;
    if (straight == path.pieces) count = left / (path.pieces - k);
    if (bends) {
      count = (left - (path.pieces - k - arcs)) / arcs;
      --arcs;
    }
    for (int n = 1; n <= count; ++n) put(path.at(k, piece.length * n / count));
    left -= count;
  }
}

}  // namespace

std::vector<MovingShape> Strands::shapes() const {
  std::vector<MovingShape> out;
  for (const Strand& strand : strands_)
    out.push_back({strand.name, strand.form == StrandForm::cable ? "cable" : "strand", 1});
  // Nodes of runs have a point each, inside gates or not.
  for (const int way : ways_) {
    if (way < 0) {
      const StrandRun& run = runs_[static_cast<size_t>(-1 - way)];
      const double rest = run.slots.back().s - run.slots.front().s;
      out[run.strand].points += run.last() - 1;
      for (const RoutePiece& piece : run.way.pieces)
        out[run.strand].points += drawn_points(piece, guides_, rest);
      continue;
    }
    const Section& section = sections_[static_cast<size_t>(way)];
    for (const RoutePiece& piece : section.pieces)
      out[section.strand].points += drawn_points(piece, guides_, section.element.rest_length());
  }
  return out;
}

double Strands::drawn_length(size_t index) const {
  // That of a whole run, so that the number of points does not change.
  return sections_[index].element.rest_length();
}

void Strands::draw(const PartAt& at, PartScratch& scratch, std::vector<double>& points) const {
  auto& ws = static_cast<StrandScratch&>(scratch);
  update_nodes(at, ws);
  int strand = -1;
  const auto put = [&](const Vec3& x) { points.insert(points.end(), x.data(), x.data() + 3); };
  for_each_section(ws, [&](size_t i, const Section& section) {
    gather(at, section, false, ws);
    if (static_cast<int>(section.strand) != strand) put(ws.motion.x[0]);
    strand = static_cast<int>(section.strand);
    for (int k = 0; k < section.inside; ++k) put(ws.motion.x[0]);
    for (size_t k = 0; k < section.pieces.size(); ++k) {
      if (section.pieces[k].guide < 0)
        put(ws.motion.x[k + 1]);
      else
        append_path(section.element.path_of(ws.motion, k), section.element.frame_of(ws.motion, k),
                    drawn_points(section.pieces[k], guides_, drawn_length(i)), points);
    }
    for (int k = 0; k < section.left; ++k) put(ws.motion.x[section.pieces.size()]);
  });
}

}  // namespace sinew
