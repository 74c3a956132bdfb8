#pragma once

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/io/scene/path_reader.hpp"
#include "sinew/muscles/transfer/mass_transfer.hpp"

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
};
MusclesReading read_muscles(const SceneContext& context, const JsonNode& node,
                            const Skeleton& skeleton);

/// The transfer of mass from bodies to muscles; none: muscles add their own mass.
std::optional<MassPolicy> mass_policy(const MusclesReading& muscles);

/// The skeleton and the muscles with their masses: those of lumped muscles added to bodies, those
/// of others taken from them as the scene specifies. Throws an Error naming the muscle or body at
/// fault.
MassTransfer settle_masses(const Skeleton& skeleton, const MusclesReading& muscles);

}  // namespace sinew
