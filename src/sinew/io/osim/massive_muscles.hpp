#pragma once

#include "sinew/builder/system_builder.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/muscles/transfer/mass_transfer.hpp"

/// Mass for the muscles of OpenSim's models, which have none.

namespace sinew {

/// Strength of muscle over its cross-section [Pa] where nobody says another one.
constexpr double kSpecificTension = 0.25e6;

struct OsimMasses {
  std::vector<Muscle> muscles;        ///< on fixed routes (fix_wraps), without tension
  std::vector<std::string> warnings;  ///< muscles and surfaces that are left out
};

/// Every muscle with the mass that its strength says: F₀ l₀ ρ/σ, with the density ρ of muscle and
/// the `specific_tension` σ [Pa]. Their surfaces are put where the poses ask for.
OsimMasses massive_muscles(const std::vector<OsimPath>& paths, const Skeleton& skeleton,
                           const std::vector<VecX>& poses,
                           double specific_tension = kSpecificTension);

/// The most of a body's mass that its muscles get.
constexpr double kLargestShare = 0.8;

/// Moves the muscles' masses from bodies to muscles by the policy of scaling: every muscle's comes
/// from the heaviest body that carries one of its points, as far as that has no more than
/// `largest_share` of its own to give; else all muscles of that body get less. Published models
/// have bodies too light for the muscles beside them (bases without mass, toes), which the policy
/// of moments would ask. Muscles on nothing but the ground are left out.
MassTransfer scale_into_muscles(const Skeleton& skeleton, std::vector<Muscle> muscles,
                                double largest_share = kLargestShare);

/// A model part of whose mass is in its muscles. They pull along OpenSim's paths, as without mass;
/// the mass lies along the fixed routes.
struct MassiveOsim {
  SystemBuilder builder;
  double moved = 0;  ///< from bodies to muscles [kg]
};

/// OsimModel::system_builder with mass in the muscles, moved by scale_into_muscles. With a share of
/// zero the muscles are there, all the mass on the bones.
MassiveOsim massive_system_builder(const OsimModel& model, const RunStart& run,
                                   const OsimMasses& masses, double largest_share = kLargestShare);

}  // namespace sinew
