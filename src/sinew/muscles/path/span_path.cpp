#include "sinew/muscles/path/span_path.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/attached_point.hpp"
#include "sinew/muscles/fast/muscle_block.hpp"

namespace sinew {
namespace {

/// Coordinates at which weights are checked: beside the edges of windows and a few more.
std::vector<double> places_to_check(const PathPoint& point) {
  std::vector<double> out{-1.7, -0.4, 0, 0.3, 1.1};
  for (const PathTerm& term : point.terms)
    for (const PathWeight& weight : term.weights)
      if (const Window* w = std::get_if<Window>(&weight.function))
        for (const double edge : {w->lower, w->upper})
          for (const double share : {-1.5, -0.3, 0.0, 0.6}) out.push_back(edge + share * w->band);
  return out;
}

}  // namespace

SpanPath::SpanPath(const Skeleton& skeleton, Muscle muscle) : muscle_(std::move(muscle)) {
  if (muscle_.spans.empty() && muscle_.points.size() > 1)
    muscle_.spans.resize(muscle_.points.size() - 1);
  if (muscle_.regions.empty()) muscle_.regions = mass_regions(MassProfile::uniform, muscle_.mass);
  validate(skeleton);
  for (const PathPoint& path_point : muscle_.points) {
    std::vector<Term>& terms = points_.emplace_back();
    for (const PathTerm& term : path_point.terms) {
      Term& out = terms.emplace_back();
      out.link = sinew::link_of(skeleton, term.body);
      out.direction = term.direction;
      out.scale = term.scale;
      for (const PathWeight& weight : term.weights)
        out.factors.push_back({weight.dof, -1, weight.function});
      const Pose E_LB = term.body == kWorld ? Pose() : skeleton.body(term.body).E_LB;
      out.x_L = E_LB.R * term.x_B;
      if (!term.direction) out.x_L += E_LB.p;
    }
  }
  for (const PathSpan& span : muscle_.spans) {
    const Pose E_LB = span.body == kWorld ? Pose() : skeleton.body(span.body).E_LB;
    frames_.push_back({sinew::link_of(skeleton, span.body), E_LB * span.E_BS});
  }
  index_coordinates(skeleton);
  spanned_ = MuscleBlock::Make(skeleton, muscle_);
}

void SpanPath::validate(const Skeleton& skeleton) const {
  const std::string element = "muscle '" + name() + "'";
  const auto require = [&](bool good, const char* problem, const char* remedy) {
    if (!good) throw Error(element, problem, remedy);
  };
  require(muscle_.points.size() >= 2, "has fewer than two path points",
          "give at least its origin and its insertion");
  require(muscle_.spans.size() + 1 == muscle_.points.size(),
          "does not have one span between each pair of neighbouring points",
          "give one fewer span than points");
  validate_points(skeleton);
  for (const PathSpan& span : muscle_.spans) {
    require(span.body == kWorld || (span.body.valid() && span.body < skeleton.body_count()),
            "has a surface on a body that does not exist", "use a body of the skeleton");
    std::visit(
        [&](const auto& wrap) {
          if constexpr (requires { sinew::validate(wrap, element); })
            sinew::validate(wrap, element);
        },
        span.wrap);
  }
  validate_mass();
  require(muscle_.tension.defect().empty(), "has a tension that cannot be evaluated",
          "give a number, a function or a table of time");
}

void SpanPath::validate_points(const Skeleton& skeleton) const {
  const std::string element = "muscle '" + name() + "'";
  const auto require = [&](bool good, const char* problem, const char* remedy) {
    if (!good) throw Error(element, problem, remedy);
  };
  bool any_body = false;
  for (const PathPoint& path_point : muscle_.points) {
    require(!path_point.terms.empty(), "has an empty path point", "give it a body and a place");
    for (const PathTerm& term : path_point.terms) {
      require(term.body == kWorld || (term.body.valid() && term.body < skeleton.body_count()),
              "names a body that does not exist", "use a body of the skeleton");
      any_body |= term.body != kWorld;
      require(term.x_B.allFinite() && std::isfinite(term.scale),
              "has a path point that is not finite", "give finite numbers");
      require(term.weights.size() <= PathTerm::kMaxWeights,
              "has a path point with a weight of more than four factors",
              "put points that stay between conditional ones");
      for (const PathWeight& weight : term.weights)
        require(weight.dof.valid() && weight.dof < skeleton.dof_count(),
                "names a coordinate that does not exist", "use a coordinate of the skeleton");
    }
    for (const double x : places_to_check(path_point)) {
      // Coordinates apart from each other, so that weights of different ones cannot agree by luck.
      VecX q(skeleton.dof_count());
      for (Eigen::Index k = 0; k < q.size(); ++k) q[k] = x + 0.01 * static_cast<double>(k);
      double sum = 0;
      for (const PathTerm& term : path_point.terms)
        if (!term.direction) sum += weight_of(term, q);
      // 1e-9: weights from a file may be rounded; a larger difference is a mistake.
      require(std::abs(sum - 1) < 1e-9, "has a path point whose weights do not add up to one",
              "let the weights of its points, without directions, sum to one everywhere");
    }
  }
  require(any_body, "is fixed to the ground only", "attach one end to a body that moves");
}

void SpanPath::validate_mass() const {
  const std::string element = "muscle '" + name() + "'";
  const auto require = [&](bool good, const char* problem, const char* remedy) {
    if (!good) throw Error(element, problem, remedy);
  };
  require(std::isfinite(muscle_.mass) && muscle_.mass >= 0, "has a mass that is not ≥ 0",
          "give its mass in kg; zero for a muscle without mass");
  const MaterialMap& m = muscle_.material;
  require(m.A0 >= 0 && m.A1 >= 0 && m.B1 > 0 && m.A1 + m.B1 <= 1 && m.A0 + m.B0 <= 0,
          "has a belly that is not part of the path",
          "give fractions 0 ≤ begin < end ≤ 1, or tendon lengths ≥ 0");
  require(muscle_.lumps >= (muscle_.lumps_at_ends ? 2 : 1), "has too few mass points",
          "give at least one, or two if both ends have one");
  if (!muscle_.has_mass()) return;
  double mass = 0, end = 0;
  for (const MassRegion& region : muscle_.regions) {
    require(region.begin >= end && region.end > region.begin && region.end <= 1,
            "has regions of mass that overlap or leave the belly",
            "let them follow each other from 0 to 1");
    end = region.end;
    const PieceMoments<double> moments = piece_moments(region, region.begin, region.end);
    mass += moments.m00 + 2 * moments.m01 + moments.m11;
  }
  // 1e-9: numbers from a file may be rounded; a larger difference is a mistake.
  require(std::abs(mass - muscle_.mass) <= 1e-9 * muscle_.mass,
          "has regions of mass that do not add up to its mass",
          "fill them by mass_regions with the same mass");
}

void SpanPath::index_coordinates(const Skeleton& skeleton) {
  std::set<int> links, dofs;
  for (const auto& terms : points_)
    for (const Term& term : terms) {
      links.insert(term.link);
      for (const Term::Factor& factor : term.factors) dofs.insert(factor.dof);
    }
  for (const Frame& frame : frames_) links.insert(frame.link);
  for (int link : links)
    for (int i = link; i > 0; i = skeleton.link(i).parent)
      for (int k = 0; k < skeleton.link(i).dof_count; ++k) dofs.insert(skeleton.link(i).dof + k);
  dofs_.assign(dofs.begin(), dofs.end());
  for (int dof : dofs_) {
    const int first = skeleton.link_of_dof(dof), last = skeleton.subtree_end(first);
    link_of_dof_.push_back(first);
    std::vector<char>& moved = moves_.emplace_back(static_cast<size_t>(skeleton.link_count()), 0);
    std::fill(moved.begin() + first, moved.begin() + last, 1);
  }
  for (auto& terms : points_)
    for (Term& term : terms)
      for (Term::Factor& factor : term.factors)
        factor.local = static_cast<int>(std::lower_bound(dofs_.begin(), dofs_.end(), factor.dof) -
                                        dofs_.begin());
}

}  // namespace sinew
