#pragma once

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/io/models/muscle_mass.hpp"
#include "sinew/io/scene/path_reader.hpp"

namespace sinew {

/// A muscle's mass that moves with bodies instead of its path.
struct Lumping {
  std::vector<BodyIndex> bodies;  ///< bodies that share it equally; empty: not lumped
  bool like_body = false;         ///< spread like the body's own mass, not frozen along the path
  bool at_zero = false;           ///< frozen at zero coordinates, not at the default ones
};

struct MuscleReading {
  Muscle muscle;           ///< its mass is zero if it is lumped or dropped
  double mass = 0;         ///< as given in the file [kg]
  std::string mass_model;  ///< likewise; "massless" if a point of its path jumps
  Lumping lumping;
  BodyIndex host;  ///< gives its mass; invalid: not given
  std::optional<HillDescription> hill;
  int line = 0;
};

/// The source of the mass of muscles.
enum class MassSource { none, moments, scale };

/// The scene's object "muscles".
struct MusclesReading {
  std::vector<MuscleReading> list;
  MassSource source = MassSource::none;
  double share = 1;  ///< moments: factor on all masses; scale: part of each host's mass
  std::optional<MuscleMassOptions> by_rule;  ///< masses as options of the program say them
};
MusclesReading read_muscles(const SceneContext& context, const JsonNode& node,
                            const Skeleton& skeleton);

/// A muscle as masses by a rule need it.
std::vector<WeighedMuscle> weighed(const std::vector<Muscle>& muscles,
                                   const MusclesReading& reading);

/// The transfer of mass from bodies to muscles; none: muscles add their own mass.
std::optional<MassPlan> mass_plan(const Skeleton& skeleton, const MusclesReading& muscles);

/// The skeleton and the muscles with their masses: those of lumped muscles added to bodies, those
/// of others taken from them as planned. Throws an Error naming the muscle or body at fault.
MassTransfer settle_masses(const Skeleton& skeleton, const MusclesReading& muscles,
                           const std::optional<MassPlan>& plan);

}  // namespace sinew
