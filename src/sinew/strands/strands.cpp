#include "sinew/strands/strands.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/muscles/wrap/chosen_side.hpp"
#include "sinew/strands/fixed_length.hpp"
#include "sinew/strands/node_stop.hpp"

// Descriptions, checked, and the places of nodes.

namespace sinew {
namespace {

/// How close an end with a knot may come to its ring, as a share of the strand's material.
constexpr double kKnot = 1e-3;
/// Nodes from which on derivatives of a section are taken by coordinates, if these are fewer: below
/// that its mass by nodes is faster.
constexpr size_t kManyNodes = 24;

std::string quoted_node(const StrandNode& node) { return "strand node '" + node.name + "'"; }

unsigned feature_of(const Strand& strand) {
  switch (strand.form) {
    case StrandForm::strand:
      return bit(Feature::strands);
    case StrandForm::soft_body:
      return bit(Feature::soft_bodies);
    case StrandForm::cable:
      break;
  }
  return 0;
}

}  // namespace

std::string quoted(const Strand& strand) {
  const char* what = strand.form == StrandForm::cable       ? "force '"
                     : strand.form == StrandForm::soft_body ? "soft body '"
                                                            : "strand '";
  return what + strand.name + "'";
}

void validate(const Strand& strand) {
  const std::string element = quoted(strand);
  const auto require = [&](bool good, const char* problem, const char* remedy) {
    if (!good) throw Error(element, problem, remedy);
  };
  const std::vector<StrandPoint>& points = strand.points;
  require(points.size() >= 2, "has fewer than two nodes", "give at least both ends");
  if (strand.loop) {
    require(std::isfinite(*strand.loop) && *strand.loop > 0, "has a length that is not positive",
            "give the rest length of the loop in m");
    require(std::none_of(points.begin(), points.end(), [](const auto& p) { return !!p.s; }),
            "is closed, but holds material at a node",
            "leave out 's', or give it two ends at one node");
    require(strand.density > 0 && strand.mass_model == StrandMass::continuous,
            "is closed, but has no continuous mass", "give it a 'density'");
    require(std::isfinite(strand.speed), "has a speed that is not finite", "give it in m/s");
  } else {
    require(points.front().s && points.back().s, "has an end that is virtual",
            "give each end the material that is held there, its 's'");
  }
  const double* before = nullptr;
  for (const StrandPoint& point : points) {
    if (!point.s) continue;
    require(std::isfinite(*point.s), "has an 's' that is not finite", "give rest lengths in m");
    require(!before || *point.s > *before, "has material nodes whose 's' do not increase",
            "list the nodes in order, each with more rest length before it than the last");
    before = &*point.s;
  }
  for (size_t k = 1; k < points.size(); ++k)
    require(points[k].node != points[k - 1].node || points[k].node.empty(),
            "passes a node twice in succession", "name each node once");
  require(std::isfinite(strand.density) && strand.density >= 0, "has a density that is not ≥ 0",
          "give its mass per rest length in kg/m; zero for a strand without mass");
  require(strand.ends != StrandEnds::ignore || strand.density == 0,
          "ignores nodes that meet, but has mass", "leave out its density");
  if (strand.length == StrandLength::elastic) strand.law.validate(element);
}

Strands::Strands(const Skeleton& skeleton, std::vector<StrandNode> nodes,
                 std::vector<StrandGuide> guides, std::vector<Strand> strands)
    : guides_(std::move(guides)),
      strands_(std::move(strands)),
      first_frame_(static_cast<int>(nodes.size())) {
  std::vector<StrandRoute> routes;
  RouteFinder finder(skeleton, nodes, guides_);
  std::set<std::string> names;
  for (const Strand& strand : strands_) {
    if (!names.insert(strand.name).second)
      throw Error(quoted(strand), "is defined twice", "give each strand a unique name");
    validate(strand);
    Strand outside = strand;  // what its way is made of
    std::erase_if(outside.points, [](const StrandPoint& point) { return point.inside; });
    routes.push_back(finder.find(outside));
  }
  RunFinder runs(finder, nodes, guides_, strands_);
  for (size_t k = 0; k < strands_.size(); ++k)
    for (StrandRun& run : runs.find(k, routes[k])) runs_.push_back(std::move(run));
  check_inside();
  for (size_t k = 0; k < strands_.size(); ++k) find_releases(finder, nodes, k, routes[k]);
  tree_ = std::make_shared<NodeTree>(skeleton, std::move(nodes));
  for (size_t k = 0; k < this->nodes().size(); ++k) mass_ += place_of(static_cast<int>(k)).bead;
  for (size_t k = 0; k < strands_.size(); ++k) {
    cut_sections(routes[k], k);
    if (strands_[k].ends == StrandEnds::knot) tie_knots(routes[k], k);
  }
  for (size_t k = 0; k < sections_.size(); ++k)
    for (size_t slip = 0; slip < sections_[k].element.slips().size(); ++slip)
      if (guides_[static_cast<size_t>(guide_of({k, slip}))].sticks()) holds_.push_back({k, slip});
  find_vertices();
  inertia_ = mass_ > 0 || std::any_of(sections_.begin(), sections_.end(),
                                      [](const Section& s) { return s.element.has_inertia(); });
  check_masses();
}

Strands::Section Strands::make_section(const StrandRoute& route, size_t first, size_t last,
                                       const Strand& strand, double begin, double end,
                                       bool ends_change) const {
  std::vector<int> nodes;
  for (size_t k = first; k <= last; ++k) nodes.push_back(route.stops[k].node);
  std::vector<std::optional<Wrap>> surfaces;
  std::vector<RoutePiece> pieces(route.pieces.begin() + static_cast<std::ptrdiff_t>(first),
                                 route.pieces.begin() + static_cast<std::ptrdiff_t>(last));
  for (const RoutePiece& piece : pieces) {
    surfaces.emplace_back();
    if (piece.guide < 0) continue;
    Wrap wrap = guides_[static_cast<size_t>(piece.guide)].wrap;
    if (auto* pulley = std::get_if<PulleyWrap>(&wrap)) {
      pulley->hold = piece.hold;
      pulley->past = piece.past;
    }
    surfaces.back() = std::move(wrap);
    for (int k = 0; k < 4; ++k) nodes.push_back(first_frame_ + 4 * piece.guide + k);
  }
  if (strand.loop) nodes.push_back(route.run);
  std::vector<SectionSlip> slips;
  for (size_t k = 0; k < pieces.size(); ++k) {
    if (pieces[k].slip < 0) continue;
    slips.push_back({k, guides_[static_cast<size_t>(pieces[k].guide)].friction});
    nodes.push_back(pieces[k].slip);
  }
  StrandSection element(strand, begin, end, surfaces, std::move(slips));
  std::vector<char> moves;
  for (size_t k = 0; k < nodes.size(); ++k) {
    const int node = nodes[k];
    const bool slip = std::any_of(pieces.begin(), pieces.end(),
                                  [&](const RoutePiece& piece) { return piece.slip == node; });
    const bool may = ends_change && (k == 0 || k == pieces.size());
    for (int c = 0; c < 3; ++c)
      moves.push_back(may || (!place_of(node).coordinates.empty() && !(slip && c > 0)));
  }
  element.leave_out_still(moves);
  Section out{0, 0, 0, std::move(element), std::move(nodes), std::move(pieces)};
  out.may_end = !out.element.is_plain() && strand.ends != StrandEnds::ignore;
  out.on_links = !out.element.has_inertia() && out.nodes.size() == out.pieces.size() + 1 &&
                 std::all_of(out.nodes.begin(), out.nodes.end(),
                             [&](int node) { return place_of(node).link >= 0; });
  if (!ends_change && !out.on_links) find_coordinates(out);
  return out;
}

void Strands::find_coordinates(Section& section) const {
  if (section.nodes.size() < kManyNodes || section.element.is_lumped() ||
      section.element.is_sliding())
    return;
  std::set<std::array<int, 3>> known;
  size_t entries = 0;
  for (const int node : section.nodes) {
    const Place& place = place_of(node);
    if (!place.coordinates.empty()) entries += 3;
    for (const NodeCoordinate& c : place.coordinates)
      if (known.insert({c.dof, c.mover, c.entry}).second) section.coordinates.push_back(c);
  }
  if (section.coordinates.size() >= entries) section.coordinates.clear();
}

void Strands::find_vertices() {
  is_vertex_.assign(nodes().size(), 0);
  std::map<std::string, int> numbers;
  for (size_t k = 0; k < nodes().size(); ++k) numbers[nodes()[k].name] = static_cast<int>(k);
  for (const Strand& strand : strands_) {
    if (strand.form != StrandForm::soft_body) continue;
    for (const StrandPoint& point : strand.points) {
      const int node = numbers.at(point.node);
      vertices_.push_back(node);
      is_vertex_[static_cast<size_t>(node)] = 1;
    }
  }
}

int Strands::free_vertex_count() const {
  return static_cast<int>(std::count_if(vertices_.begin(), vertices_.end(),
                                        [&](int node) { return place_of(node).free; }));
}

void Strands::cut_sections(const StrandRoute& route, size_t strand) {
  const Strand& of = strands_[strand];
  int number = 0, row = 0;
  size_t first = 0;
  for (size_t k = 1; k < route.stops.size(); ++k) {
    if (!route.stops[k].s) continue;
    const double begin = *route.stops[first].s, end = *route.stops[k].s;
    const auto run = std::find_if(runs_.begin(), runs_.end(), [&](const StrandRun& one) {
      return one.strand == strand && one.slots.front().s <= begin && one.slots.back().s >= end;
    });
    if (run != runs_.end()) {
      if (run->slots.front().s == begin) {
        run->number = number + 1;
        cut_run(*run);
        number += run->last();
      }
      first = k;
      continue;
    }
    ways_.push_back(static_cast<int>(sections_.size()));
    changing_.push_back(-1);
    sections_.push_back(make_section(route, first, k, of, begin, end));
    Section& section = sections_.back();
    if (of.ends == StrandEnds::ignore && !section.on_links)
      throw Error(quoted(of), "ignores nodes that meet, but not all are points of bodies",
                  "let its end stop the run");
    section.strand = strand;
    section.number = ++number;
    section.row = row + 1;
    row += 1 + static_cast<int>(std::count_if(section.pieces.begin(), section.pieces.end(),
                                              [](const RoutePiece& p) { return p.rim >= 0; }));
    const double mass = section.element.mass();
    cut_releases(route, strand, first, k);
    mass_ += mass;
    any_at_rest_ |= !of.velocity_terms && of.density > 0;
    first = k;
  }
}

void Strands::check_inside() const {
  for (size_t k = 0; k < strands_.size(); ++k)
    for (const StrandPoint& point : strands_[k].points) {
      if (!point.inside) continue;
      const bool found =
          point.s && std::any_of(runs_.begin(), runs_.end(), [&](const StrandRun& run) {
            return run.strand == k && run.slots.front().s < *point.s &&
                   run.slots.back().s > *point.s;
          });
      if (!found)
        throw Error(quoted(strands_[k]),
                    "has node '" + point.node + "' inside a ring or a guide that no node passes",
                    "hold material only where it is outside");
    }
}

void Strands::cut_run(StrandRun& run) {
  const Strand& of = strands_[run.strand];
  const double begin = run.slots.front().s, end = run.slots.back().s;
  ways_.push_back(-1 - static_cast<int>(&run - runs_.data()));
  const auto add = [&](Section section, int number, int changing) {
    section.strand = run.strand;
    section.number = number;
    section.row = 1;
    sections_.push_back(std::move(section));
    changing_.push_back(changing);
    return sections_.size() - 1;
  };
  for (int k = 0; k < run.last(); ++k) {
    StrandRoute plain;
    plain.stops = {{run.slot(k).node, {}}, {run.slot(k + 1).node, {}}};
    plain.pieces.resize(1);
    const size_t index =
        add(make_section(plain, 0, 1, of, run.slot(k).s, run.slot(k + 1).s), run.number + k, -1);
    if (k == 0) run.plain = index;
  }
  const size_t gates = run.gates.size();
  run.through.resize(gates * gates);
  for (size_t f = 0; f < gates; ++f)
    for (size_t g = f; g < gates; ++g) {
      const StrandRoute way = run.way_through(f, g);
      const auto changing = static_cast<int>(
          std::count_if(changing_.begin(), changing_.end(), [](int c) { return c >= 0; }));
      run.through[f * gates + g] =
          add(make_section(way, 0, way.pieces.size(), of, begin, end, true), run.number, changing);
    }
  mass_ += of.density * (end - begin);
  any_at_rest_ |= !of.velocity_terms;
}

std::vector<Strands::Section> Strands::cut_rows(const Section& section) const {
  // The way of the section with a stop on each rim that it turns.
  StrandRoute route;
  std::vector<size_t> cuts = {0};
  std::vector<double> kept;  // rest lengths up to the rims
  for (size_t k = 0; k < section.pieces.size(); ++k) {
    route.stops.push_back({section.nodes[k], {}});
    const RoutePiece& piece = section.pieces[k];
    if (piece.rim < 0) {
      route.pieces.push_back(piece);
      continue;
    }
    cuts.push_back(route.stops.size());
    kept.push_back(piece.kept);
    route.stops.push_back({piece.rim, {}});
    route.pieces.push_back({piece.guide, RimHold::last, true, piece.before});
    route.pieces.push_back({piece.guide, RimHold::first, true, piece.after});
  }
  cuts.push_back(route.stops.size());
  route.stops.push_back({section.last(), {}});
  Strand bare;  // without mass
  bare.name = strands_[section.strand].name;
  bare.length = StrandLength::fixed;
  std::vector<Section> out;
  double begin = 0;
  for (size_t k = 0; k + 1 < cuts.size(); ++k) {
    const double end = k + 2 == cuts.size() ? section.element.rest_length() : begin + kept[k];
    out.push_back(make_section(route, cuts[k], cuts[k + 1], bare, begin, end));
    out.back().number = section.row + static_cast<int>(k);
    // What has run through the start of a closed strand has come from behind its last rim.
    if (section.element.is_closed() && cuts.size() > 2) {
      if (k == 0) out.back().run = {section.nodes.back(), -1};
      if (k + 2 == cuts.size()) out.back().run = {section.nodes.back(), 1};
    }
    begin = end;
  }
  return out;
}

void Strands::tie_knots(const StrandRoute& route, size_t strand) {
  const Strand& of = strands_[strand];
  Strand bare;  // without mass
  bare.name = of.name;
  bare.length = StrandLength::fixed;
  const size_t last = route.pieces.size();
  for (const bool at_start : {true, false}) {
    const int end = (at_start ? route.stops.front() : route.stops.back()).node;
    // Free nodes of the strand go through the ring before its end does.
    for (size_t k = 1; k < last; ++k) {
      const auto& [node, s] = route.stops[at_start ? k : last - k];
      if (s && place_of(node).free) continue;
      if (s || route.pieces[at_start ? k - 1 : last - k].guide >= 0) break;
      StrandRoute piece;
      piece.stops = {{end, {}}, {node, {}}};
      piece.pieces.resize(1);
      knots_.push_back({of.name + (at_start ? "_start" : "_end"),
                        make_section(piece, 0, 1, bare, 0, kKnot * of.rest_length())});
      break;
    }
  }
}

/// A bead slides along a straight strand without moving its material: it needs a mass of its own.
void Strands::check_masses() const {
  std::vector<char> used(nodes().size(), 0), heavy(nodes().size(), 0);
  for (const Section& section : sections_) {
    for (const int node : section.nodes) used[static_cast<size_t>(node)] = 1;
    for (const RoutePiece& piece : section.pieces)
      if (piece.rim >= 0) used[static_cast<size_t>(piece.rim)] = 1;
    for (const RoutePiece& piece : section.pieces)
      if (piece.slip >= 0) heavy[static_cast<size_t>(piece.slip)] = 1;  // its route has seen to it
    if (section.element.mass() == 0) continue;
    if (section.element.is_closed())  // its run is followed by its slips
      heavy[static_cast<size_t>(section.nodes.rbegin()[section.element.slips().size()])] = 1;
    else
      for (const int end : {section.nodes.front(), section.last()})
        heavy[static_cast<size_t>(end)] = 1;
  }
  for (const StrandRun& run : runs_)
    for (const StrandRun::Gate& gate : run.gates)
      for (const int node : {gate.before, gate.behind})
        used[static_cast<size_t>(node)] = heavy[static_cast<size_t>(node)] = 1;
  for (const Release& release : releases_)
    for (const int node : release.count)
      if (node >= 0) used[static_cast<size_t>(node)] = heavy[static_cast<size_t>(node)] = 1;
  for (const int node : tree_->shaped())
    for (const int control : place_of(node).controls) used[static_cast<size_t>(control)] = 1;
  for (size_t k = 0; k < nodes().size(); ++k) {
    const Place& place = place_of(static_cast<int>(k));
    const auto frames = static_cast<size_t>(first_frame_);
    if (!used[k])
      throw Error(k < frames ? quoted_node(nodes()[k]) : quoted(guides_[(k - frames) / 4]),
                  "is on no strand", "name it in a strand, or remove it");
    if (place.mover >= 0 && !heavy[k] && place.bead == 0)
      throw Error(quoted_node(nodes()[k]), "moves freely, but has no mass",
                  "give it a mass, or let a strand with a density end or be held there");
  }
}

ConstraintList Strands::length_rows(StrandLength kind, const PartPlace& place) const {
  ConstraintList out;
  for (const int way : ways_) {
    if (way < 0) continue;  // only strands that stretch have nodes that pass
    const Section& section = sections_[static_cast<size_t>(way)];
    const Strand& strand = strands_[section.strand];
    if (strand.length != kind) continue;
    for (Section& row : cut_rows(section)) {
      std::vector<WindingAngle> windings;
      for (const RoutePiece& piece : row.pieces) windings.push_back(piece.winding);
      out.push_back(std::make_shared<FixedLength>(
          strand.name + "_" + std::to_string(row.number), tree_, std::move(row.nodes),
          std::move(row.element), std::move(windings), row.run, place));
    }
  }
  return out;
}

std::vector<Limit> Strands::limits(const PartPlace& place) const {
  std::vector<Limit> out;
  for (auto& row : length_rows(StrandLength::at_most, place))
    out.push_back({std::move(row), -std::numeric_limits<double>::infinity(), 0});
  for (const Knot& knot : knots_)
    out.push_back(
        {std::make_shared<FixedLength>(knot.name, tree_, knot.piece.nodes, knot.piece.element,
                                       std::vector<WindingAngle>(1), RunTerm{}, place),
         0, std::numeric_limits<double>::infinity()});
  for (const NodeTree::Mover& mover : tree_->movers()) {
    if (place_of(mover.node).free) continue;
    const ShapedNode& shaped = tree_->shape(mover.node);
    const bool capped = std::visit(
        [](const auto& shape) {
          if constexpr (requires { shape.ends; }) return shape.ends == CurveEnds::capped;
          return false;
        },
        shaped.shape);
    if (!capped) continue;
    const std::string& name = nodes()[static_cast<size_t>(mover.node)].name;
    out.push_back({std::make_shared<NodeStop>(name + "_u", place.dof + mover.first), 0,
                   static_cast<double>(shaped.controls.size() - 1)});
  }
  return out;
}

unsigned Strands::features() const {
  unsigned out = 0;
  for (const Strand& strand : strands_) out |= feature_of(strand);
  if (!holds_.empty()) out |= bit(Feature::bearings);
  // What does not move has none of a soft body.
  return free_vertex_count() > 0 ? out : out & ~bit(Feature::soft_bodies);
}

std::string Strands::element_with(Feature feature) const {
  if (feature == Feature::bearings)
    return quoted(guides_[static_cast<size_t>(guide_of(holds_.front()))]);
  const auto found = std::find_if(strands_.begin(), strands_.end(), [&](const Strand& s) {
    return (feature_of(s) & bit(feature)) != 0;
  });
  return quoted(found == strands_.end() ? strands_[0] : *found);
}

bool Strands::acts_on_links_only() const {
  return !inertia_ && tree_->movers().empty() && tree_->shaped().empty() &&
         std::all_of(strands_.begin(), strands_.end(),
                     [](const Strand& s) { return s.length == StrandLength::elastic; }) &&
         std::all_of(sections_.begin(), sections_.end(),
                     [](const Section& s) { return s.on_links; });
}

/// The laws of tension are what bends: of sections with friction one for each zone.
void Strands::append_pieces(const PartAt&, PartScratch& scratch, std::vector<int>& out) const {
  const auto& ws = static_cast<const StrandScratch&>(scratch);
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (!sections_[i].element.is_sliding()) {
      out.push_back(ws.sections[i].pull.stretch.piece);
      continue;
    }
    int all = 0;
    for (const ZonePull& zone : ws.terms_of(i).sliding.zones) all = 64 * all + zone.stretch.piece;
    out.push_back(all);
  }
}

