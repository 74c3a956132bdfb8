#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sinew {

/// The text that is printed and written. Paths may hold bytes that are not UTF-8, which JSON cannot
/// hold: each becomes U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace sinew
