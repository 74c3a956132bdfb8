#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/strands/strand_route.hpp"

// Pulleys that strands turn, and pulleys with friction.

namespace sinew {
namespace {

void check_friction(const StrandGuide& guide, bool round) {
  const GuideFriction& friction = guide.friction;
  const auto require = [&](bool good, const char* problem, const char* remedy) {
    if (!good) throw Error(quoted(guide), problem, remedy);
  };
  require(round, "has friction, which only pulleys can have",
          "give it a 'radius', or let strands slip");
  require(friction.coefficient >= 0 && friction.coefficient <= 10,
          "has a coefficient of friction that is not from 0 to 10",
          "give that of the strand on the guide, such as 0.3");
  require(std::isfinite(friction.creep) && friction.creep >= 0,
          "has a creep velocity that is negative or not a number",
          "give it in m/s, such as 0.001, or 0 for friction that holds still");
  require(std::isfinite(friction.mass) && friction.mass >= 0,
          "has a mass of what slides that is not ≥ 0", "give it in kg, such as 0.001, or none");
}

}  // namespace

void check_hold(const StrandGuide& guide) {
  const std::string element = quoted(guide);
  const bool round = std::holds_alternative<PulleyWrap>(guide.wrap);
  if (guide.hold == GuideHold::grip && !round)
    throw Error(element, "is gripped, which only pulleys can be",
                "give it a 'radius', or let strands slip");
  if (guide.hold == GuideHold::friction) check_friction(guide, round);
}

void RouteFinder::measure(StrandRoute& route) const {
  double length = 0;  // since the last cut
  for (size_t k = 0; k < route.pieces.size(); ++k) {
    RoutePiece& way = route.pieces[k];
    const int from = route.stops[k].node, to = route.stops[k + 1].node;
    if (route.stops[k].s) length = 0;
    if (way.rim < 0) {
      length += length_of(from, to, way);
      continue;
    }
    way.kept = length + length_of(from, way.rim, {way.guide, RimHold::last, false, way.before});
    length = length_of(way.rim, to, {way.guide, RimHold::first, false, way.after});
  }
}

void RouteFinder::grip(const Strand& strand, size_t piece, double angle, StrandRoute& route) {
  RoutePiece& way = route.pieces[piece];
  if (strand.length != StrandLength::fixed)
    throw Error(quoted(strand),
                "stretches or may be slack, and cannot be gripped by guide '" +
                    guides_[static_cast<size_t>(way.guide)].name + "'",
                "make it 'inextensible', or let the guide 'slip'");
  const PulleyWrap& of = *pulley(way.guide);
  const double start = of.tangent_angle(in_frame(way.guide, route.stops[piece].node), false);
  way.rim = add_rim(strand, way.guide, start + sign_of(of) * 0.5 * angle);
  way.before = winding(way.guide, RimHold::last, 0.5 * angle);
  way.after = winding(way.guide, RimHold::first, 0.5 * angle);
}

int RouteFinder::add_slip(const Strand& strand, const StrandGuide& guide) {
  std::string name = strand.name + "_at_" + guide.name;
  for (int again = 2; numbers_.contains(name); ++again)
    name = strand.name + "_at_" + guide.name + "_" + std::to_string(again);
  return add_line(name, 0);
}

void RouteFinder::rub(const Strand& strand, size_t piece, StrandRoute& route) {
  RoutePiece& way = route.pieces[piece];
  const StrandGuide& guide = guides_[static_cast<size_t>(way.guide)];
  if (strand.length != StrandLength::elastic)
    throw Error(
        quoted(strand),
        "does not stretch, and cannot slide over " + quoted(guide) + " with friction",
        "give it a 'stiffness' instead of 'inextensible', or let the guide 'slip' or 'grip'");
  const bool heavy = strand.density > 0 && strand.mass_model == StrandMass::continuous;
  if (!heavy && guide.friction.mass == 0)
    throw Error(quoted(strand), "slides over " + quoted(guide) + " with friction, but has no mass",
                "give it a 'density', or give the friction a 'mass', such as 0.001");
  way.slip = add_slip(strand, guide);
}

double RouteFinder::length_to_slip(int from, int to, const RoutePiece& way) const {
  const Vec3 o = in_frame(way.guide, from), i = in_frame(way.guide, to);
  SpanShape<double> path;
  pulley(way.guide)->shape<double>(pulley(way.guide)->solve(o, i, way.winding.angle), o, i, path);
  return path.piece[0].length + 0.5 * path.piece[1].length;
}

std::vector<double> RouteFinder::slips_of(const StrandRoute& route) const {
  std::vector<double> out;
  size_t first = 0;
  for (size_t end = 1; end < route.stops.size(); ++end) {
    if (!route.stops[end].s) continue;
    double length = 0;
    const size_t count = out.size();
    for (size_t k = first; k < end; ++k) {
      const RoutePiece& way = route.pieces[k];
      const int from = route.stops[k].node, to = route.stops[k + 1].node;
      if (way.slip >= 0) out.push_back(length + length_to_slip(from, to, way));
      length += length_of(from, to, way);
    }
    const double begin = *route.stops[first].s, rest = *route.stops[end].s - begin;
    for (size_t k = count; k < out.size(); ++k) out[k] = begin + rest * out[k] / length;
    first = end;
  }
  return out;
}

void RouteFinder::place_slips(const StrandRoute& route, double speed) {
  const std::vector<Vec3> start = x_;
  const double h = 1e-5;
  const auto at = [&](double t) {
    x_ = positions_at(t);
    return slips_of(route);
  };
  const std::vector<double> before = at(-h), after = at(h);
  x_ = start;
  const std::vector<double> s = slips_of(route);
  size_t slip = 0;
  for (const RoutePiece& way : route.pieces) {
    if (way.slip < 0) continue;
    auto& node = std::get<ShapedNode>(nodes_[static_cast<size_t>(way.slip)].place);
    node.u[0] = s[slip];
    node.udot[0] = (after[slip] - before[slip]) / (2 * h) - speed;
    x_[static_cast<size_t>(way.slip)].x() = s[slip];
    ++slip;
  }
}

}  // namespace sinew
