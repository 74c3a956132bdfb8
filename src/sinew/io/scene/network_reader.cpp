#include "sinew/io/scene/network_reader.hpp"

#include <fstream>
#include <iterator>

#include "sinew/core/error.hpp"

namespace sinew {

std::shared_ptr<const WrapNetwork> read_wrap_network(const std::filesystem::path& path) {
  const std::string name = path.stem().string(), element = "network '" + name + "'";
  std::ifstream file(path, std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file && bytes.empty())
    throw Error(element, "its file cannot be read",
                "give the path of a file such as those of models/neural")
        .with_location(path.string(), 0);
  try {
    return std::make_shared<WrapNetwork>(read_mlp(bytes, element), name);
  } catch (const Error& error) {
    throw error.with_location(path.string(), 0);
  }
}

}  // namespace sinew
