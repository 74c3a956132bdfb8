#include "sinew/strands/strand_divider.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/strands/strand_route.hpp"
#include "sinew/strands/strand_section.hpp"

namespace sinew {
namespace {

constexpr double kMostNodes = 20000;
/// Nodes closer to a ring or a guide than this share of their distance start inside it
/// (docs/theory/strands.md, §6).
constexpr double kInside = 0.25;

/// The undivided strand on its way at the start.
class Divider {
 public:
  Divider(const Skeleton& skeleton, const std::vector<StrandGuide>& guides,
          const std::vector<StrandNode>& nodes, const Strand& strand)
      : guides_(guides),
        strand_(strand),
        nodes_(nodes),
        finder_(skeleton, nodes_, guides),
        route_(finder_.find(strand)),
        q0_(skeleton.dof_count()) {
    for (Eigen::Index k = 0; k < q0_.size(); ++k)
      q0_[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
    const double h = 1e-5;
    x_ = finder_.positions_at(0);
    v_ = finder_.positions_at(h);
    const std::vector<Vec3> before = finder_.positions_at(-h);
    for (size_t k = 0; k < v_.size(); ++k) v_[k] = (v_[k] - before[k]) / (2 * h);
  }

  /// All points, those of new nodes among them; the nodes are added to `nodes`.
  std::vector<StrandPoint> points(double spacing, std::vector<StrandNode>& nodes) {
    points_ = {strand_.points.front()};
    size_t first = 0;
    for (size_t k = 1; k < strand_.points.size(); ++k) {
      if (!strand_.points[k].s) continue;
      divide(first, k, spacing, nodes);
      first = k;
    }
    return std::move(points_);
  }

 private:
  /// Whether nodes may pass rings and guides of the strand.
  bool may_pass() const {
    return strand_.density > 0 && strand_.mass_model == StrandMass::continuous &&
           strand_.length == StrandLength::elastic &&
           std::none_of(route_.pieces.begin(), route_.pieces.end(),
                        [](const auto& piece) { return piece.rim >= 0 || piece.slip >= 0; });
  }

  bool is_plain(size_t first, size_t last) const {
    return last == first + 1 && route_.pieces[first].guide < 0;
  }

  StrandSection section(size_t first, size_t last, SectionMotion& at) const {
    std::vector<std::optional<Wrap>> surfaces;
    std::vector<int> nodes, frames;
    for (size_t k = first; k <= last; ++k) nodes.push_back(route_.stops[k].node);
    for (size_t k = first; k < last; ++k) {
      const RoutePiece& piece = route_.pieces[k];
      surfaces.emplace_back();
      at.wound.push_back(piece.winding.expected(view(q0_)));
      if (piece.guide < 0) continue;
      Wrap wrap = guides_[static_cast<size_t>(piece.guide)].wrap;
      if (auto* pulley = std::get_if<PulleyWrap>(&wrap)) pulley->hold = piece.hold;
      surfaces.back() = std::move(wrap);
      for (int n = 0; n < 4; ++n) nodes.push_back(finder_.frame(piece.guide) + n);
    }
    for (const int node : nodes) {
      at.x.push_back(x_[static_cast<size_t>(node)]);
      at.v.push_back(v_[static_cast<size_t>(node)]);
    }
    return {strand_, *route_.stops[first].s, *route_.stops[last].s, surfaces};
  }

  void divide(size_t first, size_t last, double spacing, std::vector<StrandNode>& nodes) {
    const double begin = *strand_.points[first].s, rest = *strand_.points[last].s - begin;
    if (rest / spacing > kMostNodes)
      throw Error(quoted(strand_), "is divided into too many pieces",
                  "give a larger 'spacing': at most 20000 nodes");
    // A hair of rounding does not make one more piece.
    const int pieces = may_pass() || is_plain(first, last)
                           ? std::max(1, static_cast<int>(std::ceil(rest / spacing - 1e-9)))
                           : 1;
    if (pieces > 1 && strand_.density == 0)
      throw Error(quoted(strand_), "has a 'spacing', but no mass for the nodes that divide it",
                  "give it a 'density', or leave out 'spacing'");
    SectionMotion at;
    const StrandSection of = section(first, last, at);
    std::vector<StrandSection::Obstruction> gates;
    const double length = of.append_obstructions(at, gates), step = length / pieces;
    size_t passed = 0;  // gates
    const auto pass = [&](double arc) {
      while (passed < gates.size() && arc > gates[passed].exit) pass_gate(gates[passed++], first);
    };
    StrandSection::MaterialPoint place;
    for (int n = 1; n < pieces; ++n) {
      const double arc = n * step, s = begin + rest * n / pieces;
      pass(arc);
      StrandPoint point{strand_.name + "_" + std::to_string(++number_), s};
      point.passes = may_pass();
      const double clear = kInside * step;
      // A gate that a stop is ends the piece that it names.
      const bool in_tube = passed < gates.size() && route_.pieces[first + gates[passed].piece].tube;
      point.inside = in_tube || (passed > 0 && arc - gates[passed - 1].exit <= clear) ||
                     (passed < gates.size() && gates[passed].entry - arc <= clear);
      MaximalNode node;
      if (!point.inside) {
        of.update_material_point(at, s, place);
        node.x = place.x;
        for (size_t b = 0; b < at.v.size(); ++b)
          node.v += place.X.middleCols<3>(3 * static_cast<Eigen::Index>(b)) * at.v[b];
      }
      nodes.push_back({point.node, node});
      points_.push_back(std::move(point));
    }
    pass(2 * length);
    points_.push_back(strand_.points[last]);
  }

  /// A ring is listed where the strand passes it, a guide at the last node in front of it.
  void pass_gate(const StrandSection::Obstruction& gate, size_t first) {
    const StrandPoint& from = strand_.points[first + gate.piece];
    const bool guide =
        route_.pieces[first + gate.piece].guide >= 0 && !listed_.contains(first + gate.piece);
    if (!guide) {
      points_.push_back(strand_.points[first + gate.piece + 1]);
      return;
    }
    listed_.insert(first + gate.piece);
    if (from.node.empty() || from.guide.empty()) return;  // the end of its drum
    StrandPoint* before = nullptr;
    for (StrandPoint& point : points_) {
      if (point.node == from.node && !point.inside) point.guide.clear();
      if (!point.inside) before = &point;
    }
    before->guide = from.guide;
    before->turns = from.turns;
  }

  const std::vector<StrandGuide>& guides_;
  const Strand& strand_;
  std::vector<StrandNode> nodes_;
  RouteFinder finder_;
  StrandRoute route_;
  VecX q0_;
  std::vector<Vec3> x_, v_;  ///< of all nodes at the start
  std::vector<StrandPoint> points_;
  std::set<size_t> listed_;  ///< pieces whose guides are
  int number_ = 0;
};

}  // namespace

void divide(const Skeleton& skeleton, const std::vector<StrandGuide>& guides, double spacing,
            std::vector<StrandNode>& nodes, Strand& strand) {
  validate(strand);
  Divider divider(skeleton, guides, nodes, strand);
  strand.points = divider.points(spacing, nodes);
}

}  // namespace sinew
