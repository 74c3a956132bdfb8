#include "sinew/io/json/json_tree.hpp"

#include <gtest/gtest.h>

#include "sinew/core/error.hpp"

namespace sinew {
namespace json_tree_test {

TEST(JsonTree, KeepsValuesAndTheOrderOfKeys) {
  const JsonNode root =
      parse_json(R"({"b": [1, -2.5e3], "a": {"t": true, "s": "é", "n": null}})", "f");
  ASSERT_EQ(root.members.size(), 2u);
  EXPECT_EQ(root.members[0].key, "b");
  EXPECT_EQ(root.find("b")->items[1].number, -2500);
  EXPECT_TRUE(root.find("a")->find("t")->boolean);
  EXPECT_EQ(root.find("a")->find("s")->text, "é");
  EXPECT_EQ(root.find("a")->find("n")->type, JsonNode::Type::null);
  EXPECT_EQ(root.find("c"), nullptr);
}

TEST(JsonTree, RemembersTheLineOfEveryKeyAndValue) {
  // Numbers end only where the parser has looked at the character after them: here, a line end.
  const JsonNode root = parse_json("{\n\"a\": 1\n,\n\"b\":\n[2\n,\n3\n],\r\n\"c\": {}\n}", "f");
  EXPECT_EQ(root.line, 1);
  EXPECT_EQ(root.members[0].line, 2);
  EXPECT_EQ(root.find("a")->line, 2);
  EXPECT_EQ(root.members[1].line, 4);
  EXPECT_EQ(root.find("b")->line, 5);
  EXPECT_EQ(root.find("b")->items[0].line, 5);
  EXPECT_EQ(root.find("b")->items[1].line, 7);
  EXPECT_EQ(root.find("c")->line, 9);
}

TEST(JsonTree, RefusesWhatIsNotStrictJsonAndSaysWhere) {
  const std::pair<const char*, int> cases[] = {{"", 1},
                                               {"{\n\"a\": NaN}", 2},
                                               {"[1,\n2,\n]", 3},
                                               {"[1]\n[2]", 2},
                                               {"// x\n1", 1},
                                               {"[1e999]", 1},
                                               {"{\"a\": 1,\n\"a\": 2}", 2},
                                               {"[\n'a']", 2},
                                               {"[01]", 1},
                                               {"[1.]", 1},
                                               {"{\"a\"}", 1},
                                               {"[\"\x01\"]", 1},
                                               {"[\"\xff\"]", 1},
                                               {"[\n\n\"", 3}};
  for (const auto& [text, line] : cases) {
    try {
      parse_json(text, "file.json");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.file(), "file.json") << text;
      EXPECT_EQ(error.line(), line) << text << " gave " << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << text;
    }
  }
}

TEST(JsonTree, LimitsDepthKeysAndTheLengthOfItsMessages) {
  EXPECT_NO_THROW(parse_json(std::string(64, '[') + std::string(64, ']'), ""));
  EXPECT_THROW(parse_json(std::string(65, '[') + std::string(65, ']'), ""), Error);
  std::string wide = "{\"0\": 0";
  for (int i = 1; i < 1000; ++i) wide += ", \"" + std::to_string(i) + "\": 0";
  EXPECT_THROW(parse_json(wide + "}", ""), Error);
  try {
    parse_json("[\"" + std::string(100000, 'x'), "");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_LT(std::string(error.what()).size(), 500u);
  }
}

}  // namespace json_tree_test
}  // namespace sinew
