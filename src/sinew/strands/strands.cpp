#include "sinew/strands/strands.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/strands/fixed_length.hpp"
#include "sinew/strands/node_stop.hpp"

// Descriptions, checked, and the places of nodes.

namespace sinew {
namespace {

std::string quoted_node(const StrandNode& node) { return "strand node '" + node.name + "'"; }
std::string quoted_strand(const Strand& strand) { return "strand '" + strand.name + "'"; }

void check_strand(const Strand& strand) {
  const std::string element = quoted_strand(strand);
  const auto require = [&](bool good, const char* problem, const char* remedy) {
    if (!good) throw Error(element, problem, remedy);
  };
  const std::vector<StrandPoint>& points = strand.points;
  require(points.size() >= 2, "has fewer than two nodes", "give at least both ends");
  require(points.front().s && points.back().s, "has an end that is virtual",
          "give each end the material that is held there, its 's'");
  const double* before = nullptr;
  for (const StrandPoint& point : points) {
    if (!point.s) continue;
    require(std::isfinite(*point.s), "has an 's' that is not finite", "give rest lengths in m");
    require(!before || *point.s > *before, "has material nodes whose 's' do not increase",
            "list the nodes in order, each with more rest length before it than the last");
    before = &*point.s;
  }
  for (size_t k = 1; k < points.size(); ++k)
    require(points[k].node != points[k - 1].node, "passes a node twice in succession",
            "name each node once");
  require(std::isfinite(strand.density) && strand.density >= 0, "has a density that is not ≥ 0",
          "give its mass per rest length in kg/m; zero for a strand without mass");
  if (strand.length == StrandLength::elastic) strand.law.validate(element);
}

}  // namespace

Strands::Strands(const Skeleton& skeleton, std::vector<StrandNode> nodes,
                 std::vector<Strand> strands)
    : tree_(std::make_shared<NodeTree>(skeleton, std::move(nodes))), strands_(std::move(strands)) {
  for (size_t k = 0; k < this->nodes().size(); ++k) mass_ += place_of(static_cast<int>(k)).bead;
  cut_sections();
  check_masses();
}

int Strands::node_named(const Strand& strand, const StrandPoint& point) const {
  std::vector<std::string> names;
  for (size_t k = 0; k < nodes().size(); ++k) {
    if (nodes()[k].name == point.node) return static_cast<int>(k);
    names.push_back(nodes()[k].name);
  }
  throw Error(quoted_strand(strand), "passes node '" + point.node + "', which does not exist",
              suggest(point.node, names));
}

void Strands::cut_sections() {
  std::set<std::string> names;
  for (size_t k = 0; k < strands_.size(); ++k) {
    const Strand& strand = strands_[k];
    if (!names.insert(strand.name).second)
      throw Error(quoted_strand(strand), "is defined twice", "give each strand a unique name");
    check_strand(strand);
    std::vector<int> passed;
    double begin = 0;
    int number = 0;
    for (const StrandPoint& point : strand.points) {
      passed.push_back(node_named(strand, point));
      if (!point.s) continue;
      if (passed.size() > 1) {
        const auto count = static_cast<int>(passed.size());
        sections_.push_back({k, ++number, StrandSection(strand, begin, *point.s, count), passed});
        mass_ += sections_.back().element.mass();
        any_at_rest_ |= !strand.velocity_terms && strand.density > 0;
      }
      begin = *point.s;
      passed = {passed.back()};
    }
  }
}

/// A bead slides along a straight strand without moving its material: it needs a mass of its own.
void Strands::check_masses() const {
  std::vector<char> used(nodes().size(), 0), heavy(nodes().size(), 0);
  for (const Section& section : sections_) {
    for (const int node : section.nodes) used[static_cast<size_t>(node)] = 1;
    for (const int end : {section.nodes.front(), section.nodes.back()})
      if (section.element.mass() > 0) heavy[static_cast<size_t>(end)] = 1;
  }
  for (const int node : tree_->shaped())
    for (const int control : place_of(node).controls) used[static_cast<size_t>(control)] = 1;
  for (size_t k = 0; k < nodes().size(); ++k) {
    const Place& place = place_of(static_cast<int>(k));
    if (!used[k])
      throw Error(quoted_node(nodes()[k]), "is on no strand", "name it in a strand, or remove it");
    if (place.mover >= 0 && !heavy[k] && place.bead == 0)
      throw Error(quoted_node(nodes()[k]), "moves freely, but has no mass",
                  "give it a mass, or let a strand with a density end or be held there");
  }
}

ConstraintList Strands::length_rows(StrandLength kind, const PartPlace& place) const {
  ConstraintList out;
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Strand& strand = strands_[sections_[i].strand];
    if (strand.length != kind) continue;
    out.push_back(std::make_shared<FixedLength>(
        strand.name + "_" + std::to_string(sections_[i].number), tree_, sections_[i].nodes,
        sections_[i].element.rest_length(), place));
  }
  return out;
}

std::vector<Limit> Strands::limits(const PartPlace& place) const {
  std::vector<Limit> out;
  for (auto& row : length_rows(StrandLength::at_most, place))
    out.push_back({std::move(row), -std::numeric_limits<double>::infinity(), 0});
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

std::string Strands::element_with(Feature) const { return quoted_strand(strands_[0]); }

void Strands::lay_out(NodeLayout& masses, NodeLayout& all) const {
  const int first = all.count();
  for (const NodeTree::Mover& mover : tree_->movers()) {
    masses.add_node(mover.size);
    all.add_node(mover.size);
  }
  const auto join = [&](const std::vector<int>& nodes, NodeLayout& layout) {
    for (const int a : nodes)
      for (const int i : place_of(a).movers)
        for (const int b : nodes) {
          if (!place_of(b).dofs.empty()) layout.couple(first + i);
          for (const int j : place_of(b).movers)
            if (j < i) layout.connect(first + i, first + j);
        }
  };
  for (const Section& section : sections_) {
    join(section.nodes, all);
    if (section.element.mass() > 0) join(section.nodes, masses);
  }
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
  for (const Strand& strand : strands_) {
    if (strand.density > 0 && !strand.velocity_terms)
      return {
          quoted_strand(strand) + " has no velocity terms, and its derivatives are not complete",
          "leave out \"velocity_terms\""};
  }
  return {};
}

std::string Strands::failure(const PartScratch& scratch) const {
  const int failed = static_cast<const StrandScratch&>(scratch).failed;
  if (failed < 0) return "";
  return "nodes that met on " +
         quoted_strand(strands_[sections_[static_cast<size_t>(failed)].strand]);
}

}  // namespace sinew
