#include "sinew/math/mlp_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sinew/core/error.hpp"

namespace sinew {
namespace mlp_file_test {

using testing::HasSubstr;

/// A file built field by field, so that every field can be wrong.
struct FileBuilder {
  std::string magic = "SINEWMLP";
  std::uint32_t version = 1, layers = 2, hidden = 3, ranges = 1;
  double range_low = -1, input_scale = 2;
  float weight = 0.25f;
  bool right_checksum = true;

  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> out(magic.begin(), magic.end());
    const auto put = [&out](auto x) {  // little-endian machines only, as the test's readers
      const auto* raw = reinterpret_cast<const std::uint8_t*>(&x);
      out.insert(out.end(), raw, raw + sizeof(x));
    };
    for (const std::uint32_t x : {version, 7u, layers, 2u, hidden, 1u, ranges, 4u}) put(x);
    put(range_low);
    put(1.0);
    for (const double x : {0.0, 0.5, input_scale, 1.0}) put(x);  // inputs: offsets, then scales
    for (const double x : {10.0, 3.0}) put(x);                   // output
    for (int k = 0; k < 3 * 2 + 3 + 3 + 1; ++k)
      put(k == 4 ? weight : 0.125f * static_cast<float>(k));
    put(right_checksum ? checksum(out) : 1u);
    return out;
  }
  /// Bit by bit from the definition: remainder of the reflected message.
  static std::uint32_t checksum(const std::vector<std::uint8_t>& bytes) {
    std::uint32_t crc = ~0u;
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      const std::uint32_t in = (bytes[bit / 8] >> (bit % 8)) & 1u, low = crc & 1u;
      crc >>= 1;
      if (in != low) crc ^= 0xEDB88320u;
    }
    return ~crc;
  }
};

std::string problem_of(const std::vector<std::uint8_t>& bytes) {
  try {
    read_mlp(bytes, "network 'n'");
  } catch (const Error& error) {
    EXPECT_EQ(error.element(), "network 'n'");
    EXPECT_FALSE(error.remedy().empty());
    return error.problem();
  }
  return "none";
}

TEST(MlpFile, HoldsTheNetworkThatWasWritten) {
  const MlpFile file = read_mlp(FileBuilder().bytes(), "n");
  EXPECT_EQ(file.encoding, 7u);
  ASSERT_EQ(file.ranges.size(), 1u);
  EXPECT_EQ(file.ranges[0].quantity, 4u);
  EXPECT_EQ(file.ranges[0].low, -1);
  EXPECT_EQ(file.ranges[0].high, 1);
  ASSERT_EQ(file.mlp.inputs(), 2);
  ASSERT_EQ(file.mlp.outputs(), 1);
  // W1 = (0 1; 2 3; w 5)/8, b1 = (6 7 8)/8, W2 = (9 10 11)/8, b2 = 12/8; the weight 4 is 0.25.
  const double x = (0.3 - 0.0) * 2, y = (0.7 - 0.5) * 1;
  const double h1 = std::tanh(0.125 * y + 0.75), h2 = std::tanh(0.25 * x + 0.375 * y + 0.875),
               h3 = std::tanh(0.25 * x + 0.625 * y + 1.0);
  const double expected = 10 + 3 * (1.125 * h1 + 1.25 * h2 + 1.375 * h3 + 1.5);
  MlpScratch scratch;
  double out = 0;
  file.mlp.evaluate<double>(std::array{0.3, 0.7}, std::span<double>(&out, 1), scratch);
  EXPECT_NEAR(out, expected, 1e-14);  // rounding
}

TEST(MlpFile, TellsWhatIsWrong) {
  EXPECT_EQ(problem_of(FileBuilder().bytes()), "none");
  EXPECT_THAT(problem_of({}), HasSubstr("not a network"));
  EXPECT_THAT(problem_of(FileBuilder{.magic = "SINEWMLQ"}.bytes()), HasSubstr("not a network"));
  EXPECT_THAT(problem_of(FileBuilder{.version = 2}.bytes()), HasSubstr("version 2"));
  EXPECT_THAT(problem_of(FileBuilder{.layers = 0}.bytes()), HasSubstr("0 layers"));
  EXPECT_THAT(problem_of(FileBuilder{.layers = 1u << 31}.bytes()), HasSubstr("layers"));
  EXPECT_THAT(problem_of(FileBuilder{.hidden = 0}.bytes()), HasSubstr("0 neurons"));
  EXPECT_THAT(problem_of(FileBuilder{.hidden = 1000000}.bytes()), HasSubstr("1000000 neurons"));
  EXPECT_THAT(problem_of(FileBuilder{.ranges = 1000}.bytes()), HasSubstr("1000 ranges"));
  EXPECT_THAT(problem_of(FileBuilder{.right_checksum = false}.bytes()), HasSubstr("checksum"));
  EXPECT_THAT(problem_of(FileBuilder{.range_low = 2}.bytes()), HasSubstr("empty"));
  EXPECT_THAT(problem_of(FileBuilder{.input_scale = 0}.bytes()), HasSubstr("scaling"));
  EXPECT_THAT(problem_of(FileBuilder{.weight = std::numeric_limits<float>::quiet_NaN()}.bytes()),
              HasSubstr("layer 1 is not a finite"));
  auto longer = FileBuilder().bytes();
  longer.push_back(0);
  EXPECT_THAT(problem_of(longer), HasSubstr("1 bytes are left over"));
}

TEST(MlpFile, RefusesEveryTruncationAndEveryFlippedBit) {
  const auto whole = FileBuilder().bytes();
  for (size_t size = 8; size < whole.size(); ++size)
    EXPECT_THAT(problem_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}),
                HasSubstr("cut short"));
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    auto flipped = whole;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    EXPECT_NE(problem_of(flipped), "none") << "bit " << bit;
  }
}

}  // namespace mlp_file_test
}  // namespace sinew
