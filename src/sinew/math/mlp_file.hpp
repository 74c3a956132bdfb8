#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/math/mlp.hpp"

namespace sinew {

/// The contents of a network file (docs/neural_format.md): the encoding of its inputs, the ranges
/// it was trained in, and the network. The numbers of encodings and quantities have a meaning only
/// for the code that uses the network.
struct MlpFile {
  struct Range {
    std::uint32_t quantity = 0;
    double low = 0, high = 0;
  };
  std::uint32_t encoding = 0;
  std::vector<Range> ranges;
  Mlp mlp;
};

/// Reads the bytes of a file. Throws an Error about `element` for every defect: not a network,
/// another version, cut short, bytes left over, damaged (checksum), senseless sizes or ranges,
/// weights that are not numbers.
MlpFile read_mlp(std::span<const std::uint8_t> bytes, const std::string& element);

/// The checksum at the end of a file: zlib's CRC-32 of all bytes before it.
std::uint32_t crc32(std::span<const std::uint8_t> bytes);

}  // namespace sinew
