#include "sinew/io/tables/table_writer.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "sinew/core/error.hpp"
#include "sinew/io/tables/storage_file.hpp"

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

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(TableWriter, EveryFlushLeavesATableThatIsWhole) {
  const auto path = std::filesystem::path(testing::TempDir()) / "table_writer_flush.sto.part";
  const auto name = std::filesystem::path(testing::TempDir()) / "table_writer_flush.sto";
  TableWriter table(path, TableFormat::sto, "title", {"a"});
  const double a = 1;
  table.add_row(0, {std::span(&a, 1)});
  table.flush();
  EXPECT_NE(text_of(path).find("nRows=1 "), std::string::npos);
  table.rename_to(name);
  table.add_row(1, {std::span(&a, 1)});
  EXPECT_EQ(text_of(name).find("\n1\t1\n"), std::string::npos) << "not flushed yet";
  table.flush();
  EXPECT_NE(text_of(name).find("nRows=2 "), std::string::npos);
  EXPECT_TRUE(text_of(name).ends_with("0\t1\n1\t1\n"));
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::remove(name);
}

TEST(TableWriter, WithoutRoomTheRowsBeforeStayWhole) {
  const auto path = std::filesystem::path(testing::TempDir()) / "table_writer_room.sto";
  // A file may grow to this many bytes: like a full disk, but for this process alone.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{2000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  bool failed = false;
  {
    TableWriter table(path, TableFormat::sto, "title", {"a"});
    try {
      for (int i = 0; i < 1000; ++i) {
        const double a = 1.0 / (3 + i);
        table.add_row(i, {std::span(&a, 1)});
        if (i % 7 == 0) table.flush();
      }
    } catch (const Error& error) {
      failed = true;
      EXPECT_NE(std::string(error.what()).find("space left"), std::string::npos);
    }
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_TRUE(failed);
  const StorageFile table = read_storage(path);
  EXPECT_TRUE(table.warnings.empty()) << table.warnings[0];
  EXPECT_EQ(table.table.times.size() % 7, 1u) << "up to a flush";
  std::filesystem::remove(path);
}

TEST(TableWriter, RefusesAPlaceItCannotWriteTo) {
  EXPECT_THROW(TableWriter("/no/such/folder/x.sto", TableFormat::sto, "", {}), Error);
}

}  // namespace table_writer_test
}  // namespace sinew
