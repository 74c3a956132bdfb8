#include "sinew/strands/strand_run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

/// Nodes that may become the ends of one section: each pair has blocks in every matrix.
constexpr double kMostPairs = 5e5;

}  // namespace

StrandRoute StrandRun::way_through(size_t f, size_t g) const {
  const Span &from = spans[f], &to = spans[g + 1];
  StrandRoute out;
  for (size_t k = from.piece; k <= to.piece; ++k) {
    out.stops.push_back(way.stops[k]);
    out.pieces.push_back(way.pieces[k]);
  }
  out.stops.push_back(way.stops[to.piece + 1]);
  if (from.side == Side::behind) out.pieces.front() = {};
  if (to.side == Side::before) out.pieces.back() = {};
  out.stops.front().node = slots.front().node;
  out.stops.back().node = slots.back().node;
  return out;
}

RunFinder::RunFinder(RouteFinder& finder, std::vector<StrandNode>& nodes,
                     const std::vector<StrandGuide>& guides, const std::vector<Strand>& strands)
    : finder_(finder), nodes_(nodes), guides_(guides), strands_(strands) {
  for (const Strand& strand : strands)
    for (const StrandPoint& point : strand.points) {
      ++uses_[point.node];
      if (point.passes) passing_.insert(point.node);
    }
  for (const StrandNode& node : nodes)
    if (const auto* shaped = std::get_if<ShapedNode>(&node.place))
      for (const std::string& control : shaped->controls) ++uses_[control];
}

void RunFinder::check(size_t strand, const StrandRoute& route) const {
  const Strand& of = strands_[strand];
  for (size_t k = 0; k < of.points.size(); ++k) {
    const StrandPoint& point = of.points[k];
    if (!point.passes && !point.inside) continue;
    const auto require = [&](bool good, const std::string& problem, const char* remedy) {
      if (!good)
        throw Error(quoted(of), "has node '" + point.node + "', which should pass, but " + problem,
                    remedy);
    };
    require(point.s.has_value() && k > 0 && k + 1 < of.points.size(), "is no node between its ends",
            "let nodes pass that hold material between the ends of an open strand");
    const auto* maximal = std::get_if<MaximalNode>(
        &nodes_[static_cast<size_t>(finder_.node_named(strands_[strand], point.node))].place);
    require(maximal != nullptr && maximal->mass == 0, "it is not free, or has a mass",
            "let nodes of type 'maximal' without a 'mass' pass");
    require(uses_.at(point.node) == 1, "other strands or nodes use it, too", "let it stay");
    require(of.density > 0 && of.mass_model == StrandMass::continuous,
            "the strand has no continuous mass", "give it a 'density'");
    require(of.length == StrandLength::elastic, "the strand does not stretch",
            "give it a 'stiffness' instead of 'inextensible'");
    require(std::none_of(route.pieces.begin(), route.pieces.end(),
                         [](const RoutePiece& p) { return p.rim >= 0 || p.slip >= 0; }),
            "a guide on the strand has friction or grips it", "let its guides 'slip'");
  }
}

std::vector<StrandRun> RunFinder::find(size_t strand, const StrandRoute& route) {
  check(strand, route);
  std::vector<StrandRun> out;
  size_t first = 0;
  int guide = -1;  // the last one since `first`, without a node that stays behind it
  for (size_t k = 1; k < route.stops.size(); ++k) {
    const RoutePiece& piece = route.pieces[k - 1];
    if (piece.guide >= 0) guide = static_cast<int>(k);
    const StrandRoute::Stop& stop = route.stops[k];
    if (!stop.s) {
      guide = -1;
      continue;
    }
    const bool last = k + 1 == route.stops.size();
    // Between two guides the way needs a node.
    const bool between = guide >= 0 && [&] {
      for (size_t n = k; n < route.pieces.size(); ++n) {
        if (route.pieces[n].guide >= 0) return n == k;
        if (!route.stops[n + 1].s) return false;
      }
      return false;
    }();
    if (!last && !between && passing_.contains(nodes_[static_cast<size_t>(stop.node)].name))
      continue;
    StrandRun run = make_run(strand, route, first, k);
    if (run.slots.size() > 2 && run.spans.size() > 1) {
      add_gates(run, route, first, k);
      out.push_back(std::move(run));
    }
    first = k;
    guide = -1;
  }
  return out;
}

