#include "sinew/strands/strand_route.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"

namespace sinew {

RouteFinder::RouteFinder(const Skeleton& skeleton, std::vector<StrandNode>& nodes,
                         const std::vector<StrandGuide>& guides)
    : skeleton_(skeleton),
      nodes_(nodes),
      guides_(guides),
      first_frame_(static_cast<int>(nodes.size())) {
  for (const StrandGuide& guide : guides_) add_frame(guide);
  for (size_t k = 0; k < nodes_.size(); ++k)
    if (!numbers_.emplace(nodes_[k].name, static_cast<int>(k)).second)
      throw Error("strand node '" + nodes_[k].name + "'", "is defined twice",
                  "give each node a unique name");
  place_nodes();
}

void RouteFinder::add_frame(const StrandGuide& guide) {
  const std::string element = quoted(guide);
  for (const StrandGuide& other : guides_) {
    if (&other == &guide) break;
    if (other.name == guide.name)
      throw Error(element, "is defined twice", "give each guide a unique name");
  }
  if (guide.body != kWorld && !(guide.body.valid() && guide.body < skeleton_.body_count()))
    throw Error(element, "is on a body that does not exist", "use a body of the skeleton");
  std::visit(
      [&](const auto& wrap) {
        if constexpr (requires { validate(wrap, element); }) validate(wrap, element);
      },
      guide.wrap);
  check_hold(guide);
  nodes_.push_back({guide.name + ":origin", RigidNode{guide.body, guide.E_BS.p}});
  for (int k = 0; k < 3; ++k)
    nodes_.push_back(
        {guide.name + ":" + "xyz" [k], RigidNode { guide.body, guide.E_BS* Vec3(Vec3::Unit(k)) }});
}

std::vector<Vec3> RouteFinder::positions_at(double t) const {
  check_nodes(nodes_);
  SkeletonWorkspace ws(skeleton_);
  VecX q(skeleton_.dof_count());
  for (int k = 0; k < q.size(); ++k) {
    const auto& coordinate = skeleton_.coordinates()[static_cast<size_t>(k)];
    q[k] = coordinate.q0 + t * coordinate.qdot0;
  }
  update_kinematics(skeleton_, q, VecX::Zero(q.size()), ws);
  std::vector<StrandNode> moved = nodes_;
  for (StrandNode& node : moved) {
    if (auto* maximal = std::get_if<MaximalNode>(&node.place)) maximal->x += t * maximal->v;
    if (auto* shaped = std::get_if<ShapedNode>(&node.place)) shaped->u += t * shaped->udot;
  }
  // Nodes on bodies that do not exist are reported by their owner.
  return described_positions(moved, [&](BodyIndex body) {
    const bool known = body == kWorld || (body.valid() && body < skeleton_.body_count());
    return known ? body_pose(skeleton_, ws, body) : Pose();
  });
}

int RouteFinder::node_named(const Strand& strand, const std::string& name) const {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  std::vector<std::string> names;
  for (int k = 0; k < first_frame_; ++k) names.push_back(nodes_[static_cast<size_t>(k)].name);
  throw Error(quoted(strand), "passes node '" + name + "', which does not exist",
              suggest(name, names));
}

int RouteFinder::guide_named(const Strand& strand, const std::string& name) const {
  std::vector<std::string> names;
  for (size_t k = 0; k < guides_.size(); ++k) {
    if (guides_[k].name == name) return static_cast<int>(k);
    names.push_back(guides_[k].name);
  }
  throw Error(quoted(strand), "runs around guide '" + name + "', which does not exist",
              suggest(name, names));
}

Vec3 RouteFinder::in_frame(int guide, int node) const {
  const auto first = static_cast<size_t>(frame(guide));
  const Vec3 arm = x_[static_cast<size_t>(node)] - x_[first];
  Vec3 out;
  for (size_t k = 0; k < 3; ++k)
    out[static_cast<Eigen::Index>(k)] = (x_[first + 1 + k] - x_[first]).dot(arm);
  return out;
}

int RouteFinder::add_rim(const Strand& strand, int guide, double angle) {
  const StrandGuide& of = guides_[static_cast<size_t>(guide)];
  const double r = pulley(guide)->radius;
  const Vec3 x_S(r * std::cos(angle), r * std::sin(angle), 0);
  const auto first = static_cast<size_t>(frame(guide));
  Vec3 x = x_[first];
  for (size_t k = 0; k < 3; ++k)
    x += x_S[static_cast<Eigen::Index>(k)] * (x_[first + 1 + k] - x_[first]);
  std::string name = strand.name + ":" + of.name;
  for (int again = 2; numbers_.contains(name); ++again)
    name = strand.name + ":" + of.name + "_" + std::to_string(again);
  return add_node({name, RigidNode{of.body, of.E_BS * x_S}}, x);
}

int RouteFinder::add_node(const StrandNode& node, const Vec3& x) {
  const auto number = static_cast<int>(nodes_.size());
  numbers_.emplace(node.name, number);
  nodes_.push_back(node);
  x_.push_back(x);
  return number;
}

int RouteFinder::add_run(const Strand& strand) {
  return add_line(strand.name + "_run", strand.speed);
}

int RouteFinder::add_line(const std::string& name, double speed) {
  ShapedNode out;
  out.shape = PolylineCurve{};
  out.controls = {name + ":origin", name + ":x"};
  out.udot[0] = speed;
  add_node({out.controls[0], RigidNode{kWorld, Vec3::Zero()}}, Vec3::Zero());
  add_node({out.controls[1], RigidNode{kWorld, Vec3::UnitX()}}, Vec3::UnitX());
  return add_node({name, out}, Vec3::Zero());
}

int RouteFinder::add_count(const std::string& name, int value) {
  std::string unique = name;
  for (int again = 2; numbers_.contains(unique); ++again)
    unique = name + "_" + std::to_string(again);
  const int out = add_line(unique, 0);
  std::get<ShapedNode>(nodes_[static_cast<size_t>(out)].place).u[0] = value;
  return out;
}

WindingAngle RouteFinder::winding(int guide, RimHold hold, double angle) const {
  WindingAngle out{angle, 0, -1};
  const StrandGuide& of = guides_[static_cast<size_t>(guide)];
  if (hold == RimHold::none || of.body == kWorld) return out;
  const Body& body = skeleton_.body(of.body);
  const Link& link = skeleton_.link(body.link.value);
  if (link.kind != LinkKind::revolute_z) return out;
  const double along =
      (body.E_LB.R * of.E_BS.R).col(2).z();  // of the pulley's and the joint's axis
  if (std::abs(along) < 1 - 1e-9) return out;
  out.dof = link.dof;
  out.rate = sign_of(*pulley(guide)) * (hold == RimHold::last ? 1 : -1) * (along > 0 ? 1 : -1);
  out.angle -= out.rate * skeleton_.coordinates()[static_cast<size_t>(link.dof)].q0;
  return out;
}

double RouteFinder::length_of(int from, int to, const RoutePiece& way) const {
  PieceLength::Nodes x;
  x[0] = x_[static_cast<size_t>(from)];
  x[1] = x_[static_cast<size_t>(to)];
  PieceLength out;
  if (way.guide < 0) {
    update_piece_length(nullptr, 0, x, false, out);
    return out.length;
  }
  for (size_t k = 0; k < 4; ++k) x[2 + k] = x_[static_cast<size_t>(frame(way.guide)) + k];
  Wrap wrap = guides_[static_cast<size_t>(way.guide)].wrap;
  if (auto* of = std::get_if<PulleyWrap>(&wrap)) of->hold = way.hold;
  const WindingAngle& winding = way.winding;
  double angle = winding.angle;
  if (winding.dof >= 0)
    angle += winding.rate * skeleton_.coordinates()[static_cast<size_t>(winding.dof)].q0;
  update_piece_length(&wrap, angle, x, false, out);
  return out.length;
}

/// A node beside a place on a rim, in the pulley's frame.
Vec3 RouteFinder::beside_rim(const Strand& strand, size_t stop, int guide,
                             const StrandRoute& route) const {
  if (strand.points[stop].node.empty())
    throw Error(quoted(strand), "is held on two guides in succession", "name a node between them");
  const Vec3 x_S = in_frame(guide, route.stops[stop].node);
  if (x_S.head<2>().norm() <= pulley(guide)->radius)
    throw Error(quoted(strand),
                "has node '" + strand.points[stop].node + "' on or inside " +
                    quoted(guides_[static_cast<size_t>(guide)]),
                "put the nodes beside it outside its surface");
  return x_S;
}

/// The angle that the rest length of a section leaves for a piece that is held on a rim and leads
/// to x_S; below zero if there is not enough.
double RouteFinder::angle_left(const Strand& strand, size_t piece, const Vec3& x_S,
                               const StrandRoute& route) const {
  size_t begin = piece, end = piece + 1;
  while (begin > 0 && !strand.points[begin].s) --begin;
  while (!strand.points[end].s) ++end;
  double left = *strand.points[end].s - *strand.points[begin].s;
  for (size_t k = begin; k < end; ++k) {
    if (k == piece) continue;
    if (route.stops[k].node < 0 || route.stops[k + 1].node < 0)
      throw Error(quoted(strand), "is held on guides at both ends of a section",
                  "say how far it is 'wound' on one of them");
    left -= length_of(route.stops[k].node, route.stops[k + 1].node, route.pieces[k]);
  }
  const double r = pulley(route.pieces[piece].guide)->radius;
  const double l = std::sqrt(x_S.head<2>().squaredNorm() - r * r);
  if (left <= std::abs(x_S.z())) return -1;
  return (std::sqrt(left * left - x_S.z() * x_S.z()) - l) / r;
}

/// The node on the rim lies as far back from where the strand leaves it as is wound there.
void RouteFinder::place_rim(const Strand& strand, size_t stop, StrandRoute& route) {
  const StrandPoint& point = strand.points[stop];
  const bool first = stop == 0;
  const size_t piece = first ? 0 : stop - 1;
  const int guide = guide_named(strand, point.guide);
  const std::string name = quoted(guides_[static_cast<size_t>(guide)]);
  const PulleyWrap* of = pulley(guide);
  if (of == nullptr)
    throw Error(quoted(strand), "is held on " + name + ", which is no pulley",
                "give the guide a 'radius', or hold the strand at a node");
  const Vec3 x_S = beside_rim(strand, first ? 1 : stop - 1, guide, route);
  const double angle = point.wound ? *point.wound : angle_left(strand, piece, x_S, route);
  if (!(std::isfinite(angle) && angle >= 0))
    throw Error(quoted(strand), "is too short to reach " + name,
                "give it more 'length', or put its nodes closer to the guide");
  const double sign = sign_of(*of), tangent = of->tangent_angle(x_S, first);
  route.stops[stop].node = add_rim(strand, guide, tangent + (first ? -sign : sign) * angle);
  route.pieces[piece].winding = winding(guide, route.pieces[piece].hold, angle);
  if (first || stop + 1 == strand.points.size()) return;
  // The way on from there starts at the same place.
  PulleyWrap onward = *of;
  onward.hold = RimHold::first;
  const SpanSolution solution = onward.solve(in_frame(guide, route.stops[stop].node),
                                             beside_rim(strand, stop + 1, guide, route));
  if (failed(solution.status))
    throw Error(quoted(strand), "leaves " + name + " before the place where it is held",
                "let it be 'wound' less, or put the next node elsewhere");
  route.pieces[stop].winding = winding(guide, RimHold::first, wound_angle(solution));
}

/// The angle at the start is what the ends give, between minus a quarter and three quarters of a
/// turn, and the whole turns of the description. Strands wound by up to 200° may leave the pulley:
/// they are expected at a quarter turn, which is closest to everything down to −67°.
void RouteFinder::wind(const Strand& strand, size_t piece, StrandRoute& route) {
  RoutePiece& way = route.pieces[piece];
  const StrandGuide& guide = guides_[static_cast<size_t>(way.guide)];
  const std::string element = quoted(strand);
  const Vec3 o = in_frame(way.guide, route.stops[piece].node),
             i = in_frame(way.guide, route.stops[piece + 1].node);
  const PulleyWrap* of = pulley(way.guide);
  const double quarter = std::numbers::pi / 2, turns = 4 * quarter * strand.points[piece].turns;
  SpanSolution solution = solve_piece(guide.wrap, o, i, quarter);
  // On the cut between two turns there is no path from a quarter turn on.
  if (of != nullptr && solution.status == SpanStatus::no_path)
    solution = of->solve(o, i, 2 * quarter);
  if (failed(solution.status))
    throw Error(
        element,
        "has no way around " + quoted(guide) + " at the start (" + name_of(solution.status) + ")",
        "put the nodes beside it outside its surface");
  if (of == nullptr) return;
  const double angle = wound_angle(solution) + turns;
  way.winding.angle = angle <= 3.5 && strand.points[piece].turns == 0 ? quarter : angle;
  if (guide.hold != GuideHold::grip && !guide.rubs()) return;
  if (angle <= 0)
    throw Error(element,
                "does not touch " + quoted(guide) +
                    (guide.rubs() ? ", which has friction" : ", which it should turn"),
                "put the nodes beside it so that the strand winds around it, or change its 'side'");
  if (guide.rubs()) return rub(strand, piece, route);
  grip(strand, piece, angle, route);
}

StrandRoute RouteFinder::find(const Strand& strand) {
  StrandRoute out;
  const std::vector<StrandPoint>& points = strand.points;
  for (const StrandPoint& point : points)
    out.stops.push_back({point.node.empty() ? -1 : node_named(strand, point.node), point.s});
  if (strand.loop) {
    out.stops.front().s = 0;
    out.stops.push_back({out.stops.front().node, strand.loop});
    out.run = add_run(strand);
  }
  out.pieces.resize(out.stops.size() - 1);
  const std::string element = quoted(strand);
  for (size_t k = 0; k < points.size(); ++k) {
    const StrandPoint& point = points[k];
    if (k < out.pieces.size()) out.pieces[k].tube = point.tube;
    if (point.guide.empty()) {
      if (point.node.empty()) throw Error(element, "has a node without a name", "name a node");
      continue;
    }
    const int guide = guide_named(strand, point.guide);
    if (!point.node.empty()) {
      if (k + 1 == out.stops.size())
        throw Error(element, "has a guide behind its last node", "name guides between two nodes");
      out.pieces[k].guide = guide;
      continue;
    }
    if (!point.s)
      throw Error(element, "is on the rim of a guide without holding material",
                  "give it an 's', or put the guide between two nodes");
    for (const size_t piece : {k - 1, k}) {  // k − 1 wraps around below zero
      if (piece >= out.pieces.size()) continue;
      if (out.pieces[piece].guide >= 0)
        throw Error(element, "has two guides in succession", "name a node between them");
      out.pieces[piece].guide = guide;
      out.pieces[piece].hold = piece == k ? RimHold::first : RimHold::last;
    }
  }
  for (size_t k = 0; k < out.pieces.size(); ++k)
    if (out.pieces[k].guide >= 0 && out.pieces[k].hold == RimHold::none) wind(strand, k, out);
  // Those that are told how far they are wound come first: others follow from rest lengths.
  for (const bool told : {true, false})
    for (size_t k = 0; k < points.size(); ++k)
      if (points[k].node.empty() && points[k].wound.has_value() == told) place_rim(strand, k, out);
  if (std::any_of(out.pieces.begin(), out.pieces.end(),
                  [](const RoutePiece& piece) { return piece.rim >= 0; }))
    measure(out);
  if (std::any_of(out.pieces.begin(), out.pieces.end(),
                  [](const RoutePiece& piece) { return piece.slip >= 0; }))
    place_slips(out, strand.loop ? strand.speed : 0);
  return out;
}

}  // namespace sinew
