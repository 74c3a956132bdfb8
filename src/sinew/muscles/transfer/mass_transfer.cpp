#include "sinew/muscles/transfer/mass_transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/muscles/transfer/placed_mass.hpp"

namespace sinew {
namespace {

SpatialInertia plus(const SpatialInertia& a, double factor, const SpatialInertia& b) {
  return {a.mass + factor * b.mass, a.h + factor * b.h, a.I + factor * b.I};
}

void require(bool good, const std::string& element, const char* problem, const char* remedy) {
  if (!good) throw Error(element, problem, remedy);
}

VecX checked_pose(const Skeleton& skeleton, const std::optional<VecX>& pose) {
  const int n = skeleton.dof_count();
  VecX q(n);
  for (int k = 0; k < n; ++k) q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
  if (!pose) return q;
  if (pose->size() != n || !pose->allFinite())
    throw Error("reference pose", "does not fit the skeleton",
                fmt::format("give {} finite coordinates", n));
  return *pose;
}

void require_body(const Skeleton& skeleton, BodyIndex body, const std::string& element) {
  require(body.valid() && body < skeleton.body_count(), element,
          "takes mass from a body that does not exist", "use a body of the skeleton");
}

// ---- moments

void scale_masses(const MomentsPolicy& policy, std::vector<Muscle>& muscles) {
  require(std::isfinite(policy.share) && policy.share >= 0, "mass transfer",
          "has a share that is not ≥ 0", "give the factor on the muscles' masses; one for all");
  require(policy.hosts.empty() || policy.hosts.size() == muscles.size(), "mass transfer",
          "does not have one host per muscle", "give one for each muscle, or none");
  for (Muscle& muscle : muscles) muscle = with_mass(muscle, policy.share * muscle.mass);
}

void move_moments(const Skeleton& skeleton, const MomentsPolicy& policy,
                  const std::vector<PlacedMass>& placed, const PlacedBodies& bodies,
                  MassTransfer& out) {
  for (size_t k = 0; k < placed.size(); ++k) {
    if (placed[k].stretches.empty()) continue;
    const std::string element = "muscle '" + out.muscles[k].name + "'";
    const bool hosted = !policy.hosts.empty() && policy.hosts[k].valid();
    if (hosted) require_body(skeleton, policy.hosts[k], element);
    require(hosted || !placed[k].cells.empty(), element, "lies along the ground, which has no mass",
            "name a host");
    std::vector<SpatialInertia> taken(skeleton.bodies().size());
    if (hosted)
      taken[static_cast<size_t>(policy.hosts[k])] = placed[k].inertia(bodies.pose(policy.hosts[k]));
    else
      for (const PathCell& cell : placed[k].cells)
        for (const MassStretch& stretch : placed[k].stretches)
          if (const auto part = stretch.between(cell.lo, cell.hi)) {
            SpatialInertia& sum = taken[static_cast<size_t>(cell.body)];
            sum = sum + part->inertia(bodies.pose(cell.body));
          }
    for (size_t b = 0; b < taken.size(); ++b)
      if (taken[b].mass > 0)
        out.moves.push_back({BodyIndex(static_cast<int>(b)), static_cast<int>(k), taken[b],
                             taken[b].mass / skeleton.bodies()[b].M_B.mass});
  }
}

/// The largest s for which M − s taken is the inertia of a real body. These s form an interval from
/// 0, since such inertias form a convex cone.
double largest_share(const SpatialInertia& M, const SpatialInertia& taken) {
  double works = 0, fails = M.mass / taken.mass;
  for (int step = 0; step < 50; ++step) {
    const double s = 0.5 * (works + fails);
    (physical_defect(plus(M, -s, taken)).empty() ? works : fails) = s;
  }
  return works;
}

/// The Error for the body that can give the smallest part of `asked`: it states that part and names
/// the muscle of which the body could give the smallest part alone.
Error overdrawn(const Skeleton& skeleton, const MassTransfer& transfer,
                const std::vector<SpatialInertia>& asked, double share) {
  const auto part = [&](size_t body, const SpatialInertia& taken) {
    if (taken.mass == 0) return std::numeric_limits<double>::infinity();
    return largest_share(skeleton.bodies()[body].M_B, taken);
  };
  size_t poorest = 0;
  for (size_t b = 1; b < asked.size(); ++b)
    if (part(b, asked[b]) < part(poorest, asked[poorest])) poorest = b;
  const MassMove* largest = nullptr;
  for (const MassMove& move : transfer.moves) {
    if (static_cast<size_t>(move.body) != poorest) continue;
    if (!largest || part(poorest, move.taken) < part(poorest, largest->taken)) largest = &move;
  }
  const Body& body = skeleton.bodies()[poorest];
  const std::string& muscle = transfer.muscles[static_cast<size_t>(largest->muscle)].name;
  // Rounded down, so that the value stated works.
  const double works = std::floor(share * part(poorest, asked[poorest]) * 1e4) * 1e-4;
  return {"body '" + body.name + "'",
          fmt::format("cannot give muscle '{}' {:g} kg where it lies: for the rest, {}", muscle,
                      largest->taken.mass, physical_defect(plus(body.M_B, -1, asked[poorest]))),
          fmt::format("the largest share of the muscles' masses that works is {:.4f}; or name "
                      "another host, or scale segments",
                      works)};
}

// ---- scale

void move_shares(const Skeleton& skeleton, const ScalePolicy& policy, MassTransfer& out) {
  std::vector<std::string> names;
  for (const Muscle& muscle : out.muscles) names.push_back(muscle.name);
  std::vector<double> mass(names.size(), 0);
  std::vector<char> given(names.size(), 0), seen(skeleton.bodies().size(), 0);
  for (const SegmentShare& segment : policy.segments) {
    require_body(skeleton, segment.body, "mass transfer");
    const Body& body = skeleton.body(segment.body);
    const std::string element = "body '" + body.name + "'";
    require(segment.share >= 0 && segment.share < 1, element, "has a share that is not in [0, 1)",
            "give the part of its mass that becomes muscle");
    char& twice = seen[static_cast<size_t>(segment.body)];
    require(!twice, element, "gives its mass twice", "name all its muscles in one segment");
    twice = 1;
    double ratios = 0;
    for (const SegmentShare::Part& part : segment.parts) {
      require(std::isfinite(part.ratio) && part.ratio > 0, element, "has a ratio that is not > 0",
              "omit muscles that get nothing");
      ratios += part.ratio;
    }
    require(ratios > 0 || segment.share == 0, element, "gives its mass to no muscle",
            "name muscles, with ratios");
    for (const SegmentShare::Part& part : segment.parts) {
      const auto found = std::find(names.begin(), names.end(), part.muscle);
      if (found == names.end())
        throw Error("muscle '" + part.muscle + "'", "does not exist", suggest(part.muscle, names));
      const auto k = static_cast<size_t>(found - names.begin());
      const double share = segment.share * (part.ratio / ratios);
      given[k] = 1;
      if (share == 0) continue;
      out.moves.push_back({segment.body, static_cast<int>(k), plus({}, share, body.M_B), share});
      mass[k] += out.moves.back().taken.mass;
    }
  }
  for (size_t k = 0; k < names.size(); ++k) {
    require(given[k] || !out.muscles[k].has_mass(), "muscle '" + names[k] + "'",
            "has a mass that no segment gives", "name it in a segment, or omit its mass");
    out.muscles[k] = with_mass(out.muscles[k], mass[k]);
  }
}

/// Subtracts the moves from the bodies.
void settle(const Skeleton& skeleton, double share, MassTransfer& out) {
  std::vector<SpatialInertia> asked(skeleton.bodies().size()), M_B;
  for (const MassMove& move : out.moves) {
    SpatialInertia& sum = asked[static_cast<size_t>(move.body)];
    sum = sum + move.taken;
  }
  for (size_t b = 0; b < asked.size(); ++b) {
    M_B.push_back(skeleton.bodies()[b].M_B);
    if (asked[b].mass == 0) continue;
    M_B[b] = plus(M_B[b], -1, asked[b]);
    if (!physical_defect(M_B[b]).empty()) throw overdrawn(skeleton, out, asked, share);
    out.bodies.push_back({BodyIndex(static_cast<int>(b)), skeleton.bodies()[b].M_B, M_B[b]});
  }
  out.skeleton = skeleton.with_inertias(M_B);
}

}  // namespace

MassTransfer transfer_mass(const Skeleton& skeleton, std::vector<Muscle> muscles,
                           const MassPolicy& policy, const std::optional<VecX>& reference_pose) {
  MassTransfer out{skeleton, std::move(muscles), {}, {}, {}, {}, {}};
  PlacedBodies bodies(skeleton, checked_pose(skeleton, reference_pose));
  const MomentsPolicy* moments = std::get_if<MomentsPolicy>(&policy);
  if (moments)
    scale_masses(*moments, out.muscles);
  else
    move_shares(skeleton, std::get<ScalePolicy>(policy), out);

  std::vector<PlacedMass> placed;
  for (const Muscle& muscle : out.muscles) placed.push_back(bodies.place(muscle));
  if (moments) move_moments(skeleton, *moments, placed, bodies, out);
  settle(skeleton, moments ? moments->share : 1, out);

  for (int b = 0; b < skeleton.body_count(); ++b) {
    const BodyIndex body(b);
    const Pose E_WB = bodies.pose(body);
    out.total_before = out.total_before + skeleton.body(body).M_B.transformed(E_WB);
    out.total_after = out.total_after + out.skeleton.body(body).M_B.transformed(E_WB);
  }
  for (const PlacedMass& muscle : placed) {
    out.total_after = out.total_after + muscle.inertia(Pose());
    out.status.push_back(muscle.status);
  }
  return out;
}

Muscle with_mass(Muscle muscle, double mass) {
  if (mass > 0 && mass != muscle.mass && !muscle.regions.empty()) {
    double now = 0;
    for (const MassRegion& region : muscle.regions) {
      const PieceMoments<double> m = piece_moments(region, region.begin, region.end);
      now += m.m00 + 2 * m.m01 + m.m11;
    }
    require(now > 0, "muscle '" + muscle.name + "'", "has a density profile without mass",
            "give it any mass; only the profile's shape will matter");
    for (MassRegion& region : muscle.regions)
      for (double* c : {&region.c0, &region.c1, &region.c2}) *c *= mass / now;
  }
  muscle.mass = mass;
  return muscle;
}

}  // namespace sinew
