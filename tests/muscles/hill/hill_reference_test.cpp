#include "support/hill_reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/muscles/hill/hill_equilibrium.hpp"
#include "support/reference.hpp"

/// Every muscle of every reference model in every pose at three activations, from the path length
/// and rate that OpenSim has there.

namespace sinew {
namespace hill_reference_test {

using Quantities = std::array<double, 19>;

Quantities list(const HillValues<double>& v) {
  return {v.activation,
          v.fibre_length,
          v.norm_fibre_length,
          v.pennation,
          v.tendon_length,
          v.tendon_strain,
          v.fibre_velocity,
          v.norm_fibre_velocity,
          v.active_force_length,
          v.passive_force_length,
          v.force_velocity,
          v.active_fibre_force,
          v.passive_fibre_force,
          v.fibre_force,
          v.fibre_force_along_tendon,
          v.tendon_force,
          v.fibre_stiffness,
          v.tendon_stiffness,
          v.actuation};
}

Quantities scales(const HillMuscle& m) {
  const double F = m.max_isometric_force, l = m.optimal_fibre_length;
  return {1, l, 1, 1, l, 1,     m.max_velocity(),          1, 1, 1, 1,
          F, F, F, F, F, F / l, F / m.tendon_slack_length, F};
}

struct Agreement {
  int compared = 0, clamped = 0;
  double from_length = 0;   ///< with OpenSim's own fibre length
  double equilibrated = 0;  ///< with ours; stiffnesses apart
  double stiffness = 0;     ///< difference of stiffnesses, over the stiffness if above its scale
  std::string worst;
  std::vector<std::string> errors;  ///< muscles without equilibrium in OpenSim
};

void compare(const HillMuscle& m, const nlohmann::json& entry, double a, double length, double rate,
             Agreement& out) {
  Quantities want{};
  for (size_t k = 0; k < want.size(); ++k)
    want[k] = entry["v"][k].is_null() ? std::numeric_limits<double>::infinity()
                                      : entry["v"][k].get<double>();
  const Quantities scale = scales(m);
  const auto error = [&](const Quantities& have, size_t k) {
    if (std::isinf(want[k])) return std::isinf(have[k]) ? 0.0 : 1.0;
    return std::abs(have[k] - want[k]) / scale[k];
  };
  const Quantities same = list(evaluate_hill(m, a, length, rate, want[1]));
  for (size_t k = 0; k < want.size(); ++k)
    out.from_length = std::max(out.from_length, error(same, k) / std::max(1.0, same[k] / scale[k]));

  const HillEquilibrium equilibrium = equilibrate(m, a, length, rate);
  ASSERT_TRUE(equilibrium.status == HillStatus::equilibrated ||
              equilibrium.status == HillStatus::clamped);
  const HillValues<double> values = evaluate_hill(m, a, length, rate, equilibrium.fibre_length);
  EXPECT_EQ(values.clamped, equilibrium.status == HillStatus::clamped);
  const Quantities own = list(values);
  for (size_t k = 0; k < want.size(); ++k) {
    if (k == 16 || k == 17) {
      out.stiffness =
          std::max(out.stiffness, error(own, k) / std::max(1.0, std::abs(own[k]) / scale[k]));
    } else if (error(own, k) > out.equilibrated) {
      out.equilibrated = error(own, k);
      out.worst = entry["m"].get<std::string>() + " [" + std::to_string(k) + "]";
    }
  }
  ++out.compared;
  out.clamped += values.clamped;
}

Agreement agreement(const std::string& file, const std::string& model) {
  Agreement out;
  const auto muscles = test::reference_hill_muscles(model);
  const auto reference = test::reference_json("opensim/" + file + ".json");
  for (const auto& pose : reference["poses"]) {
    std::map<std::string, std::pair<double, double>> path;
    for (const auto& p : pose["paths"]) path[p["m"]] = {p["L"], p["Ldot"]};
    for (const auto& hill : pose["hill"])
      for (const auto& entry : hill["muscles"]) {
        const std::string name = entry["m"];
        const auto [length, rate] = path.at(name);
        const double a = hill["activation"];
        if (entry.contains("error")) {
          out.errors.push_back(name);
          // Sinew reports this, too, and offers the fibre at rest.
          EXPECT_EQ(equilibrate(muscles.at(name), a, length, rate).status, HillStatus::at_rest);
        } else {
          compare(muscles.at(name), entry, a, length, rate, out);
        }
      }
  }
  return out;
}

struct Model {
  std::string file, model;
  int clamped;  ///< entries with the fibre at its least length
};

TEST(HillReference, EveryQuantityOfEveryMuscleAgreesWithOpenSim) {
  SINEW_NEEDS_REFERENCE();
  const std::vector<Model> models = {
      {"arm26", "arm26", 0},
      {"Tug_of_War", "Tug_of_War", 27},
      {"Tug_of_War_Millard", "Tug_of_War_Millard", 27},
      {"leg6dof9musc_inertiafix", "leg6dof9musc_inertiafix", 19},
      {"gait2392_thelen2003muscle", "gait2392_thelen2003muscle", 136},
      {"gait2392_millard2012muscle", "gait2392_millard2012muscle", 402},
      {"gait10dof18musc", "gait10dof18musc", 87},
      {"Rajagopal2016", "Rajagopal2016", 30},
      {"oldformat_gait10dof18musc_subject01_v30000", "gait10dof18musc_subject01_v30000", 54}};
  for (const Model& model : models) {
    SCOPED_TRACE(model.file);
    const Agreement a = agreement(model.file, model.model);
    EXPECT_GT(a.compared, 60);
    EXPECT_EQ(a.clamped, model.clamped);
    // OpenSim solves the damped equilibrium for the velocity to 1e-10 F₀.
    EXPECT_LT(a.from_length, 1e-8);
    // It stops looking for the fibre's length at 1e-8 F₀; a soft fibre's then depends on the way.
    EXPECT_LT(a.equilibrated, 1e-6) << a.worst;
    EXPECT_LT(a.stiffness, 1e-6);
    RecordProperty(model.file, std::to_string(a.compared) + " entries, " +
                                   std::to_string(a.clamped) + " clamped; from OpenSim's l " +
                                   std::to_string(a.from_length * 1e9) + "e-9, from ours " +
                                   std::to_string(a.equilibrated * 1e9) + "e-9 (" + a.worst + ")");
    // One muscle, stretched to twice its optimal fibre length while it lengthens.
    EXPECT_EQ(a.errors, model.file == "Tug_of_War" ? std::vector<std::string>{"muscle2"}
                                                   : std::vector<std::string>{});
  }
}

}  // namespace hill_reference_test
}  // namespace sinew
