#include "sinew/io/table_writer.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sinew/core/error.hpp"

namespace sinew {
namespace table_writer_test {

std::string written(TableFormat format, int rows) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) /
      ("table_writer_test" + std::to_string(rows) + extension(format));
  TableWriter table(path, format, "title", {"a", "b"});
  for (int i = 0; i < rows; ++i) {
    const double a = 0.1 * i, b = -1e-300;
    table.add_row(i, {std::span(&a, 1), std::span(&b, 1)});
  }
  table.close();
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

TEST(TableWriter, WritesTheHeaderThatOpenSimReads) {
  EXPECT_EQ(written(TableFormat::sto, 2),
            "title\nversion=1\nnRows=2           \nnColumns=3\ninDegrees=no\nendheader\n"
            "time\ta\tb\n0\t0\t-1e-300\n1\t0.10000000000000001\t-1e-300\n");
}

TEST(TableWriter, PutsTheNumberOfRowsRightHoweverMany) {
  EXPECT_NE(written(TableFormat::sto, 1234).find("\nnRows=1234        \nnColumns"),
            std::string::npos);
}

TEST(TableWriter, WritesPlainCommaSeparatedValues) {
  EXPECT_EQ(written(TableFormat::csv, 1), "time,a,b\n0,0,-1e-300\n");
}

TEST(TableWriter, WritesNumbersThatReadBackBitByBit) {
  const std::string text = written(TableFormat::csv, 10);
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  for (int i = 0; std::getline(lines, line); ++i)
    EXPECT_EQ(std::stod(line.substr(line.find(',') + 1)), 0.1 * i);
}

TEST(TableWriter, RefusesAPlaceItCannotWriteTo) {
  EXPECT_THROW(TableWriter("/no/such/folder/x.sto", TableFormat::sto, "", {}), Error);
}

}  // namespace table_writer_test
}  // namespace sinew
