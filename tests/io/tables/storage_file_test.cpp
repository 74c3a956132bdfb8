#include "sinew/io/tables/storage_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "sinew/core/error.hpp"

namespace sinew {
namespace storage_file_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kHeader =
    "Coordinates\nversion=1\nnRows=2\nnColumns=3\ninDegrees=yes\nendheader\n";

/// The line and the message of the error that reading ends in.
std::pair<int, std::string> error_of(const std::string& text, const std::string& name = "m.mot") {
  try {
    parse_storage(text, name);
  } catch (const Error& error) {
    EXPECT_EQ(error.file(), name);
    return {error.line(), error.what()};
  }
  return {-1, "no error"};
}

void expect_error(const std::string& text, int line, const std::string& part) {
  const auto [at, what] = error_of(text);
  EXPECT_EQ(at, line) << what;
  EXPECT_THAT(what, HasSubstr(part));
}

void expect_warning(const std::string& text, int line, const std::string& part) {
  const StorageFile file = parse_storage(text, "m.mot");
  const std::string place = line == 0 ? "m.mot: " : "m.mot:" + std::to_string(line) + ":";
  EXPECT_THAT(file.warnings, ElementsAre(testing::AllOf(HasSubstr(place), HasSubstr(part))));
}

TEST(StorageFile, ReadsHeaderLabelsAndRows) {
  const StorageFile file =
      parse_storage(kHeader + "time\ta\tb\n0\t1\t2\n0.5\t-3e-1\t+4\n", "m.mot");
  EXPECT_EQ(file.title, "Coordinates");
  EXPECT_EQ(file.version, 1);
  EXPECT_TRUE(file.in_degrees);
  EXPECT_THAT(file.table.labels, ElementsAre("a", "b"));
  EXPECT_THAT(file.table.times, ElementsAre(0, 0.5));
  EXPECT_EQ(file.table.values, (MatX{{1, 2}, {-0.3, 4}}));
  EXPECT_THAT(file.warnings, IsEmpty());
}

TEST(StorageFile, AcceptsCarriageReturnsPaddedTabsAndSpaces) {
  const StorageFile file = parse_storage(
      "title\t\t\r\nversion=1\t\t\r\nnRows=1\t\r\nnColumns=3\t\t\r\ninDegrees="
      "no\t\r\nendheader\t\r\n"
      "time\ta\tb\t\t\r\n  0.1   1.5\t 2\t\t\r\n\r\n",
      "m.mot");
  EXPECT_THAT(file.table.labels, ElementsAre("a", "b"));
  EXPECT_EQ(file.table.values, (MatX{{1.5, 2}}));
  EXPECT_FALSE(file.in_degrees);
  EXPECT_THAT(file.warnings, IsEmpty());
}

TEST(StorageFile, ReadsVersionThreeWithVectors) {
  const StorageFile file = parse_storage(
      "DataType=Vec3\nversion=3\nOpenSimVersion=4.5\nendheader\ntime\tm1\tm2\n0\t1,2,3\t4,5,6\n",
      "m.sto");
  EXPECT_THAT(file.table.labels, ElementsAre("m1_1", "m1_2", "m1_3", "m2_1", "m2_2", "m2_3"));
  EXPECT_EQ(file.table.values, (MatX{{1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(file.version, 3);
}

TEST(StorageFile, OldFilesWithoutVersionAreInDegreesIfMotions) {
  const std::string old =
      "name x\ndatacolumns 2\ndatarows 1\notherdata 1\nrange 0 1\nendheader\ntime a\n0 1\n";
  EXPECT_TRUE(parse_storage(old, "old.MOT").in_degrees);
  EXPECT_FALSE(parse_storage(old, "old.sto").in_degrees);
  EXPECT_THAT(parse_storage(old, "old.sto").warnings, ElementsAre(HasSubstr("taken as radians")));
}

TEST(StorageFile, DegreesBecomeRadiansInRotationsOnly) {
  StorageFile file =
      parse_storage(kHeader + "time\tknee\tpelvis_tx\n0\t180\t2\n1\t-90\t3\n", "m.mot");
  to_radians([](const std::string& label) { return label == "knee"; }, file);
  EXPECT_DOUBLE_EQ(file.table.values(0, 0), std::numbers::pi);
  EXPECT_EQ(file.table.values(1, 1), 3);
  EXPECT_FALSE(file.in_degrees);
  EXPECT_THAT(file.warnings, IsEmpty());
}

TEST(StorageFile, ALabelTwiceMattersOnlyWhereItIsAskedFor) {
  const StorageFile file =
      parse_storage("\xEF\xBB\xBF" + kHeader + "time\tfz\tfz\tknee\n0\t1\t2\t3\n", "m.mot");
  EXPECT_EQ(file.table.find("knee"), 2);
  EXPECT_THROW(file.table.find("fz"), Error);
}

TEST(StorageFile, OddThingsAreOneWarningWithTheirLine) {
  expect_warning(kHeader + "time\ta\tb\n0\t1\t2\n0\t3\t4\n1\t5\t6\n", 9, "twice");
  expect_warning(kHeader + "time\ta\tb\n0\tNaN\t2\n1\tnan\t4\n", 8, "2 values are not a number");
  expect_warning(kHeader + "time\ta\tb\n0\t1\t2\n", 0, "nRows says 2, but there are 1");
  expect_warning(kHeader + "time\ta\n0\t1\n1\t2\n", 7, "nColumns says 3, but 2");
}

TEST(StorageFile, TablesMayBeLargerThanScenes) {
  // Results of 5 s of a whole body have 20 MB; scenes end at 16.
  const auto path = std::filesystem::path(testing::TempDir()) / "large.sto";
  {
    std::ofstream file(path);
    file << "large\nversion=1\ninDegrees=no\nendheader\ntime\ta\n";
    const std::string wide(1000, ' ');
    for (int k = 0; k < 18000; ++k) file << k << '\t' << wide << k << '\n';
  }
  EXPECT_GT(std::filesystem::file_size(path), 17u << 20);
  EXPECT_EQ(read_storage(path).table.times.size(), 18000u);
  std::filesystem::remove(path);
}

TEST(StorageFile, ARowThatAKilledWriterLeftIsLeftOut) {
  for (const char* half : {"2\t5", "2\t5\t6", "2\t5\t-1e"}) {
    const std::string text = kHeader + "time\ta\tb\n0\t1\t2\n1\t3\t4\n" + half;
    const StorageFile file = parse_storage(text, "x.sto");
    EXPECT_EQ(file.table.times.size(), 2u) << half;
    EXPECT_THAT(file.warnings, ElementsAre(HasSubstr("cut off")));
  }
  // All that the header counts are there, whether or not the last one has an end.
  EXPECT_EQ(parse_storage(kHeader + "time\ta\tb\n0\t1\t2\n1\t3\t4", "x.sto").table.times.size(),
            2u);
}

TEST(StorageFile, MistakesAreOneErrorWithTheirLine) {
  expect_error("", 0, "endheader");
  expect_error("title\nversion=1\n", 0, "endheader");
  expect_error("title\nversion=7\nendheader\n", 2, "not known");
  expect_error("title\nversion=one\nendheader\n", 2, "whole number");
  expect_error("title\ninDegrees=maybe\nendheader\n", 2, "neither yes nor no");
  expect_error("title\nDataType=Vec99\nendheader\n", 2, "not known");
  expect_error(kHeader, 0, "labels");
  expect_error(kHeader + "angle\ta\n0\t1\n", 7, "'time'");
  expect_error(kHeader + "time\ta\t\tb\n", 7, "column 3");
  expect_error(kHeader + "time\ta\tb\n", 0, "no rows");
  expect_error(kHeader + "time\ta\tb\n0\t1\n", 8, "2 numbers for 3 columns");
  expect_error(kHeader + "time\ta\tb\n0\t1\t2\t3\n", 8, "4 numbers for 3 columns");
  expect_error(kHeader + "time\ta\tb\n0\t1\tx\n", 8, "'x' is not a number");
  expect_error(kHeader + "time\ta\tb\n1\t1\t2\n0\t1\t2\n", 9, "back in time");
  expect_error(kHeader + "time\ta\tb\nnan\t1\t2\n", 8, "time is not a number");
  expect_error("DataType=Vec3\nversion=3\nendheader\ntime\ta\n0\t1,2\n", 5, "2 elements");
}

TEST(StorageFile, WhatIsWrittenReadsBackBitByBit) {
  MotionTable table;
  table.labels = {"a", "b"};
  table.times = {-5.0000001250438686e-07, 1.0 / 3};
  table.values = MatX{{std::nextafter(1.0, 2.0), -1e-300}, {std::numbers::pi, std::nan("")}};
  const auto path = std::filesystem::temp_directory_path() / "sinew_storage_test.sto";
  write_storage(path, table, "title", true);
  const StorageFile back = read_storage(path);
  std::filesystem::remove(path);
  EXPECT_EQ(back.title, "title");
  EXPECT_TRUE(back.in_degrees);
  EXPECT_EQ(back.table.labels, table.labels);
  EXPECT_EQ(back.table.times, table.times);
  EXPECT_EQ(back.table.values.row(0), table.values.row(0));
  EXPECT_EQ(back.table.values(1, 0), table.values(1, 0));
  EXPECT_TRUE(std::isnan(back.table.values(1, 1)));
  EXPECT_THROW(write_storage("/nowhere/at/all.sto", table, "title", true), Error);
}

}  // namespace storage_file_test
}  // namespace sinew
