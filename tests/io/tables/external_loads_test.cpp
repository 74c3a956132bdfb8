#include "sinew/io/tables/external_loads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "support/reference.hpp"

namespace sinew {
namespace external_loads_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string loads(const std::string& inside,
                  const std::string& rest = "<datafile>grf.mot</datafile>") {
  return "<?xml version=\"1.0\"?>\n<OpenSimDocument Version=\"40000\">\n<ExternalLoads "
         "name=\"GRF\">\n"
         "<objects>\n<ExternalForce name=\"right\">\n" +
         inside + "</ExternalForce>\n</objects>\n" + rest +
         "\n</ExternalLoads></OpenSimDocument>\n";
}
const std::string kForce =
    "<applied_to_body>calcn_r</applied_to_body>\n<force_identifier>f_</force_identifier>\n"
    "<point_identifier>p_</point_identifier>\n";

void expect_error(const std::string& text, int line, const std::string& part) {
  try {
    parse_external_loads(text, "loads.xml");
    FAIL() << "no error, but expected " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.line(), line) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

TEST(ExternalLoads, ReadsForcesOfBothVersions) {
  for (const std::string enabled :
       {"<isDisabled>true</isDisabled>", "<appliesForce>false</appliesForce>"}) {
    const ExternalLoads file = parse_external_loads(loads(kForce + enabled), "loads.xml");
    ASSERT_EQ(file.forces.size(), 1u);
    EXPECT_EQ(file.forces[0].name, "right");
    EXPECT_EQ(file.forces[0].body, "calcn_r");
    EXPECT_EQ(file.forces[0].force_frame, "ground");
    EXPECT_FALSE(file.forces[0].enabled);
    EXPECT_EQ(file.data_file, "grf.mot");
    EXPECT_THAT(file.warnings, IsEmpty());
  }
}

TEST(ExternalLoads, MistakesAreOneErrorWithTheirLine) {
  expect_error("<OpenSimDocument><ExternalLoads>", 1, "the XML");
  expect_error("<OpenSimDocument><Model/></OpenSimDocument>", 0, "not <ExternalLoads>");
  expect_error(loads("<force_identifier>f</force_identifier>\n"), 5, "applied_to_body");
  expect_error(loads("<applied_to_body>a</applied_to_body>\n"), 5, "neither force_identifier");
  expect_error(loads(kForce + "<isDisabled>perhaps</isDisabled>\n"), 9, "neither true nor false");
  expect_error(loads(kForce, "<datafile>Unassigned</datafile>"), 3, "no datafile");
}

TEST(ExternalLoads, NamesTheColumnThatIsMissing) {
  const ExternalLoads file = parse_external_loads(loads(kForce), "loads.xml");
  MotionTable table;
  table.name = "grf.mot";
  table.labels = {"f_x", "f_y", "f_z", "p_x", "p_y"};
  table.times = {0, 1};
  table.values = MatX::Zero(2, 5);
  try {
    load_data(file.forces[0], table);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'p_z'"));
  }
}

TEST(ExternalLoads, ColumnsAreFoundByTheirBeginningAsInOpenSim) {
  const ExternalLoads file = parse_external_loads(loads(kForce), "loads.xml");
  MotionTable table;
  table.name = "grf.mot";
  table.labels = {"f_1", "f_2", "f_3", "p_x", "p_y", "p_z", "unused", "unused"};
  table.times = {0, 1};
  table.values = MatX::Zero(2, 8);
  table.values.leftCols(3).row(0) << 1, 2, 3;
  const ExternalLoad::Data data = load_data(file.forces[0], table);
  for (size_t k = 0; k < 3; ++k)
    EXPECT_EQ(data.force[k].derivatives(0)[0], 1.0 + static_cast<double>(k));
  table.labels[6] = "f_4";
  EXPECT_THROW(load_data(file.forces[0], table), Error);
  table.labels[6] = "unused";
  table.values(1, 4) = 1e300;
  try {
    load_data(file.forces[0], table);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'p_y' reaches 1e+300"));
  }
}

TEST(ExternalLoads, WhatIsWrittenReadsBack) {
  ExternalLoads file = parse_external_loads(loads(kForce), "loads.xml");
  const auto path = std::filesystem::temp_directory_path() / "sinew_loads_test.xml";
  write_external_loads(path, file);
  const ExternalLoads back = read_external_loads(path);
  EXPECT_EQ(back.forces[0].point_identifier, "p_");
  EXPECT_TRUE(back.forces[0].enabled);
  InverseDynamicsSetup setup;
  setup.coordinates_file = "m.mot";
  setup.start = 0.25;
  setup.end = 2;
  setup.cutoff = 6;
  setup.forces_to_exclude = {"Muscles", "b"};
  write_inverse_dynamics_setup(path, setup);
  const InverseDynamicsSetup read = read_inverse_dynamics_setup(path);
  std::filesystem::remove(path);
  EXPECT_EQ(read.coordinates_file.filename(), "m.mot");
  EXPECT_EQ(read.start, 0.25);
  EXPECT_EQ(read.cutoff, 6);
  EXPECT_EQ(read.forces_to_exclude, setup.forces_to_exclude);
  EXPECT_EQ(read.output_file, "inverse_dynamics.sto");
}

TEST(ExternalLoads, SetupsWithMistakesAreRefused) {
  const auto error_of = [](const std::string& inside) {
    try {
      parse_inverse_dynamics_setup("<InverseDynamicsTool>\n" + inside + "\n</InverseDynamicsTool>",
                                   "setup.xml");
    } catch (const Error& error) {
      return std::to_string(error.line()) + " " + error.what();
    }
    return std::string("none");
  };
  const std::string motion = "<coordinates_file>m.mot</coordinates_file>\n";
  EXPECT_EQ(error_of(motion), "none");
  EXPECT_THAT(error_of(""), HasSubstr("coordinates_file"));
  EXPECT_THAT(error_of(motion + "<time_range>2 1</time_range>"), HasSubstr("start and an end"));
  EXPECT_THAT(error_of(motion + "<time_range>a b</time_range>"), HasSubstr("3 "));
  EXPECT_THAT(error_of(motion + "<lowpass_cutoff_frequency_for_coordinates>0"
                                "</lowpass_cutoff_frequency_for_coordinates>"),
              HasSubstr("frequency"));
}

TEST(ExternalLoads, GroundReactionsOfTheReferenceTrialAreOpenSims) {
  SINEW_NEEDS_REFERENCE();
  const auto folder = *test::reference_dir() / "opensim/models/gait10dof18musc_subject01";
  const InverseDynamicsSetup setup = read_inverse_dynamics_setup(folder / "walk_Setup_ID.xml");
  // all files of the trial lie in one folder here
  EXPECT_EQ(setup.external_loads_file, folder / "subject01_walk_grf.xml");
  EXPECT_EQ(setup.coordinates_file, folder / "subject01_walk_IK.mot");
  EXPECT_EQ(setup.cutoff, 6);
  EXPECT_EQ(setup.warnings.size(), 3u);
  const ExternalLoads file = read_external_loads(setup.external_loads_file);
  const StorageFile data = read_storage(file.data_file);
  EXPECT_THAT(data.warnings, IsEmpty());
  const auto want = test::reference_csv("opensim/gait10dof18musc_subject01_walk_ID.csv");
  double error = 0;
  for (size_t i = 0; i < 2; ++i) {
    const ExternalLoad::Data load = load_data(file.forces[i], data.table);
    const size_t first = want.column(file.forces[i].name + "_Fx");
    for (const auto& row : want.rows) {
      const auto at_t = [&](const TimeFunction& f) { return f.derivatives(row[0])[0]; };
      for (size_t k = 0; k < 3; ++k)
        error = std::max({error, std::abs(at_t(load.force[k]) - row[first + k]),
                          std::abs(at_t(load.point[k]) - row[first + 3 + k]),
                          std::abs(at_t(load.torque[k]) - row[first + 6 + k])});
    }
  }
  // splines of forces of 1000 N: rounding
  EXPECT_LT(error, 1e-9);
}

}  // namespace external_loads_test
}  // namespace sinew