std::string Strands::piece_name(size_t k) const { return quoted(strands_[sections_[k].strand]); }

void Strands::connect_nodes(const std::vector<int>& nodes, int first, NodeLayout& layout) const {
  for (const int a : nodes)
    for (const int i : place_of(a).movers)
      for (const int b : nodes) {
        if (!place_of(b).dofs.empty()) layout.couple(first + i);
        for (const int j : place_of(b).movers)
          if (j < i) layout.connect(first + i, first + j);
      }
}

void Strands::lay_out(NodeLayout& masses, NodeLayout& all) const {
  const int first = all.count();
  for (const NodeTree::Mover& mover : tree_->movers()) {
    masses.add_node(mover.size);
    all.add_node(mover.size);
  }
  const auto join = [&](const std::vector<int>& nodes, NodeLayout& layout) {
    connect_nodes(nodes, first, layout);
  };
  for (const Section& section : sections_) {
    join(section.nodes, all);
    if (section.element.has_inertia()) join(section.nodes, masses);
  }
  for (const StrandRun& run : runs_)
    for (NodeLayout* layout : {&all, &masses}) lay_out_run(run, first, *layout);
  for (const int node : tree_->shaped()) {
    join({node}, all);
    if (place_of(node).bead > 0) join({node}, masses);
  }
}

