#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sinew/io/osim/pose_evaluation.hpp"
#include "small_models.hpp"
#include "support/reference.hpp"

/// The key "hill" of evaluate_poses: from an .osim file to forces.

namespace sinew {
namespace hill_evaluation_test {

using nlohmann::json;
using ::testing::HasSubstr;

/// A muscle of 0.3 m along x at the default pose: joint at (1, 2, 3), child frame turned.
OsimModel one_muscle(const std::string& type, const std::string& properties = "") {
  return parse_osim(
      test::pin_model(test::osim_set(
          "ForceSet", "<" + type + " name=\"m\">" + properties +
                          "<GeometryPath><PathPointSet><objects><PathPoint name=\"a\"><body>ground"
                          "</body><location>0.7 2 3</location></PathPoint><PathPoint name=\"b\">"
                          "<body>arm</body></PathPoint></objects></PathPointSet></GeometryPath></" +
                          type + ">")),
      "m.osim");
}

json first_pose(const OsimModel& model, const std::string& pose) {
  return json::parse(evaluate_poses(model, R"({"poses": [)" + pose + "]}", "p.json"))["poses"][0];
}

TEST(HillEvaluation, EveryActivationHasItsNineteenNumbers) {
  const json pose =
      first_pose(one_muscle("Millard2012EquilibriumMuscle"), R"({"activation": [0.1, 0.8]})");
  ASSERT_EQ(pose["hill"].size(), 2u);
  double before = 0;
  for (const json& entry : pose["hill"]) {
    const json& muscle = entry["muscles"][0];
    EXPECT_EQ(muscle["m"], "m");
    ASSERT_EQ(muscle["v"].size(), 19u);
    EXPECT_EQ(muscle["v"][0], entry["activation"]);
    // l cos φ + tendon = L, and both carry the same force.
    EXPECT_NEAR(muscle["v"][1].get<double>() + muscle["v"][4].get<double>(), 0.3, 1e-15);
    EXPECT_NEAR(muscle["v"][14].get<double>(), muscle["v"][15].get<double>(), 1e-6);
    EXPECT_GT(muscle["v"][15].get<double>(), before + 50);
    before = muscle["v"][15];
  }
}

TEST(HillEvaluation, AskedForByTheEntriesOfHillThatAFileHas) {
  const OsimModel model = one_muscle("Thelen2003Muscle");
  const json pose = first_pose(model, R"({"hill": [{"activation": 0.3, "muscles": []}]})");
  ASSERT_EQ(pose["hill"].size(), 1u);
  EXPECT_EQ(pose["hill"][0]["activation"], 0.3);
  EXPECT_FALSE(first_pose(model, "{}").contains("hill"));
}

TEST(HillEvaluation, ARigidTendonHasNoFiniteStiffness) {
  const OsimModel model = one_muscle("Millard2012EquilibriumMuscle",
                                     "<ignore_tendon_compliance>true</ignore_tendon_compliance>");
  const json v = first_pose(model, R"({"activation": 1})")["hill"][0]["muscles"][0]["v"];
  EXPECT_TRUE(v[17].is_null());
  EXPECT_NEAR(v[4].get<double>(), 0.2, 1e-15);
}

TEST(HillEvaluation, WhatCannotBeSaidIsAnError) {
  const json unknown =
      first_pose(one_muscle("Schutte1993Muscle_Deprecated"), R"({"activation": 1})");
  EXPECT_THAT(unknown["hill"][0]["muscles"][0]["error"].get<std::string>(),
              HasSubstr("Schutte1993Muscle_Deprecated"));
  const OsimModel model = one_muscle("Thelen2003Muscle");
  for (const char* pose : {R"({"activation": 1.5})", R"({"activation": -0.1})",
                           R"({"activation": "much"})", R"({"hill": [{}]})", R"({"hill": [0.5]})"})
    EXPECT_THROW(first_pose(model, pose), Error) << pose;
}

/// Natural scales of the 19 numbers.
std::vector<double> scales(const HillMuscle& m) {
  const double F = m.max_isometric_force, l = m.optimal_fibre_length;
  return {1, l, 1, 1, l, 1,     m.max_velocity(),          1, 1, 1, 1,
          F, F, F, F, F, F / l, F / m.tendon_slack_length, F};
}

TEST(HillEvaluation, FromTheFilesPathsAndParametersForcesAreOpenSims) {
  SINEW_NEEDS_REFERENCE();
  int compared = 0, left_out = 0, errors = 0;
  double largest = 0;
  for (const std::string name :
       {"arm26", "Tug_of_War", "Tug_of_War_Millard", "leg6dof9musc_inertiafix",
        "gait2392_thelen2003muscle", "gait2392_millard2012muscle", "gait10dof18musc",
        "Rajagopal2016"}) {
    SCOPED_TRACE(name);
    const json theirs = test::reference_json("opensim/" + name + ".json");
    const OsimModel model =
        load_osim(*test::reference_dir() / "opensim/models" / theirs["file"].get<std::string>());
    const json ours = json::parse(evaluate_poses(model, theirs.dump(), name));
    for (size_t p = 0; p < theirs["poses"].size(); ++p) {
      const json &a = ours["poses"][p], &b = theirs["poses"][p];
      ASSERT_EQ(a["hill"].size(), b["hill"].size());
      for (size_t h = 0; h < b["hill"].size(); ++h)
        for (size_t i = 0; i < b["paths"].size(); ++i) {
          const json &mine = a["hill"][h]["muscles"][i], &is = b["hill"][h]["muscles"][i];
          ASSERT_EQ(mine["m"], is["m"]);
          ASSERT_EQ(mine.contains("error"), is.contains("error"));
          if (is.contains("error")) {
            ++errors;
            continue;
          }
          // Where OpenSim's wrapped path has another length the muscle has another force.
          const double length = a["paths"][i]["L"].get<double>() - b["paths"][i]["L"].get<double>();
          if (std::abs(length) > 1e-12) {
            ++left_out;
            continue;
          }
          const std::vector<double> scale = scales(model.paths[i].hill->muscle);
          for (size_t k = 0; k < 19; ++k) {
            ASSERT_EQ(mine["v"][k].is_null(), is["v"][k].is_null());
            if (is["v"][k].is_null()) continue;
            const double x = mine["v"][k], y = is["v"][k];
            const double error =
                std::abs(x - y) / std::max(scale[k], k == 16 || k == 17 ? std::abs(y) : 0.0);
            largest = std::max(largest, error);
          }
          ++compared;
        }
    }
  }
  RecordProperty("result", std::to_string(compared) + " compared, " + std::to_string(left_out) +
                               " on other paths, " + std::to_string(errors) +
                               " errors, largest difference " + std::to_string(largest * 1e9) +
                               "e-9");
  EXPECT_GT(compared, 5000);
  EXPECT_EQ(errors, 1);      // Tug_of_War, muscle2: stretched beyond what its tendon can follow
  EXPECT_LT(largest, 1e-6);  // OpenSim stops looking for the fibre's length at 1e-8 F₀
}

}  // namespace hill_evaluation_test
}  // namespace sinew
