#include "sinew/strands/strand_forms.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/force_checks.hpp"

namespace sinew {
namespace {

std::string numbered(const std::string& name, size_t k) {
  return name + "_" + std::to_string(k + 1);
}

}  // namespace

DescribedStrand make_cable(const std::string& name, const std::vector<RigidNode>& points,
                           const CableLaw& law) {
  DescribedStrand out;
  Strand& strand = out.strand;
  strand.name = name;
  strand.form = StrandForm::cable;
  strand.ends = StrandEnds::ignore;
  const std::string element = quoted(strand);
  if (points.size() < 2) throw Error(element, "has fewer than two points", "give both ends");
  for (const RigidNode& point : points) require_finite(point.x_B.allFinite(), name, "a point");
  require_not_negative(law.stiffness, name, "stiffness");
  require_not_negative(law.damping, name, "damping");
  require_positive(law.rest_length, name, "rest length");
  const auto elsewhere = [&](const RigidNode& point) { return point.body != points[0].body; };
  if (std::none_of(points.begin(), points.end(), elsewhere))
    throw Error(element, "connects a body to itself", "run it to another body");
  strand.law = {LinearStretch{law.stiffness}, law.damping, law.slack, true};
  for (size_t k = 0; k < points.size(); ++k) {
    out.nodes.push_back({numbered(name, k), points[k]});
    strand.points.push_back({out.nodes.back().name, std::nullopt});
  }
  strand.points.front().s = 0;
  strand.points.back().s = law.rest_length;
  return out;
}

DescribedStrand make_chain(const Chain& chain) {
  DescribedStrand out;
  Strand& strand = out.strand;
  strand.name = chain.name;
  strand.form = StrandForm::soft_body;
  const auto require = [&](bool good, const char* problem, const char* remedy) {
    if (!good) throw Error(quoted(strand), problem, remedy);
  };
  require(chain.vertices >= 2, "has fewer than two vertices", "give both ends");
  require(std::isfinite(chain.mass) && chain.mass > 0, "has a mass that is not positive",
          "give kilograms");
  const auto last = static_cast<size_t>(chain.vertices - 1);
  const auto pieces = static_cast<double>(last);
  const double rest_length = (chain.start[1] - chain.start[0]).norm() / pieces;
  require(std::isfinite(rest_length) && rest_length > 0, "has a rest length that is not positive",
          "put its ends at different places");
  // T = (K/L) ε + (d/L) ε̇.
  strand.law = {LinearStretch{chain.stiffness / rest_length}, chain.damping / rest_length, false};
  const double mass = chain.mass / chain.vertices;
  for (size_t k = 0; k <= last; ++k) {
    StrandNode& node = out.nodes.emplace_back();
    node.name = numbered(chain.name, k);
    const double share = static_cast<double>(k) / pieces;
    if (k == 0 || k == last) {
      RigidNode end = chain.ends[k == 0 ? 0 : 1];
      end.mass = mass;
      node.place = end;
    } else {
      node.place = MaximalNode{chain.start[0] + share * (chain.start[1] - chain.start[0]),
                               Vec3::Zero(), mass};
    }
    strand.points.push_back({node.name, static_cast<double>(k) * rest_length});
  }
  return out;
}

Skeleton with_bead(const Skeleton& skeleton, const RigidNode& node) {
  std::vector<SpatialInertia> M_B;
  for (const Body& body : skeleton.bodies()) M_B.push_back(body.M_B);
  SpatialInertia& inertia = M_B[static_cast<size_t>(node.body.value)];
  inertia = inertia + SpatialInertia::FromCentral(node.mass, node.x_B, Mat3::Zero());
  return skeleton.with_inertias(M_B);
}

}  // namespace sinew