void Strands::place(VecRef q, VecRef qdot) const {
  for (const NodeTree::Mover& mover : tree_->movers()) {
    const StrandNode& node = nodes()[static_cast<size_t>(mover.node)];
    if (const auto* maximal = std::get_if<MaximalNode>(&node.place)) {
      q.segment<3>(mover.first) = maximal->x;
      qdot.segment<3>(mover.first) = maximal->v;
      continue;
    }
    const auto& shaped = std::get<ShapedNode>(node.place);
    q.segment(mover.first, mover.size) = shaped.u.head(mover.size);
    qdot.segment(mover.first, mover.size) = shaped.udot.head(mover.size);
  }
}

std::string Strands::dof_name(int dof) const {
  const auto& movers = tree_->movers();
  const auto after =
      std::upper_bound(movers.begin(), movers.end(), dof,
                       [](int d, const NodeTree::Mover& mover) { return d < mover.first; });
  const NodeTree::Mover& mover = *(after - 1);
  return std::string(1, (mover.size == 3 ? "xyz" : "uv")[dof - mover.first]) + " of " +
         quoted_node(nodes()[static_cast<size_t>(mover.node)]);
}

bool Strands::mass_changes_fast() const {
  return dof_count() == 0 && has_mass() && !any_at_rest_ &&
         std::none_of(sections_.begin(), sections_.end(),
                      [](const Section& s) { return s.element.is_lumped(); });
}

