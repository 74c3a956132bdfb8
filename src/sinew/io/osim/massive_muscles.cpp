#include "sinew/io/osim/massive_muscles.hpp"

#include <algorithm>
#include <map>

#include "sinew/core/error.hpp"
#include "sinew/muscles/opensim/path_with_fixed_wraps.hpp"

namespace sinew {
namespace {

constexpr double kDensity = 1059.7;  // of muscle [kg/m³]: Mendez and Keys, Metabolism 9, 1960

/// F₀ l₀ of a muscle [N m]; OpenSim's defaults where the file leaves them out.
double strength(const OsimPath& path) {
  const auto number = [&](const char* key, double otherwise) {
    const auto found = path.properties.find(key);
    return found == path.properties.end() ? otherwise : found->second;
  };
  const HillMuscle defaults;
  return number("max_isometric_force", defaults.max_isometric_force) *
         number("optimal_fiber_length", defaults.optimal_fibre_length);
}

/// Of those that carry its points; kWorld where only the ground does.
BodyIndex heaviest_body(const Muscle& muscle, const Skeleton& skeleton) {
  BodyIndex best = kWorld;
  double most = 0;
  for (const PathPoint& point : muscle.points)
    for (const PathTerm& term : point.terms) {
      if (term.body == kWorld || !(skeleton.body(term.body).M_B.mass > most)) continue;
      best = term.body;
      most = skeleton.body(term.body).M_B.mass;
    }
  return best;
}

}  // namespace

OsimMasses massive_muscles(const std::vector<OsimPath>& paths, const Skeleton& skeleton,
                           const std::vector<VecX>& poses, double specific_tension) {
  OsimMasses out;
  for (const OsimPath& path : paths) {
    if (!path.muscle) continue;
    Muscle muscle;
    muscle.name = path.path.name;
    muscle.mass = kDensity * strength(path) / specific_tension;
    try {
      PathWithFixedWraps route = fix_wraps(path.path, skeleton, poses);
      muscle.points = std::move(route.points);
      muscle.spans = std::move(route.spans);
      for (const std::string& surface : route.left_out)
        out.warnings.push_back("muscle '" + muscle.name + "': its mass does not wrap around '" +
                               surface + "', which shares a segment with another surface");
      out.muscles.push_back(std::move(muscle));
    } catch (const Error& error) {
      out.warnings.push_back("muscle '" + muscle.name + "' gets no mass: " + error.what());
    }
  }
  return out;
}

MassTransfer scale_into_muscles(const Skeleton& skeleton, std::vector<Muscle> muscles,
                                double largest_share) {
  std::erase_if(muscles, [&](const Muscle& m) { return heaviest_body(m, skeleton) == kWorld; });
  std::map<int, SegmentShare> segments;  // by body; shares are masses until all are known
  for (Muscle& muscle : muscles) {
    const BodyIndex host = heaviest_body(muscle, skeleton);
    SegmentShare& segment = segments[host.value];
    segment.body = host;
    segment.share += muscle.mass;
    segment.parts.push_back({muscle.name, muscle.mass});
    muscle = with_mass(std::move(muscle), 0);
  }
  ScalePolicy policy;
  for (auto& [body, segment] : segments) {
    segment.share = std::min(largest_share, segment.share / skeleton.body(segment.body).M_B.mass);
    policy.segments.push_back(segment);
  }
  return transfer_mass(skeleton, std::move(muscles), policy);
}

MassiveOsim massive_system_builder(const OsimModel& model, const RunStart& run,
                                   const OsimMasses& masses, double largest_share) {
  const MassTransfer transfer = scale_into_muscles(model.skeleton, masses.muscles, largest_share);
  OsimModel lighter = model;
  lighter.skeleton = transfer.skeleton;
  MassiveOsim out{lighter.system_builder(run, transfer.muscles)};
  for (const MassMove& move : transfer.moves) out.moved += move.taken.mass;
  return out;
}

}  // namespace sinew
