#include "sinew/analysis/muscle_drive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "support/hill_examples.hpp"

namespace sinew {
namespace muscle_drive_test {

using ::testing::HasSubstr;

std::vector<DrivenMuscle> two_muscles() {
  std::vector<DrivenMuscle> out = {{"a", test::flexor(0)}, {"b", test::flexor(0)}};
  out[1].hill.initial_activation = 0.2;
  return out;
}

MotionTable table(std::vector<std::string> labels, const MatX& values) {
  MotionTable out;
  out.name = "table.sto";
  out.labels = std::move(labels);
  for (Eigen::Index r = 0; r < values.rows(); ++r)
    out.times.push_back(0.1 * static_cast<double>(r));
  out.values = values;
  return out;
}

const std::vector<double> kTimes = {0, 0.05, 0.1};

TEST(MuscleDrive, WithoutATableMusclesHaveTheirOwnActivationOrOneForAll) {
  const MuscleDrive own = constant_drive(two_muscles(), 2, std::nullopt);
  EXPECT_EQ(own.activation(0, 1), 0.05);
  EXPECT_EQ(own.activation(1, 1), 0.2);
  EXPECT_TRUE(std::isnan(own.fibre_length(0, 0)));
  EXPECT_TRUE(constant_drive(two_muscles(), 2, 0.7).activation.isConstant(0.7));
}

TEST(MuscleDrive, StatesAreReadByBothOfOpenSimsNames) {
  const MotionTable states =
      table({"/forceset/a/activation", "b.activation", "/forceset/a/fiber_length"},
            (MatX(2, 3) << 0.1, 0.3, 0.09, 0.5, 0.7, 0.11).finished());
  const MuscleDrive drive = drive_from_states(two_muscles(), kTimes, states);
  EXPECT_NEAR(drive.activation(0, 1), 0.3, 1e-15);
  EXPECT_NEAR(drive.activation(1, 2), 0.7, 1e-15);
  EXPECT_NEAR(drive.fibre_length(0, 1), 0.10, 1e-15);
  EXPECT_TRUE(std::isnan(drive.fibre_length(1, 1)));
  EXPECT_TRUE(drive.warnings.empty());
}

TEST(MuscleDrive, FibresThatNoneCouldHaveAreRefused) {
  for (const double length : {-1.0, 0.0, 10.0}) try {
      drive_from_states(two_muscles(), kTimes,
                        table({"a.activation", "a.fiber_length"},
                              (MatX(2, 2) << 0.1, length, 0.1, length).finished()));
      ADD_FAILURE() << length;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("muscle 'a' at t = 0 s: its fibre length is"));
    }
}

TEST(MuscleDrive, ActivationsFollowControls) {
  // A constant excitation is reached exactly as by step_activation.
  const MotionTable controls =
      table({"a", "/forceset/b"}, (MatX(3, 2) << 0, 1, 1, 1, 1, 1).finished());
  std::vector<DrivenMuscle> muscles = two_muscles();
  muscles[1].hill.immediate = true;
  const MuscleDrive drive = drive_from_controls(muscles, {0, 0.1, 0.15}, controls);
  const ActivationDynamics& dynamics = muscles[0].hill.activation;
  EXPECT_EQ(drive.activation(0, 0), dynamics.minimum);
  EXPECT_EQ(drive.activation(0, 1), step_activation(dynamics, dynamics.minimum, 0.5, 0.1));
  EXPECT_EQ(drive.activation(0, 2), step_activation(dynamics, drive.activation(0, 1), 1, 0.05));
  EXPECT_TRUE(drive.activation.row(1).isConstant(1));
}

TEST(MuscleDrive, WhatIsMissingOrOutOfRangeIsSaid) {
  const MatX half = MatX::Constant(2, 1, 0.5);
  const MuscleDrive some = drive_from_states(two_muscles(), kTimes, table({"a.activation"}, half));
  ASSERT_EQ(some.warnings.size(), 1u);
  EXPECT_THAT(some.warnings[0], HasSubstr("has no column for b"));
  EXPECT_EQ(some.activation(1, 0), 0.2);
  const MuscleDrive later =
      drive_from_controls(two_muscles(), {0, 3}, table({"a", "b"}, MatX::Constant(2, 2, 0.5)));
  ASSERT_EQ(later.warnings.size(), 1u);
  EXPECT_THAT(later.warnings[0], HasSubstr("goes from 0 to 0.1 s, the motion from 0 to 3 s"));

  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message([&] { drive_from_states(two_muscles(), kTimes, table({"c"}, half)); }),
              HasSubstr("has no muscle of the model"));
  EXPECT_THAT(message([&] { drive_from_controls(two_muscles(), kTimes, table({"c"}, half)); }),
              HasSubstr("has no muscle of the model"));
  for (const double bad : {1.5, -0.5, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(message([&] {
                  drive_from_states(two_muscles(), kTimes,
                                    table({"a.activation"}, MatX::Constant(2, 1, bad)));
                }),
                HasSubstr("activations are from 0 to 1"));
  EXPECT_THAT(message([&] {
                drive_from_controls(
                    two_muscles(), kTimes,
                    table({"a"}, MatX::Constant(2, 1, std::numeric_limits<double>::quiet_NaN())));
              }),
              HasSubstr("that is not a number"));
}

}  // namespace muscle_drive_test
}  // namespace sinew
