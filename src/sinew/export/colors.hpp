#pragma once

#include <string>

#include "sinew/model/shape.hpp"

namespace sinew {

/// What something is painted with: colours as screens take them (sRGB), from 0 to 1.
struct Paint {
  Vec3 color;
  double opacity = 1, roughness = 0.7, metalness = 0;
};

/// The same colours as those of the page, web/src/scene.
inline constexpr unsigned kBoneColor = 0xe6dcc6, kFixedColor = 0xb9b4a8, kMuscleColor = 0xb03a33,
                          kTendonColor = 0xeae0cb, kSkinColor = 0xcf9e88;

/// Red, green, blue of 0xRRGGBB.
Paint paint(unsigned color);
/// A body for which the model gives no colour. `alive`: the model has muscles or soft bodies.
Paint body_paint(int index, int count, bool alive);
/// A spring, a cable, a passive path or a strand.
Paint line_paint(const std::string& kind);
/// A solid: what it is made of and the model's colour go before `otherwise`.
Paint shape_paint(const Appearance& appearance, const Paint& otherwise);

}  // namespace sinew
