#include "sinew/core/utf8.hpp"

#include <gtest/gtest.h>

namespace sinew {
namespace utf8_test {

TEST(Utf8, StaysAsItIs) {
  for (const char* text : {"", "knee_angle_r", "fléchisseur", "膝", "🦴", "\u07ff\u0800\uffff"})
    EXPECT_EQ(to_utf8(text), text);
}

TEST(Utf8, OtherBytesAreWindowsCharacters) {
  EXPECT_EQ(to_utf8("fl\xE9"
                    "chisseur"),
            "fléchisseur");
  EXPECT_EQ(to_utf8("0\x96"
                    "1"),
            "0–1");
  EXPECT_EQ(to_utf8("\x81"), "\uFFFD");
  // Beside valid UTF-8.
  EXPECT_EQ(to_utf8("é\xE9"), "éé");
}

TEST(Utf8, LooksLikeItAndIsNot) {
  EXPECT_EQ(to_utf8("\xC0\x80"), "À€");            // a zero, too long
  EXPECT_EQ(to_utf8("\xED\xA0\x80"), "í\u00a0€");  // half of a pair
  EXPECT_EQ(to_utf8("\xE9"), "é");                 // ends too early
  EXPECT_EQ(to_utf8("\xF5\x80\x80\x80"), "õ€€€");  // beyond the last
}

TEST(Utf8, ControlCharactersAreFound) {
  EXPECT_FALSE(has_control_characters("flexion of the knée [°]"));
  EXPECT_FALSE(has_control_characters("\u00a0"));
  for (const char* text : {"a\tb", "a\nb", "\x1b[31m", "\x7f", "\u009b"})
    EXPECT_TRUE(has_control_characters(text)) << text;
}

}  // namespace utf8_test
}  // namespace sinew
