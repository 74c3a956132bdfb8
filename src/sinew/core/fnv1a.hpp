#pragma once

#include <cstdint>
#include <string_view>

namespace sinew {

/// A hash of a file's bytes that tells whether it has changed; no protection against malice.
inline std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace sinew