Obstacle Strands::obstacle() const {
  if (!runs_.empty())
    return {quoted(strands_[runs_[0].strand]) +
                " has nodes that pass rings or guides, where coordinates change their meaning",
            "leave out its 'spacing' where it runs through rings or around guides"};
  if (!releases_.empty())
    return {quoted(strands_[releases_[0].strand]) +
                " has ends that may slip out of their rings, where it becomes another one",
            "let its 'ends' stop the run"};
  for (const Strand& strand : strands_) {
    if (strand.density > 0 && !strand.velocity_terms)
      return {quoted(strand) + " has no velocity terms, and its derivatives are not complete",
              "leave out \"velocity_terms\""};
    if (strand.law.full_damping && strand.law.slack && strand.law.damping > 0)
      return {quoted(strand) + " is slack at times, and its damper sets in with a jump",
              "set its damping to 0, or let it push, too"};
  }
  for (const Section& section : sections_)
    for (const RoutePiece& piece : section.pieces) {
      if (piece.guide < 0) continue;
      const StrandGuide& guide = guides_[static_cast<size_t>(piece.guide)];
      if (!is_smooth(guide.wrap))
        return {quoted(strands_[section.strand]) + " runs around " + quoted(guide) +
                    ", whose model is not smooth",
                "give its surface \"model\": \"smooth\""};
      if (chooses_side(guide.wrap))
        return {quoted(strands_[section.strand]) + " runs around " + quoted(guide) +
                    " on the nearer side, and its pull jumps where that changes",
                "give its surface a 'side'"};
    }
  return {};
}

}  // namespace sinew
