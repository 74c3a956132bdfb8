#include "sinew/math/mlp_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

constexpr std::string_view kMagic = "SINEWMLP";
constexpr std::uint32_t kVersion = 1;
// Far beyond any useful network; these limits keep a damaged header from exhausting memory.
constexpr std::uint32_t kMostLayers = 64, kWidest = 4096, kMostRanges = 64;

/// CRC-32 of zlib and PNG: reflected polynomial 0xEDB88320.
class MlpReader {
 public:
  MlpReader(std::span<const std::uint8_t> bytes, const std::string& element)
      : bytes_(bytes), element_(element) {}

  MlpFile read() {
    if (bytes_.size() < kMagic.size() ||
        std::memcmp(bytes_.data(), kMagic.data(), kMagic.size()) != 0)
      fail("it is not a network: it does not begin with SINEWMLP", "write it with scripts/neural");
    at_ = kMagic.size();
    if (const auto version = u32(); version != kVersion)
      fail(fmt::format("it has version {} of the format", version),
           fmt::format("this program reads version {}; export the network again", kVersion));
    MlpFile file;
    file.encoding = u32();
    read_sizes();
    read_ranges(file);
    Mlp::Scaling in = scaling(sizes_.front()), out = scaling(sizes_.back());
    std::vector<Mlp::Layer> layers = read_layers();
    check_end();
    // The checksum was right, so nonsense found here was written to the file.
    check_scaling(in);
    check_scaling(out);
    check_ranges(file);
    for (size_t l = 0; l < layers.size(); ++l)
      if (!layers[l].W.allFinite() || !layers[l].b.allFinite())
        fail(fmt::format("a weight of layer {} is not a finite number", l + 1),
             "the training diverged: train again with a smaller learning rate");
    file.mlp = Mlp(layers, std::move(in), std::move(out));
    return file;
  }

 private:
  [[noreturn]] void fail(std::string problem, std::string remedy) const {
    throw Error(element_, std::move(problem), std::move(remedy));
  }
  [[noreturn]] void damaged(std::string problem) const {
    fail(std::move(problem), "copy the file again, as binary");
  }

  template <class Raw>
  Raw take() {
    std::array<std::uint8_t, sizeof(Raw)> raw;
    if (bytes_.size() - at_ < sizeof(Raw))
      damaged(fmt::format("it is cut short: it ends after {} bytes", bytes_.size()));
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), sizeof(Raw), raw.begin());
    at_ += sizeof(Raw);
    if constexpr (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<Raw>(raw);
  }
  std::uint32_t u32() { return take<std::uint32_t>(); }

  void read_sizes() {
    const std::uint32_t layers = u32();
    if (layers < 1 || layers > kMostLayers)
      damaged(fmt::format("it has {} layers, not 1 to {}", layers, kMostLayers));
    for (std::uint32_t l = 0; l <= layers; ++l) {
      const std::uint32_t size = u32();
      if (size < 1 || size > kWidest)
        damaged(fmt::format("a layer has {} neurons, not 1 to {}", size, kWidest));
      sizes_.push_back(static_cast<Eigen::Index>(size));
    }
  }

  void read_ranges(MlpFile& file) {
    const std::uint32_t ranges = u32();
    if (ranges > kMostRanges)
      damaged(fmt::format("it declares {} ranges, more than {}", ranges, kMostRanges));
    for (std::uint32_t k = 0; k < ranges; ++k) {
      const std::uint32_t quantity = u32();
      const double low = take<double>();
      file.ranges.push_back({quantity, low, take<double>()});
    }
  }

  Mlp::Scaling scaling(Eigen::Index size) {
    Mlp::Scaling s{VecX(size), VecX(size)};
    for (double& x : s.offset) x = take<double>();
    for (double& x : s.scale) x = take<double>();
    return s;
  }

  std::vector<Mlp::Layer> read_layers() {
    std::vector<Mlp::Layer> layers(sizes_.size() - 1);
    for (size_t l = 0; l < layers.size(); ++l) {
      layers[l].W.resize(sizes_[l + 1], sizes_[l]);
      layers[l].b.resize(sizes_[l + 1]);
      for (Eigen::Index k = 0; k < layers[l].W.size(); ++k) layers[l].W.data()[k] = take<float>();
      for (double& b : layers[l].b) b = take<float>();
    }
    return layers;
  }

  void check_end() {
    const std::uint32_t computed = crc32(bytes_.first(at_)), stored = u32();
    if (at_ != bytes_.size())
      damaged(fmt::format("{} bytes are left over after its end", bytes_.size() - at_));
    if (computed != stored)
      damaged(fmt::format("its checksum is {:08x}, but its bytes give {:08x}", stored, computed));
  }

  void check_scaling(const Mlp::Scaling& s) const {
    if (!s.offset.allFinite() || !s.scale.allFinite() || (s.scale.array() == 0).any())
      fail("its scaling of inputs and outputs has a zero or a value that is not a number",
           "write it again with scripts/neural");
  }
  void check_ranges(const MlpFile& file) const {
    for (const MlpFile::Range& range : file.ranges)
      if (!(range.low <= range.high))
        fail(fmt::format("its range of quantity {} is empty: {} to {}", range.quantity, range.low,
                         range.high),
             "write it again with scripts/neural");
  }

  std::span<const std::uint8_t> bytes_;
  const std::string& element_;
  size_t at_ = 0;
  std::vector<Eigen::Index> sizes_;
};

}  // namespace

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ (crc & 1u ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

MlpFile read_mlp(std::span<const std::uint8_t> bytes, const std::string& element) {
  return MlpReader(bytes, element).read();
}

}  // namespace sinew
