#include "sinew/strands/strands.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"

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
    : nodes_(std::move(nodes)), strands_(std::move(strands)) {
  place_nodes(skeleton);
  cut_sections();
  check_masses();
}

void Strands::place_nodes(const Skeleton& skeleton) {
  std::set<std::string> names;
  for (const StrandNode& node : nodes_) {
    const std::string element = quoted_node(node);
    const auto require = [&](bool good, const char* problem, const char* remedy) {
      if (!good) throw Error(element, problem, remedy);
    };
    require(names.insert(node.name).second, "is defined twice", "give each node a unique name");
    Place& place = places_.emplace_back();
    if (const auto* maximal = std::get_if<MaximalNode>(&node.place)) {
      require(maximal->x.allFinite() && maximal->v.allFinite(),
              "has a position or velocity that is not finite", "give finite numbers");
      require(std::isfinite(maximal->mass) && maximal->mass >= 0, "has a mass that is not ≥ 0",
              "give the mass of its bead in kg, or none");
      place.free = static_cast<int>(free_nodes_.size());
      free_nodes_.push_back(static_cast<int>(places_.size()) - 1);
      place.bead = maximal->mass;
      mass_ += maximal->mass;
      continue;
    }
    const auto& rigid = std::get<RigidNode>(node.place);
    require(rigid.body == kWorld || (rigid.body.valid() && rigid.body < skeleton.body_count()),
            "is on a body that does not exist", "use a body of the skeleton");
    require(rigid.x_B.allFinite(), "has a point that is not finite", "give finite numbers");
    place.body = rigid.body;
    place.x_B = rigid.x_B;
    place.link = link_of(skeleton, rigid.body);
    for (int i = place.link; i > 0; i = skeleton.link(i).parent)
      for (int k = 0; k < skeleton.link(i).dof_count; ++k) {
        place.dofs.push_back(skeleton.link(i).dof + k);
        place.links.push_back(i);
      }
  }
}

int Strands::node_named(const Strand& strand, const StrandPoint& point) const {
  std::vector<std::string> names;
  for (size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k].name == point.node) return static_cast<int>(k);
    names.push_back(nodes_[k].name);
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
  std::vector<char> used(nodes_.size(), 0), heavy(nodes_.size(), 0);
  for (const Section& section : sections_) {
    for (const int node : section.nodes) used[static_cast<size_t>(node)] = 1;
    for (const int end : {section.nodes.front(), section.nodes.back()})
      if (section.element.mass() > 0) heavy[static_cast<size_t>(end)] = 1;
  }
  for (size_t k = 0; k < nodes_.size(); ++k) {
    if (!used[k])
      throw Error(quoted_node(nodes_[k]), "is on no strand", "name it in a strand, or remove it");
    if (places_[k].free >= 0 && !heavy[k] && places_[k].bead == 0)
      throw Error(quoted_node(nodes_[k]), "moves freely, but has no mass",
                  "give it a mass, or let a strand with a density end or be held there");
  }
}

ConstraintList Strands::length_rows(StrandLength kind, const PartPlace& place) const {
  ConstraintList out;
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Strand& strand = strands_[sections_[i].strand];
    if (strand.length != kind) continue;
    std::vector<RowNode> nodes;
    for (const int node : sections_[i].nodes) nodes.push_back(place_of(node));
    out.push_back(
        std::make_shared<FixedLength>(strand.name + "_" + std::to_string(sections_[i].number),
                                      std::move(nodes), sections_[i].element.rest_length(), place));
  }
  return out;
}

std::vector<Limit> Strands::limits(const PartPlace& place) const {
  std::vector<Limit> out;
  for (auto& row : length_rows(StrandLength::at_most, place))
    out.push_back({std::move(row), -std::numeric_limits<double>::infinity(), 0});
  return out;
}

std::string Strands::element_with(Feature) const { return quoted_strand(strands_[0]); }

void Strands::lay_out(NodeLayout& masses, NodeLayout& all) const {
  const int first = all.count();
  for (size_t k = 0; k < free_nodes_.size(); ++k) {
    masses.add_node(3);
    all.add_node(3);
  }
  for (const Section& section : sections_)
    for (const int a : section.nodes) {
      const Place& of_a = place_of(a);
      if (of_a.free < 0) continue;
      for (const int b : section.nodes) {
        const Place& of_b = place_of(b);
        for (NodeLayout* layout : {&masses, &all}) {
          if (layout == &masses && section.element.mass() == 0) continue;
          if (of_b.free < 0 && !of_b.dofs.empty()) layout->couple(first + of_a.free);
          if (of_b.free >= 0 && of_b.free < of_a.free)
            layout->connect(first + of_a.free, first + of_b.free);
        }
      }
    }
}

void Strands::place(VecRef q, VecRef qdot) const {
  for (size_t k = 0; k < free_nodes_.size(); ++k) {
    const auto& node = std::get<MaximalNode>(nodes_[static_cast<size_t>(free_nodes_[k])].place);
    q.segment<3>(3 * static_cast<Eigen::Index>(k)) = node.x;
    qdot.segment<3>(3 * static_cast<Eigen::Index>(k)) = node.v;
  }
}

std::string Strands::dof_name(int dof) const {
  const auto node = static_cast<size_t>(free_nodes_[static_cast<size_t>(dof / 3)]);
  return std::string(1, "xyz"[dof % 3]) + " of " + quoted_node(nodes_[node]);
}

bool Strands::mass_changes_fast() const {
  return free_nodes_.empty() && has_mass() && !any_at_rest_ &&
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
