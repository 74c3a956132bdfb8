#pragma once

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/io/scene/path_reader.hpp"
#include "sinew/muscles/transfer/mass_transfer.hpp"

namespace sinew {

/// A muscle's mass that is not to move with its path but with bodies.
struct Lumping {
  std::vector<BodyIndex> bodies;  ///< which share it equally; empty: not lumped
  bool like_body = false;         ///< spread as the body's own mass, not frozen where the path is
  bool at_zero = false;           ///< frozen at zero coordinates, not at the default ones
};

struct MuscleReading {
  Muscle muscle;           ///< its mass is zero where it is lumped or given up
  double mass = 0;         ///< as the file gives it [kg]
  std::string mass_model;  ///< likewise; "massless" where a point that jumps takes it
  Lumping lumping;
  BodyIndex host;  ///< that gives its mass; invalid: not said
  std::optional<HillDescription> hill;
  int line = 0;
};

/// Where the mass of muscles comes from.
enum class MassSource { none, moments, scale };

/// The scene's object "muscles".
struct MusclesReading {
  std::vector<MuscleReading> list;
  MassSource source = MassSource::none;
  double share = 1;  ///< moments: factor on all masses; scale: part of each host's mass
};
MusclesReading read_muscles(const SceneContext& context, const JsonNode& node,
                            const Skeleton& skeleton);

/// How bodies give their mass to muscles; none: muscles bring theirs along.
std::optional<MassPolicy> mass_policy(const MusclesReading& muscles);

/// The skeleton and the muscles with their masses: those of lumped muscles added to bodies, those
/// of others taken from them as the scene asks for. Throws an Error naming the muscle or body at
/// fault.
MassTransfer settle_masses(const Skeleton& skeleton, const MusclesReading& muscles);

}  // namespace sinew
