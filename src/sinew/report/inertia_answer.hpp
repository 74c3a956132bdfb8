#pragma once

#include <nlohmann/json.hpp>

namespace sinew {

/// Whether muscle mass matters, in words: `sentence` and `details`, from the same numbers as the
/// rows of describe_moments. `stands_out` says whether it does for any joint.
nlohmann::ordered_json describe_answer(const nlohmann::ordered_json& moments);

}  // namespace sinew
