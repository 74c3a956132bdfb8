#include "sinew/core/crc32c.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sinew {
namespace crc32c_test {

TEST(Crc32c, GivesThePublishedAnswers) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43u);
  EXPECT_EQ(crc32c(""), 0u);
}

}  // namespace crc32c_test
}  // namespace sinew
