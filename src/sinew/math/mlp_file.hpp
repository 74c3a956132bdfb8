#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/math/mlp.hpp"

namespace sinew {

/// A network as its file holds it (docs/neural_format.md): what encoding feeds it, in what ranges
/// it was trained, and the network. The numbers of encodings and quantities mean something to
/// whoever uses the network, nothing here.
struct MlpFile {
  struct Range {
    std::uint32_t quantity = 0;
    double low = 0, high = 0;
  };
  std::uint32_t encoding = 0;
  std::vector<Range> ranges;
  Mlp mlp;
};

/// Reads the bytes of a file. Throws an Error about `element` for each way in which they can be
/// wrong: not a network, another version, cut short, bytes left over, damaged (checksum), sizes or
/// ranges without sense, weights that are no numbers.
MlpFile read_mlp(std::span<const std::uint8_t> bytes, const std::string& element);

/// The checksum with which a file ends, of all bytes before it: zlib's CRC-32.
std::uint32_t crc32(std::span<const std::uint8_t> bytes);

}  // namespace sinew
