#include "sinew/muscles/transfer/mass_transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/muscles/transfer/bones.hpp"
#include "sinew/muscles/transfer/fair_shares.hpp"
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

void require_host(const Skeleton& skeleton, BodyIndex body, const std::string& element) {
  require(body.valid() && body < skeleton.body_count(), element,
          "takes mass from a body that does not exist", "use a body of the skeleton");
}

// ---- moments

void scale_masses(double share, std::vector<Muscle>& muscles) {
  require(std::isfinite(share) && share >= 0, "mass transfer", "has a share that is not ≥ 0",
          "give the factor on the muscles' masses; one for all");
  for (Muscle& muscle : muscles) muscle = with_mass(muscle, share * muscle.mass);
}

/// Adds what a muscle takes from each body to the moves.
void add_moves(const Skeleton& skeleton, size_t muscle, const std::vector<SpatialInertia>& taken,
               MassTransfer& out) {
  for (size_t b = 0; b < taken.size(); ++b)
    if (taken[b].mass > 0)
      out.moves.push_back({BodyIndex(static_cast<int>(b)), static_cast<int>(muscle), taken[b],
                           taken[b].mass / skeleton.bodies()[b].M_B.mass});
}

void move_moments(const Skeleton& skeleton, const MomentsPolicy& policy,
                  const std::vector<PlacedMass>& placed, const PlacedBodies& bodies,
                  MassTransfer& out) {
  require(policy.hosts.empty() || policy.hosts.size() == placed.size(), "mass transfer",
          "does not have one host per muscle", "give one for each muscle, or none");
  for (size_t k = 0; k < placed.size(); ++k) {
    if (placed[k].stretches.empty()) continue;
    const std::string element = "muscle '" + out.muscles[k].name + "'";
    const bool hosted = !policy.hosts.empty() && policy.hosts[k].valid();
    if (hosted) require_host(skeleton, policy.hosts[k], element);
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
    add_moves(skeleton, k, taken, out);
  }
}

// ---- bones

/// A straight stretch may pass from one bone to the next: it is cut into as many pieces.
constexpr int kPieces = 16;

std::vector<SpatialInertia> taken_from_bones(const Skeleton& skeleton, const PlacedMass& placed,
                                             const std::vector<BodyIndex>& beside,
                                             const Bones& bones, const PlacedBodies& bodies) {
  std::vector<SpatialInertia> out(skeleton.bodies().size());
  const auto give = [&](const MassStretch& stretch) {
    const BodyIndex body = bones.nearest(beside, 0.5 * (stretch.x0 + stretch.x1));
    SpatialInertia& sum = out[static_cast<size_t>(body)];
    sum = sum + stretch.inertia(bodies.pose(body));
  };
  for (const MassStretch& stretch : placed.stretches) {
    const double step = (stretch.s1 - stretch.s0) / kPieces;
    if (step <= 0) {
      give(stretch);
      continue;
    }
    constexpr double kFar = std::numeric_limits<double>::infinity();
    for (int n = 0; n < kPieces; ++n)
      if (const auto piece = stretch.between(n == 0 ? -kFar : stretch.s0 + n * step,
                                             n + 1 == kPieces ? kFar : stretch.s0 + (n + 1) * step))
        give(*piece);
  }
  return out;
}

/// Muscles with nothing beside them get no mass. Leaves the masses that the bodies can give, and
/// the moves.
void move_from_bones(const Skeleton& skeleton, const BonesPolicy& policy, const Bones& bones,
                     PlacedBodies& bodies, std::vector<PlacedMass>& placed, MassTransfer& out) {
  require(policy.keep >= 0 && policy.keep <= 1, "mass transfer",
          "has a part to keep that is not in [0, 1]",
          "give the part of their mass that bodies keep");
  std::vector<double> part(placed.size(), 1);
  const auto find_moves = [&] {
    out.moves.clear();
    for (size_t k = 0; k < placed.size(); ++k) {
      if (placed[k].stretches.empty()) continue;
      const std::vector<BodyIndex> beside = bones.between_attachments(out.muscles[k]);
      if (beside.empty())
        part[k] = 0;
      else
        add_moves(skeleton, k, taken_from_bones(skeleton, placed[k], beside, bones, bodies), out);
    }
  };
  find_moves();
  if (!policy.strict) {
    std::vector<MassClaim> claims;
    for (const MassMove& move : out.moves) claims.push_back({move.muscle, move.body, move.taken});
    const std::vector<double> fair = fair_shares(skeleton, claims, placed.size(), policy.keep);
    for (size_t k = 0; k < placed.size(); ++k) part[k] *= fair[k];
  }
  bool all = true;
  for (size_t k = 0; k < placed.size(); ++k) {
    if (part[k] == 1) continue;
    all = false;
    out.muscles[k] = with_mass(out.muscles[k], part[k] * out.muscles[k].mass);
    placed[k] = bodies.place(out.muscles[k]);
  }
  if (!all) find_moves();
}

