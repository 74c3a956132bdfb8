#include "sinew/core/error.hpp"

#include <gtest/gtest.h>

namespace sinew {
namespace error_test {

TEST(Error, SaysWhereWhatAndWhatToDo) {
  const Error error("body 'femur'", "mass is not positive", "give a positive mass");
  EXPECT_STREQ(error.what(), "body 'femur': mass is not positive; give a positive mass");
  EXPECT_EQ(error.element(), "body 'femur'");
  EXPECT_EQ(error.problem(), "mass is not positive");
  EXPECT_EQ(error.remedy(), "give a positive mass");
  EXPECT_EQ(error.file(), "");
  EXPECT_EQ(error.line(), 0);
}

TEST(Error, LeavesOutWhatIsNotKnown) {
  EXPECT_STREQ(Error("", "is empty", "write something").what(), "is empty; write something");
  EXPECT_STREQ(Error("file", "is empty", "").what(), "file: is empty");
  EXPECT_STREQ(Error("", "is empty", "").what(), "is empty");
}

TEST(Error, TakesItsPlaceInAFile) {
  const Error error("body 'femur'", "mass is not positive", "give a positive mass");
  const Error located = error.with_location("leg.json", 12);
  EXPECT_STREQ(located.what(),
               "leg.json:12: body 'femur': mass is not positive; give a positive mass");
  EXPECT_EQ(located.element(), error.element());
  EXPECT_EQ(located.problem(), error.problem());
  EXPECT_EQ(located.remedy(), error.remedy());
  EXPECT_EQ(located.file(), "leg.json");
  EXPECT_EQ(located.line(), 12);
  EXPECT_EQ(error.file(), "") << "the original is a value of its own";
}

TEST(Error, NamesTheFileAloneWhereNoLineIsKnown) {
  EXPECT_STREQ(Error("", "does not exist", "").with_location("leg.json", 0).what(),
               "leg.json: does not exist");
}

TEST(Error, TakesTheLastPlaceItIsGiven) {
  const Error error = Error("", "is wrong", "").with_location("inner.obj", 3);
  EXPECT_STREQ(error.with_location("leg.json", 7).what(), "leg.json:7: is wrong");
}

TEST(Error, ShortensNamesThatNobodyWouldRead) {
  std::string name;
  for (int k = 0; k < 3000; ++k) name += "é";
  const Error error("body '" + name + "'", "does not exist", "name another");
  const std::string text = error.what();
  EXPECT_LT(text.size(), 600);
  EXPECT_TRUE(text.starts_with("body 'éé"));
  EXPECT_NE(text.find("é … é"), std::string::npos);
  EXPECT_TRUE(text.ends_with("éé': does not exist; name another"));
  const std::string short_name(400, 'x');
  EXPECT_EQ(Error(short_name, "a", "b").element(), short_name);
}

TEST(Error, IsCaughtAsAStandardException) {
  try {
    throw Error("a", "b", "c");
  } catch (const std::exception& e) {
    EXPECT_STREQ(e.what(), "a: b; c");
  }
}

}  // namespace error_test
}  // namespace sinew