StrandRun RunFinder::make_run(size_t strand, const StrandRoute& route, size_t first,
                              size_t last) const {
  StrandRun out;
  out.strand = strand;
  const double begin = *route.stops[first].s, end = *route.stops[last].s;
  out.slots.push_back({route.stops[first].node, begin});
  out.way.stops.push_back(route.stops[first]);
  RoutePiece piece;
  for (size_t k = first + 1; k <= last; ++k) {
    if (route.pieces[k - 1].guide >= 0) piece = route.pieces[k - 1];
    const bool stays = !route.stops[k].s || k == last;
    if (route.stops[k].s) out.slots.push_back({route.stops[k].node, *route.stops[k].s});
    if (!stays) continue;
    out.way.stops.push_back(route.stops[k]);
    piece.tube = route.pieces[k - 1].tube;
    out.way.pieces.push_back(piece);
    piece = {};
  }
  for (const StrandPoint& point : strands_[strand].points)
    if (point.inside && *point.s > begin && *point.s < end)
      out.slots.push_back({finder_.node_named(strands_[strand], point.node), *point.s});
  std::sort(out.slots.begin(), out.slots.end(),
            [](const auto& a, const auto& b) { return a.s < b.s; });
  for (size_t k = 1; k + 1 < out.slots.size(); ++k)
    out.slots[k].width = 0.5 * (out.slots[k + 1].s - out.slots[k - 1].s);
  for (size_t k = 0; k < out.way.pieces.size(); ++k) {
    if (out.way.pieces[k].tube) continue;
    if (out.way.pieces[k].guide < 0) {
      out.spans.push_back({k, StrandRun::Side::whole});
      continue;
    }
    out.spans.push_back({k, StrandRun::Side::before});
    out.spans.push_back({k, StrandRun::Side::behind});
  }
  return out;
}

void RunFinder::add_gates(StrandRun& run, const StrandRoute& route, size_t first, size_t last) {
  const std::string& strand = strands_[run.strand].name;
  const auto slot_at = [&](double s) {
    int k = 0;
    while (run.slot(k).s < s) ++k;
    return k;
  };
  // The slots beside each gate at the start, in the order of gates.
  StrandRun::Order order;
  size_t open = 0;  // gates since the last slot
  double s = run.slots.front().s;
  for (size_t k = first; k < last; ++k) {
    const bool guide = route.pieces[k].guide >= 0;
    const bool material = route.stops[k + 1].s.has_value();
    // A tube is one gate, from its first node on.
    const size_t gates = route.pieces[k].tube ? 0 : (guide ? 1 : 0) + (material ? 0 : 1);
    for (size_t n = 0; n < gates; ++n) order.push_back({slot_at(s), 0});
    open += gates;
    if (!material) continue;
    s = *route.stops[k + 1].s;
    for (; open > 0; --open) order[order.size() - open].behind = slot_at(s);
  }
  double least = run.slots.back().s - run.slots.front().s;
  for (size_t k = 1; k < run.slots.size(); ++k)
    least = std::min(least, run.slots[k].s - run.slots[k - 1].s);
  int most = 0;
  double arcs = 0;
  const std::vector<Vec3> x = finder_.positions_at(0);
  size_t obstruction = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    const StrandRun::Span& before = run.spans[k];
    const RoutePiece& piece = run.way.pieces[before.piece];
    const bool guide = before.side == StrandRun::Side::before;
    std::string name;
    if (guide) {
      const StrandGuide& of = guides_[static_cast<size_t>(piece.guide)];
      name = of.name;
      if (const auto* pulley = std::get_if<PulleyWrap>(&of.wrap))
        arcs += std::numbers::pi * pulley->radius;
    } else {
      name = nodes_[static_cast<size_t>(run.way.stops[before.piece + 1].node)].name;
    }
    size_t count = 1;
    for (size_t n = before.piece + 1; !guide && run.way.pieces[n].tube; ++n, ++count)
      arcs += (x[static_cast<size_t>(run.way.stops[n + 1].node)] -
               x[static_cast<size_t>(run.way.stops[n].node)])
                  .norm();
    if (count > 1) name = name.substr(0, name.rfind(':'));  // that of the tube
    most = std::max(most, order[k].behind - order[k].before);
    run.gates.push_back({finder_.add_count(strand + "_before_" + name, order[k].before),
                         finder_.add_count(strand + "_behind_" + name, order[k].behind),
                         obstruction, count});
    obstruction += count;
  }
  const double room = std::min<double>(run.last(), most + 4 + std::ceil(arcs / least));
  if (room * run.last() > kMostPairs)
    throw Error(quoted(strands_[run.strand]),
                "has too many nodes that are at once inside what they pass",
                "give a larger 'spacing', or let fewer nodes pass");
  run.room = static_cast<int>(room);
}

}  // namespace sinew
