#include "sinew/io/tables/trc_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/error.hpp"
#include "support/reference.hpp"

namespace sinew {
namespace trc_file_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kKeys =
    "PathFileType\t4\t(X/Y/Z)\tm.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumF"
    "rames\n";
std::string head(const std::string& units = "mm", int frames = 2) {
  return kKeys + "60\t60\t" + std::to_string(frames) + "\t2\t" + units +
         "\t60\t1\t2\nFrame#\tTime\tA\t\t\tB\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n";
}

void expect_error(const std::string& text, int line, const std::string& part) {
  try {
    parse_trc(text, "m.trc");
    FAIL() << "no error, but expected " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.line(), line) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

TEST(TrcFile, ReadsMarkersInMetresWithAndWithoutABlankLine) {
  for (const std::string blank : {"", "\n", "\t\t\n"}) {
    const MarkerFile file =
        parse_trc(head() + blank + "1\t0.0\t1000\t2\t3\t4\t5\t6\n2\t0.1\t7\t8\t9\t\t\t\n", "m.trc");
    EXPECT_THAT(file.markers, ElementsAre("A", "B"));
    EXPECT_THAT(file.frames, ElementsAre(1, 2));
    EXPECT_THAT(file.table.times, ElementsAre(0, 0.1));
    EXPECT_DOUBLE_EQ(file.table.values(0, 0), 1);
    EXPECT_DOUBLE_EQ(file.table.values(0, 5), 0.006);
    EXPECT_TRUE(file.table.values.row(1).tail(3).array().isNaN().all());
    EXPECT_EQ(file.table.labels[4], "B_y");
    EXPECT_THAT(file.warnings, IsEmpty());
  }
  EXPECT_EQ(
      parse_trc(head("m", 1) + "1\t0\t1\t2\t3\tNaN\tNaN\tNaN\t\t\r\n", "m.trc").table.values(0, 1),
      2);
}

TEST(TrcFile, MistakesAreOneErrorWithTheirLine) {
  expect_error("", 0, "first line");
  expect_error("something\n", 1, "PathFileType");
  expect_error("PathFileType\t4\n", 0, "line of keys");
  expect_error("PathFileType\t4\nDataRate\tNumFrames\n", 2, "CameraRate is not in its place");
  expect_error(kKeys + "60\t60\n", 3, "2 for 8 keys");
  expect_error(kKeys + "60\tx\t1\t2\tmm\t60\t1\t2\n", 3, "CameraRate");
  expect_error(head("inch"), 3, "'inch'");
  expect_error(kKeys + "60\t60\t1\t2\tmm\t60\t1\t2\nTime\tA\n", 4, "Frame#");
  expect_error(kKeys + "60\t60\t1\t2\tmm\t60\t1\t2\nFrame#\tTime\tA\tB\n", 4, "an extra name");
  expect_error(head(), 0, "no rows");
  expect_error(head() + "1\t0\t1\t2\n", 6, "4 cells for 8");
  expect_error(head() + "1\t0\t1\t2\t3\t4\t5\t6\t7\n", 6, "9 cells for 8");
  expect_error(head() + "1\t0\t1\t2\tx\t4\t5\t6\n", 6, "'x' is not a number");
  expect_error(head() + "1\t1\t1\t2\t3\t4\t5\t6\n2\t0\t1\t2\t3\t4\t5\t6\n", 7, "back in time");
}

TEST(TrcFile, OddThingsAreOneWarning) {
  const std::string row = "\t1\t2\t3\t4\t5\t6\n";
  EXPECT_THAT(parse_trc(head() + "1\t0" + row + "2\t0" + row + "3\t1" + row, "m.trc").warnings,
              ElementsAre(HasSubstr("m.trc:7: time 0 occurs twice")));
  EXPECT_THAT(parse_trc(head("mm", 5) + "1\t0" + row, "m.trc").warnings,
              ElementsAre(HasSubstr("NumFrames says 5, but there are 1")));
}

TEST(TrcFile, WhatIsWrittenReadsBack) {
  MarkerFile file =
      parse_trc(head("m") + "1\t0\t1.1\t2.2\t3.3\t\t\t\n2\t0.1\t7\t8\t9\t1\t2\t3\n", "m.trc");
  const auto path = std::filesystem::temp_directory_path() / "sinew_trc_test.trc";
  for (const bool millimetres : {false, true}) {
    write_trc(path, file, millimetres);
    const MarkerFile back = read_trc(path);
    EXPECT_EQ(back.markers, file.markers);
    EXPECT_EQ(back.frames, file.frames);
    EXPECT_EQ(back.table.times, file.table.times);
    EXPECT_TRUE(std::isnan(back.table.values(0, 4)));
    // metres read back bit by bit; millimetres are rounded once on the way
    EXPECT_NEAR(back.table.values(0, 1), 2.2, millimetres ? 1e-15 : 0);
    EXPECT_THAT(back.warnings, IsEmpty());
  }
  std::filesystem::remove(path);
}

TEST(TrcFile, ReadsTheReferenceTrial) {
  SINEW_NEEDS_REFERENCE();
  const MarkerFile file = read_trc(*test::reference_dir() /
                                   "opensim/models/gait10dof18musc_subject01/subject01_walk.trc");
  EXPECT_EQ(file.markers.size(), 41u);
  EXPECT_EQ(file.frames.size(), 151u);
  EXPECT_EQ(file.markers[0], "R.ASIS");
  EXPECT_NEAR(file.table.values(0, 1), 1.055, 1e-3);  // as high as a hip is
}

}  // namespace trc_file_test
}  // namespace sinew
