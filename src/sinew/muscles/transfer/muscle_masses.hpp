#pragma once

#include <optional>

#include "sinew/muscles/hill/hill.hpp"
#include "sinew/muscles/path/muscle.hpp"

/// How much muscles weigh, and where on their paths, for models that do not say. Numbers and their
/// sources: docs/theory/muscle_mass.md.

namespace sinew {

/// Where the masses of muscles come from.
enum class MassBy {
  volumes,   ///< the volume of all muscles of a leg, as measured; by strength where that is unknown
  strength,  ///< F₀ l₀ ρ/σ
};

/// Density of muscle [kg/m³]: Mendez and Keys, Metabolism 9, 1960.
constexpr double kMuscleDensity = 1059.7;
/// Specific tension σ [Pa] where no volumes are known.
constexpr double kSpecificTension = 0.6e6;
/// The part of the tendon that lies beyond the belly.
constexpr double kFreeTendon = 0.4;

struct MassRule {
  MassBy source = MassBy::volumes;
  double specific_tension = kSpecificTension;  ///< [Pa], for masses by strength
  std::optional<double> height;  ///< of the person [m]; none: that of a body mass index of 23
};

/// A muscle that may get mass.
struct WeighedMuscle {
  Muscle muscle;                   ///< a path of spans, whatever it pulls along, and its belly
  std::optional<HillMuscle> hill;  ///< none: its strength is unknown
  double path_length = 0;          ///< that its belly follows from [m]; 0: the model says the belly
};

struct MuscleMasses {
  std::vector<double> mass;  ///< per muscle [kg]
  MassBy source;             ///< that was used: volumes may not be known
  double specific_tension;   ///< that the masses amount to, of the legs where volumes are [Pa]
  std::vector<std::string> remarks;  ///< in words: what was assumed, and why volumes were not used
};

/// The masses of muscles from their strengths F₀ l₀; zero where these are unknown. With volumes,
/// the muscles of each leg, a body called femur or thigh and what hangs on it, weigh what they were
/// measured to weigh together, divided among them as their strengths; all others follow with the
/// specific tension that results.
MuscleMasses muscle_masses(const Skeleton& skeleton, const std::vector<WeighedMuscle>& muscles,
                           const MassRule& rule);

/// The part of the path with mass: all but the free tendons, which keep their length. `path_length`
/// is that in the reference pose [m]; at most half of it is tendon.
MaterialMap belly_of(const HillMuscle& muscle, double path_length,
                     double free_tendon = kFreeTendon);

}  // namespace sinew