/// Whether a body may keep an inertia: any that a real body can have, or by the rule of bones.
struct Judge {
  std::optional<double> keep;

  bool accepts(const SpatialInertia& before, const SpatialInertia& after) const {
    return keep ? may_keep(before, after, *keep) : physical_defect(after).empty();
  }
  std::string defect(const SpatialInertia& after) const {
    const std::string physical = physical_defect(after);
    return physical.empty() ? "less mass or inertia than a body keeps" : physical;
  }
};

/// The largest s for which M − s taken is accepted. These s form an interval from 0.
double largest_share(const Judge& judge, const SpatialInertia& M, const SpatialInertia& taken) {
  double works = 0, fails = M.mass / taken.mass;
  for (int step = 0; step < 50; ++step) {
    const double s = 0.5 * (works + fails);
    (judge.accepts(M, plus(M, -s, taken)) ? works : fails) = s;
  }
  return works;
}

/// The Error for the body that can give the smallest part of `asked`: it states that part and names
/// the muscle of which the body could give the smallest part alone.
Error overdrawn(const Skeleton& skeleton, const MassTransfer& transfer,
                const std::vector<SpatialInertia>& asked, double share, const Judge& judge) {
  const auto part = [&](size_t body, const SpatialInertia& taken) {
    if (taken.mass == 0) return std::numeric_limits<double>::infinity();
    return largest_share(judge, skeleton.bodies()[body].M_B, taken);
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
                      largest->taken.mass, judge.defect(plus(body.M_B, -1, asked[poorest]))),
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
    require_host(skeleton, segment.body, "mass transfer");
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

/// Subtracts the moves from the bodies; without a judge, whatever is left of them.
void settle(const Skeleton& skeleton, double share, const std::optional<Judge>& judge,
            MassTransfer& out) {
  std::vector<SpatialInertia> asked(skeleton.bodies().size()), M_B;
  for (const MassMove& move : out.moves) {
    SpatialInertia& sum = asked[static_cast<size_t>(move.body)];
    sum = sum + move.taken;
  }
  for (size_t b = 0; b < asked.size(); ++b) {
    M_B.push_back(skeleton.bodies()[b].M_B);
    if (asked[b].mass == 0) continue;
    M_B[b] = plus(M_B[b], -1, asked[b]);
    if (judge && !judge->accepts(skeleton.bodies()[b].M_B, M_B[b]))
      throw overdrawn(skeleton, out, asked, share, *judge);
    out.bodies.push_back({BodyIndex(static_cast<int>(b)), skeleton.bodies()[b].M_B, M_B[b]});
  }
  out.skeleton = skeleton.with_inertias(M_B);
}

}  // namespace

double MassTransfer::moved() const {
  double sum = 0;
  for (const MassMove& move : moves) sum += move.taken.mass;
  return sum;
}

MassTransfer transfer_mass(const Skeleton& skeleton, std::vector<Muscle> muscles,
                           const MassPolicy& policy, const std::optional<VecX>& reference_pose) {
  MassTransfer out{skeleton, std::move(muscles), {}, {}, {}, {}, {}, {}};
  PlacedBodies bodies(skeleton, checked_pose(skeleton, reference_pose));
  const auto* moments = std::get_if<MomentsPolicy>(&policy);
  const auto* beside = std::get_if<BonesPolicy>(&policy);
  double share = 1;
  if (const auto* scale = std::get_if<ScalePolicy>(&policy))
    move_shares(skeleton, *scale, out);
  else
    scale_masses(share = moments ? moments->share : beside->share, out.muscles);

  std::vector<PlacedMass> placed;
  for (const Muscle& muscle : out.muscles) {
    out.wanted.push_back(muscle.mass);
    placed.push_back(bodies.place(muscle));
  }
  if (moments) move_moments(skeleton, *moments, placed, bodies, out);
  if (beside) move_from_bones(skeleton, *beside, Bones(skeleton, bodies), bodies, placed, out);
  std::optional<Judge> judge = Judge{};
  if (beside) judge = beside->strict ? std::optional(Judge{beside->keep}) : std::nullopt;
  settle(skeleton, share, judge, out);

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
