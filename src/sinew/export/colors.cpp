#include "sinew/export/colors.hpp"

#include <array>

namespace sinew {
namespace {

struct Stuff {
  const char* name;
  unsigned color;
  double roughness, metalness;
};
constexpr Stuff kStuffs[] = {{"bone", kBoneColor, 0.7, 0},   {"skin", 0xd8a48c, 0.6, 0},
                             {"metal", 0x9aa4ad, 0.35, 0.5}, {"plastic", 0x3f7fb5, 0.45, 0},
                             {"rubber", 0x3a3a3d, 0.95, 0},  {"wood", 0xa87a4c, 0.8, 0},
                             {"stone", 0x9c978e, 0.95, 0}};

/// Of machines: models without muscles and soft bodies.
constexpr std::array<unsigned, 5> kMetals = {0x8b9bab, 0xc9bda5, 0x5f7488, 0xa7a9a6, 0x94806a};

}  // namespace

Paint paint(unsigned color) {
  const auto part = [&](int shift) { return (color >> shift & 255) / 255.0; };
  return {{part(16), part(8), part(0)}};
}

Paint body_paint(int index, int count, bool alive) {
  if (alive) return paint(kBoneColor);
  const size_t colors = count > 12 ? 2 : kMetals.size();
  return paint(kMetals[static_cast<size_t>(index) % colors]);
}

Paint line_paint(const std::string& kind) {
  if (kind == "strand") return paint(0xb5654a);
  if (kind == "path") return paint(0xd8cfae);
  return paint(0x4a5561);
}

Paint shape_paint(const Appearance& appearance, const Paint& otherwise) {
  Paint out = otherwise;
  for (const Stuff& stuff : kStuffs)
    if (appearance.material == stuff.name)
      out = {paint(stuff.color).color, 1, stuff.roughness, stuff.metalness};
  if (appearance.color) out.color = *appearance.color;
  out.opacity = appearance.opacity;
  return out;
}

}  // namespace sinew
