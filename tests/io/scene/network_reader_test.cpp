#include "sinew/io/scene/network_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sinew/core/error.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace network_reader_test {

using ::testing::HasSubstr;

Error error_of(const std::filesystem::path& path) {
  try {
    read_wrap_network(path);
  } catch (const Error& error) {
    return error;
  }
  return {"", "none", ""};
}

TEST(NetworkReader, ReadsTheShippedNetworks) {
  const std::filesystem::path folder = test::source_dir() + "/models/neural";
  for (const auto& [name, weights] : {std::pair{"cylinder-raw", 332035},
                                      {"cylinder-invariant", 50434},
                                      {"capped-cylinder-raw", 332035},
                                      {"capped-cylinder-invariant", 150147},
                                      {"cylinder-polyline", 40542},
                                      {"over-cap-polyline", 32877}}) {
    const auto network = read_wrap_network(folder / (std::string(name) + ".mlp"));
    EXPECT_EQ(network->name(), name);
    EXPECT_EQ(network->mlp().weights(), weights);
  }
}

TEST(NetworkReader, NamesTheFile) {
  const Error absent = error_of("nowhere/absent.mlp");
  EXPECT_THAT(absent.problem(), HasSubstr("cannot be read"));
  EXPECT_EQ(absent.file(), "nowhere/absent.mlp");

  const auto path = std::filesystem::temp_directory_path() / "sinew_network_reader_test.mlp";
  std::ofstream(path, std::ios::binary) << "SINEWMLP";
  const Error cut = error_of(path);
  EXPECT_THAT(cut.problem(), HasSubstr("cut short"));
  EXPECT_EQ(cut.element(), "network 'sinew_network_reader_test'");
  EXPECT_EQ(cut.file(), path.string());
  std::filesystem::remove(path);
}

}  // namespace network_reader_test
}  // namespace sinew
