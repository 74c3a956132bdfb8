#include "sinew/export/gltf_file.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

static_assert(std::endian::native == std::endian::little, "glTF is little-endian");

// Numbers of the format.
constexpr int kUnsignedByte = 5121, kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126;
constexpr int kArrayBuffer = 34962, kElementBuffer = 34963;
constexpr std::uint32_t kMagic = 0x46546C67, kVersion = 2;
constexpr std::uint32_t kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void pad(std::string& bytes, char with) { bytes.resize((bytes.size() + 3) / 4 * 4, with); }

std::string float_bytes(std::span<const double> values) {
  std::string out;
  out.reserve(4 * values.size());
  for (const double value : values) put(out, static_cast<float>(value));
  return out;
}

const char* type_of(int components) {
  switch (components) {
    case 1:
      return "SCALAR";
    case 3:
      return "VEC3";
    case 4:
      return "VEC4";
    default:
      return "MAT4";
  }
}

/// The least and the largest of each component, of the numbers as they are in the file.
void add_bounds(std::span<const double> values, size_t components, GltfFile::Json& accessor) {
  std::vector<float> low(components, std::numeric_limits<float>::max());
  std::vector<float> high(components, std::numeric_limits<float>::lowest());
  for (size_t k = 0; k < values.size(); ++k) {
    const auto value = static_cast<float>(values[k]);
    low[k % components] = std::min(low[k % components], value);
    high[k % components] = std::max(high[k % components], value);
  }
  accessor["min"] = low;
  accessor["max"] = high;
}

}  // namespace

int GltfFile::add(const char* list, Json entry) {
  Json& all = lists_[list];
  all.push_back(std::move(entry));
  return static_cast<int>(all.size()) - 1;
}

int GltfFile::view(const std::string& bytes, int target) {
  const size_t at = vertex_bytes_.size();
  vertex_bytes_ += bytes;
  pad(vertex_bytes_, '\0');
  return add("bufferViews",
             {{"buffer", 0}, {"byteOffset", at}, {"byteLength", bytes.size()}, {"target", target}});
}

int GltfFile::vertices(std::span<const double> values) {
  const std::string bytes = float_bytes(values);
  const auto [known, fresh] = known_.emplace("v" + bytes, 0);
  if (!fresh) return known->second;
  Json accessor = {{"bufferView", view(bytes, kArrayBuffer)},
                   {"componentType", kFloat},
                   {"count", values.size() / 3},
                   {"type", "VEC3"}};
  add_bounds(values, 3, accessor);
  return known->second = add_accessor(std::move(accessor));
}

int GltfFile::triangles(std::span<const int> values) {
  // The largest number of each type is reserved.
  const bool small = std::all_of(values.begin(), values.end(), [](int k) { return k < 65535; });
  std::string bytes;
  for (const int value : values)
    if (small)
      put(bytes, static_cast<std::uint16_t>(value));
    else
      put(bytes, static_cast<std::uint32_t>(value));
  const auto [known, fresh] = known_.emplace((small ? "s" : "i") + bytes, 0);
  if (fresh)
    known->second = add_accessor({{"bufferView", view(bytes, kElementBuffer)},
                                  {"componentType", small ? kUnsignedShort : kUnsignedInt},
                                  {"count", values.size()},
                                  {"type", "SCALAR"}});
  return known->second;
}

int GltfFile::joints(std::span<const int> values) {
  std::string bytes;
  for (const int value : values) {
    put(bytes, static_cast<std::uint16_t>(value));
    bytes.append(6, '\0');
  }
  return add_accessor({{"bufferView", view(bytes, kArrayBuffer)},
                       {"componentType", kUnsignedShort},
                       {"count", values.size()},
                       {"type", "VEC4"}});
}

int GltfFile::weights(size_t count) {
  const std::string one("\xff\0\0\0", 4);
  std::string bytes;
  for (size_t k = 0; k < count; ++k) bytes += one;
  const auto [known, fresh] = known_.emplace("w" + bytes, 0);
  if (fresh)
    known->second = add_accessor({{"bufferView", view(bytes, kArrayBuffer)},
                                  {"componentType", kUnsignedByte},
                                  {"normalized", true},
                                  {"count", count},
                                  {"type", "VEC4"}});
  return known->second;
}

int GltfFile::values(std::span<const double> values, int components) {
  // All of these share one view, which bytes() adds at the end.
  const size_t at = value_bytes_.size();
  value_bytes_ += float_bytes(values);
  return add_accessor({{"bufferView", nullptr},
                       {"byteOffset", at},
                       {"componentType", kFloat},
                       {"count", values.size() / static_cast<size_t>(components)},
                       {"type", type_of(components)}});
}

int GltfFile::times(std::span<const double> t) {
  const int out = values(t, 1);
  add_bounds(t, 1, lists_["accessors"][static_cast<size_t>(out)]);
  return out;
}

int GltfFile::add_material(const Json& material) {
  const auto [known, fresh] = materials_.emplace(material.dump(), 0);
  if (fresh) known->second = add("materials", material);
  return known->second;
}

void GltfFile::animate(int node, const char* path, int times, int values) {
  samplers_.push_back({{"input", times}, {"interpolation", "LINEAR"}, {"output", values}});
  channels_.push_back(
      {{"sampler", samplers_.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
}

std::string GltfFile::bytes(const Json& asset, const std::string& animation_name,
                            const std::string& element) const {
  Json file = {{"asset", asset}, {"scene", 0}};
  file["scenes"] = Json::array({Json{{"nodes", Json::array({0})}}});
  file.update(lists_);
  if (!channels_.empty())
    file["animations"] = Json::array(
        {Json{{"name", animation_name}, {"channels", channels_}, {"samplers", samplers_}}});
  const size_t binary = vertex_bytes_.size() + value_bytes_.size();
  if (!value_bytes_.empty()) {
    Json& views = file["bufferViews"];
    views.push_back(
        {{"buffer", 0}, {"byteOffset", vertex_bytes_.size()}, {"byteLength", value_bytes_.size()}});
    for (Json& accessor : file["accessors"])
      if (accessor["bufferView"].is_null()) accessor["bufferView"] = views.size() - 1;
  }
  if (binary > 0) file["buffers"] = Json::array({Json{{"byteLength", binary}}});
  std::string text = file.dump(-1, ' ', false, Json::error_handler_t::replace);
  pad(text, ' ');
  const size_t chunk = (binary + 3) / 4 * 4;
  const size_t total = 12 + 8 + text.size() + (binary > 0 ? 8 + chunk : 0);
  if (total > std::numeric_limits<std::uint32_t>::max())
    throw Error(element, "would take more than the 4 GB that the format allows",
                "keep fewer frames: --rate");
  std::string out;
  out.reserve(total);
  for (const std::uint32_t word : {kMagic, kVersion, static_cast<std::uint32_t>(total),
                                   static_cast<std::uint32_t>(text.size()), kJsonChunk})
    put(out, word);
  out += text;
  if (binary == 0) return out;
  put(out, static_cast<std::uint32_t>(chunk));
  put(out, kBinaryChunk);
  out += vertex_bytes_;
  out += value_bytes_;
  pad(out, '\0');
  return out;
}

}  // namespace sinew
