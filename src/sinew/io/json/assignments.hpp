#pragma once

#include "sinew/io/json/object_reader.hpp"

/// What tasks and studies say of the model that they are about.

namespace sinew {

/// The value of the key "model" or "task": a name, or a file beside the one that is read.
std::string read_model_name(const ObjectReader& in, std::string_view key = "model");

/// An object of names and values becomes "name=value" of each, as --set, --initial and --excitation
/// take them; only numbers, if these are asked for.
std::vector<std::string> read_assignments(const ObjectReader& in, std::string_view key,
                                          bool numbers);

}  // namespace sinew
