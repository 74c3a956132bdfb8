#pragma once

#include "sinew/muscles/transfer/mass_transfer.hpp"
#include "sinew/muscles/transfer/muscle_masses.hpp"

/// Mass for the muscles of a model, as a user asks for it: the same in every command.

namespace sinew {

/// As a user writes it.
struct MuscleMassOptions {
  /// "off", "volumes", "strength" or a table (.csv); empty: as the command or the file says.
  std::string source = {};
  std::vector<std::string> segments = {};       ///< body:share:muscle,muscle,…
  std::optional<double> share = {};             ///< factor on the masses that are moved
  std::optional<double> specific_tension = {};  ///< [MPa]
  std::optional<double> height = {};            ///< of the person [m]
  bool strict = false;                          ///< bodies that cannot give all are an Error

  /// Whether it says where masses come from.
  bool says() const { return !source.empty() || !segments.empty(); }
  bool off() const { return source == "off"; }
};

/// Muscles with the masses that they are to get, and the rule by which bodies give them.
struct MassPlan {
  std::vector<Muscle> muscles;
  MassPolicy policy;
  std::optional<MuscleMasses> by_rule;  ///< none where a table says them
};

/// What the options did.
struct MuscleMassRecord {
  std::optional<MuscleMasses> by_rule;
  MassTransfer transfer;
};

/// Throws an Error naming an option that says more about masses, for where nothing says that
/// muscles get any.
void require_no_more(const MuscleMassOptions& options);

/// What the options make of muscles on a skeleton whose bodies have all the mass; "off" is not
/// planned. Throws an Error naming the option, and a muscle or body that does not exist.
MassPlan plan_muscle_mass(const MuscleMassOptions& options, const Skeleton& bones,
                          const std::vector<WeighedMuscle>& muscles);

/// The plan carried out: bodies give in the reference pose, that of the default coordinates if none
/// is given.
MuscleMassRecord move_muscle_mass(const MuscleMassOptions& options, const Skeleton& bones,
                                  const std::vector<WeighedMuscle>& muscles,
                                  const std::optional<VecX>& reference_pose = std::nullopt);

/// In words: what is assumed, and what bodies could not give.
std::vector<std::string> remarks_of(const MuscleMassRecord& record);

}  // namespace sinew
