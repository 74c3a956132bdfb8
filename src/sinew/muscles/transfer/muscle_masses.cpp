#include "sinew/muscles/transfer/muscle_masses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

namespace sinew {
namespace {

// All muscles of a leg together: 47 cm³ per kg m of body mass times height, and 1285 cm³
// (Handsfield et al., J. Biomech. 47, 2014).
constexpr double kVolumePerSize = 47e-6, kVolume = 1285e-6;  // [m³/(kg m)], [m³]
constexpr double kBodyMassIndex = 23;                        // [kg/m²]
// A thigh weighs an eighth of the body, in gait2392 and Rajagopal2016.
constexpr double kThighOfBody = 0.124;
// Models with fewer muscles than a leg has amount to less, those with inflated strengths to more.
constexpr double kLeastTension = 0.2e6, kMostTension = 1.2e6;  // [Pa]

// The part of the free tendon that is at the origin.
constexpr double kAtOrigin = 0.1;

bool is_thigh(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name.find("femur") != std::string::npos || name.find("thigh") != std::string::npos;
}

/// The thigh that a body is or hangs on; kWorld if there is none.
BodyIndex thigh_of(const Skeleton& skeleton, BodyIndex body) {
  BodyIndex thigh = kWorld;
  for (; body != kWorld; body = skeleton.body(body).parent)
    if (is_thigh(skeleton.body(body).name)) thigh = body;
  return thigh;
}

/// The leg that a muscle belongs to, by its thigh.
BodyIndex leg_of(const Skeleton& skeleton, const Muscle& muscle) {
  for (const PathPoint& point : muscle.points)
    for (const PathTerm& term : point.terms)
      if (const BodyIndex thigh = thigh_of(skeleton, term.body); thigh != kWorld) return thigh;
  return kWorld;
}

/// Of the whole person: models of a leg alone have less.
double body_mass(const Skeleton& skeleton, BodyIndex thigh) {
  double all = 0;
  for (const Body& body : skeleton.bodies()) all += body.M_B.mass;
  const double from_thigh = skeleton.body(thigh).M_B.mass / kThighOfBody;
  return all > 0.5 * from_thigh ? all : from_thigh;
}

}  // namespace

MuscleMasses muscle_masses(const Skeleton& skeleton, const std::vector<WeighedMuscle>& muscles,
                           const MassRule& rule) {
  MuscleMasses out{{}, MassBy::strength, rule.specific_tension, {}};
  std::vector<double> strength;
  for (const WeighedMuscle& m : muscles) {
    strength.push_back(m.hill ? m.hill->max_isometric_force * m.hill->optimal_fibre_length : 0);
    out.mass.push_back(kMuscleDensity * strength.back() / rule.specific_tension);
  }
  if (rule.source != MassBy::volumes) return out;

  std::vector<BodyIndex> leg;
  std::map<int, double> legs;  // strength of each, by its thigh
  for (size_t k = 0; k < muscles.size(); ++k) {
    leg.push_back(leg_of(skeleton, muscles[k].muscle));
    if (leg[k] != kWorld && strength[k] > 0) legs[leg[k].value] += strength[k];
  }
  if (legs.empty()) {
    out.remarks.push_back(
        fmt::format("no volumes are known of its muscles, which are not those of a leg: their "
                    "masses follow from their strengths and {:g} MPa",
                    1e-6 * rule.specific_tension));
    return out;
  }
  const BodyIndex thigh(legs.begin()->first);
  const double mass = body_mass(skeleton, thigh);
  const double height = rule.height.value_or(std::sqrt(mass / kBodyMassIndex));
  const double of_leg = kMuscleDensity * (kVolumePerSize * mass * height + kVolume);
  double all = 0;
  for (const auto& [body, sum] : legs) all += sum;
  const double tension = kMuscleDensity * all / (of_leg * static_cast<double>(legs.size()));
  if (!(tension >= kLeastTension && tension <= kMostTension)) {
    out.remarks.push_back(fmt::format(
        "{:.3g} kg, the measured mass of a leg's muscles, would make the specific tension {:.2g} "
        "MPa: the model has {} than a leg's muscles, and their masses follow from their strengths "
        "and {:g} MPa",
        of_leg, 1e-6 * tension, tension < kLeastTension ? "fewer" : "stronger ones",
        1e-6 * rule.specific_tension));
    return out;
  }
  out.source = MassBy::volumes;
  out.specific_tension = tension;
  for (size_t k = 0; k < muscles.size(); ++k)
    out.mass[k] = leg[k] == kWorld ? kMuscleDensity * strength[k] / tension
                                   : of_leg * strength[k] / legs[leg[k].value];
  out.remarks.push_back(fmt::format(
      "the muscles of a leg weigh {:.3g} kg, as measured for {:.3g} kg and {:.3g} m; their "
      "specific tension is then {:.2g} MPa",
      of_leg, mass, height, 1e-6 * tension));
  return out;
}

MaterialMap belly_of(const HillMuscle& muscle, double path_length, double free_tendon) {
  const double free = std::min(free_tendon * muscle.tendon_slack_length, 0.5 * path_length);
  return MaterialMap::Tendons(kAtOrigin * free, (1 - kAtOrigin) * free);
}

}  // namespace sinew
