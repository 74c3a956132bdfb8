#pragma once

#include <filesystem>
#include <memory>

#include "sinew/muscles/wrap/wrap_network.hpp"

namespace sinew {

/// Reads a neural wrap model (docs/neural_format.md); errors name the file. Its name is the file's
/// without the extension.
std::shared_ptr<const WrapNetwork> read_wrap_network(const std::filesystem::path& path);

}  // namespace sinew
