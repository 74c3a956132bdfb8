#pragma once

#include "sinew/muscles/path/muscle.hpp"
#include "sinew/system/system.hpp"
#include "support/random.hpp"

namespace sinew::test {

/// The path of a random muscle.
enum class PathKind { straight, polyline, cylinder, mixed, moving, conditional, nested };
inline constexpr std::array kPathKinds{
    PathKind::straight, PathKind::polyline,    PathKind::cylinder, PathKind::mixed,
    PathKind::moving,   PathKind::conditional, PathKind::nested};
const char* name_of(PathKind kind);

/// A muscle with mass between random bodies. Its bellies, profiles and strain vary with the seed.
Muscle random_muscle(const Skeleton& skeleton, PathKind kind, unsigned seed);

}  // namespace sinew::test
