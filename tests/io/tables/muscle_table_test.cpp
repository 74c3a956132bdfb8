#include "sinew/io/tables/muscle_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sinew/core/error.hpp"

namespace sinew {
namespace muscle_table_test {

using ::testing::HasSubstr;

std::map<std::string, MuscleTableRow> read(const std::string& text) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / (std::string(test->name()) + ".csv");
  std::ofstream(path) << text;
  return read_muscle_table(path);
}
std::string complaint(const std::string& text) {
  try {
    read(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(MuscleTable, GivesMassAndBelly) {
  const auto table =
      read("muscle,mass,belly_begin,belly_end\r\nsoleus, 0.3, 0.1, 0.7\n\ntibant,0.1,0,1\n");
  ASSERT_EQ(table.size(), 2u);
  std::vector<Muscle> muscles(2);
  muscles[0].name = "tibant";
  muscles[1].name = "soleus";
  apply_muscle_table(table, muscles);
  EXPECT_EQ(muscles[0].mass, 0.1);
  EXPECT_EQ(muscles[1].mass, 0.3);
  EXPECT_DOUBLE_EQ(muscles[1].material.A(2.0), 0.2);
  EXPECT_DOUBLE_EQ(muscles[1].material.B(2.0), 1.2);
  EXPECT_FALSE(read("muscle,mass\nsoleus,0.3\n").at("soleus").has_belly);
}

TEST(MuscleTable, IsReadAsSpreadsheetsWriteIt) {
  const auto table =
      read("\xEF\xBB\xBF\"muscle\",\"mass\"\r\n\"vastus, \"\"lateral\"\"\",\"0.3\"\r\n");
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.at("vastus, \"lateral\"").mass, 0.3);
}

TEST(MuscleTable, NamesWhatIsWrongWithFileAndLine) {
  EXPECT_THAT(complaint(""), HasSubstr("is empty"));
  EXPECT_THAT(complaint("soleus,0.3\n"), HasSubstr("does not begin with its columns"));
  EXPECT_THAT(complaint("muscle,mass\nsoleus,heavy\n"), HasSubstr(".csv:2: muscle 'soleus'"));
  EXPECT_THAT(complaint("muscle,mass\nsoleus,0\n"), HasSubstr("not positive"));
  EXPECT_THAT(complaint("muscle,mass\nsoleus,0.1,3\n"), HasSubstr("has 3 cells"));
  EXPECT_THAT(complaint("muscle,mass\na,1\na,1\n"), HasSubstr(":3: muscle 'a': is listed twice"));
  EXPECT_THAT(complaint("muscle,mass,belly_begin,belly_end\na,1,0.5,0.5\n"),
              HasSubstr("not part of the path"));
  std::vector<Muscle> muscles(1);
  muscles[0].name = "soleus";
  try {
    apply_muscle_table({{"soleu", {}}}, muscles);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'soleus'"));
  }
}

}  // namespace muscle_table_test
}  // namespace sinew
