#include <algorithm>

#include "sinew/strands/strands.hpp"

// Ends that slip out of rings: docs/theory/strands.md, §7.

namespace sinew {

void Strands::find_releases(RouteFinder& finder, const std::vector<StrandNode>& nodes, size_t k,
                            const StrandRoute& route) {
  const Strand& of = strands_[k];
  if (of.ends != StrandEnds::release || of.loop || of.length != StrandLength::elastic ||
      of.mass_model != StrandMass::continuous || of.density == 0)
    return;
  const bool changes = std::any_of(runs_.begin(), runs_.end(),
                                   [&](const StrandRun& run) { return run.strand == k; });
  const bool rubs = std::any_of(route.pieces.begin(), route.pieces.end(),
                                [](const RoutePiece& piece) { return piece.slip >= 0; });
  if (changes || rubs) return;
  // An end that moves freely, without a bead, and is of no other strand.
  const auto may = [&](int node) {
    const StrandNode& end = nodes[static_cast<size_t>(node)];
    const auto* maximal = std::get_if<MaximalNode>(&end.place);
    if (maximal == nullptr || maximal->mass != 0) return false;
    int uses = 0;
    for (const Strand& strand : strands_)
      for (const StrandPoint& point : strand.points) uses += point.node == end.name;
    for (const StrandNode& other : nodes)
      if (const auto* shaped = std::get_if<ShapedNode>(&other.place))
        uses += static_cast<int>(
            std::count(shaped->controls.begin(), shaped->controls.end(), end.name));
    return uses == 1;
  };
  size_t first = 0;
  for (size_t last = 1; last < route.stops.size(); ++last) {
    if (!route.stops[last].s) continue;
    Release release{k, first, last};
    const int rings = release.rings();
    int& at_start = release.most[0];
    while (first == 0 && may(route.stops[0].node) && at_start < rings &&
           route.pieces[static_cast<size_t>(at_start)].guide < 0)
      ++at_start;
    int& at_end = release.most[1];
    const bool ends = last + 1 == route.stops.size() && may(route.stops[last].node);
    while (ends && at_end < rings && route.pieces[last - 1 - static_cast<size_t>(at_end)].guide < 0)
      ++at_end;
    for (size_t side = 0; side < 2; ++side)
      if (release.most[side] > 0)
        release.count[side] =
            finder.add_count(of.name + (side == 0 ? "_start_out" : "_end_out"), 0);
    if (at_start + at_end > 0) releases_.push_back(release);
    first = last;
  }
}

void Strands::cut_releases(const StrandRoute& route, size_t strand, size_t first, size_t last) {
  const auto found = std::find_if(releases_.begin(), releases_.end(), [&](const Release& release) {
    return release.strand == strand && release.first == first;
  });
  if (found == releases_.end()) return;
  const size_t whole = sections_.size() - 1;
  const double begin = *route.stops[first].s, end = *route.stops[last].s;
  for (int i = 0; i <= found->most[0]; ++i)
    for (int j = 0; j <= found->most[1]; ++j) {
      if (i + j == 0 || i + j > found->rings()) {
        found->sections.push_back(whole);  // the latter never is
        continue;
      }
      StrandRoute left;
      const size_t from = first + static_cast<size_t>(i), to = last - static_cast<size_t>(j);
      left.stops.assign(route.stops.begin() + static_cast<std::ptrdiff_t>(from),
                        route.stops.begin() + static_cast<std::ptrdiff_t>(to) + 1);
      left.stops.front() = route.stops[first];
      left.stops.back() = route.stops[last];
      left.pieces.assign(route.pieces.begin() + static_cast<std::ptrdiff_t>(from),
                         route.pieces.begin() + static_cast<std::ptrdiff_t>(to));
      Section section = make_section(left, 0, left.pieces.size(), strands_[strand], begin, end);
      section.strand = strand;
      section.number = sections_[whole].number;
      section.row = sections_[whole].row;
      section.inside = i;
      section.left = j;
      found->sections.push_back(sections_.size());
      sections_.push_back(std::move(section));
      changing_.push_back(-1);
    }
}

size_t Strands::current(size_t way, const StrandScratch& ws) const {
  for (size_t r = 0; r < releases_.size(); ++r)
    if (releases_[r].sections[0] == way) return releases_[r].section(ws.released[r]);
  return way;
}

bool Strands::may_slip_out(size_t r, size_t side, const StrandScratch& ws) const {
  const Release& release = releases_[r];
  const std::array<int, 2>& left = ws.released[r];
  return left[side] < release.most[side] && left[0] + left[1] < release.rings();
}

bool Strands::slips_out(size_t index, size_t piece, const StrandScratch& ws) const {
  for (size_t r = 0; r < releases_.size(); ++r) {
    if (releases_[r].section(ws.released[r]) != index) continue;
    if (piece == 0 && may_slip_out(r, 0, ws)) return true;
    if (piece + 1 == sections_[index].pieces.size() && may_slip_out(r, 1, ws)) return true;
  }
  return false;
}

StrandScratch::SlipOut Strands::find_slip_out(const PartAt& at, StrandScratch& ws) const {
  if (releases_.empty()) return {};
  update_nodes(at, ws);
  PieceLength piece;
  for (size_t r = 0; r < releases_.size(); ++r) {
    const Section& section = sections_[releases_[r].section(ws.released[r])];
    gather(at, section, false, ws);
    for (size_t side = 0; side < 2; ++side) {
      if (!may_slip_out(r, side, ws)) continue;
      const size_t k = side == 0 ? 0 : section.pieces.size() - 1;
      section.element.update_piece(ws.motion, k, false, piece);
      const double rate =
          piece.gradient(0).dot(ws.motion.v[k]) + piece.gradient(1).dot(ws.motion.v[k + 1]);
      if (rate < 0 && piece.length <= kGone * section.element.rest_length()) return {true, r, side};
    }
  }
  return {};
}

/// The end gets the velocity of the material that leaves the ring: that of all other material stays
/// what it is.
void Strands::slip_out(PartChange& change, StrandScratch& ws) const {
  const auto [found, r, side] = ws.slips_out;
  const Release& release = releases_[r];
  const PartAt at = change.at();
  update_nodes(at, ws);
  const Section& section = sections_[release.section(ws.released[r])];
  gather(at, section, false, ws);
  const size_t last = section.pieces.size(), end = side == 0 ? 0 : last,
               ring = side == 0 ? 1 : last - 1, gone = side == 0 ? 0 : last - 1,
               next = side == 0 ? 1 : last - 2;
  PieceLength piece;
  section.element.update_piece(ws.motion, gone, false, piece);
  const double rate =
      piece.gradient(0).dot(ws.motion.v[gone]) + piece.gradient(1).dot(ws.motion.v[gone + 1]);
  section.element.update_piece(ws.motion, next, false, piece);
  const auto first = [&](int node) {
    return tree_->movers()[static_cast<size_t>(place_of(node).mover)].first;
  };
  // The gradient of a length points away from the way.
  change.qdot().segment<3>(first(section.nodes[end])) =
      ws.motion.v[ring] + rate * piece.gradient(side == 0 ? 0 : 1);
  change.q()[first(release.count[side])] += 1;
}

}  // namespace sinew
