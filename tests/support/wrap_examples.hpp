#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sinew/muscles/wrap/wrap.hpp"
#include "support/random.hpp"

namespace sinew::test {

using Anchors = std::pair<Vec3, Vec3>;

/// A wrap with the data that the laws of wrap_laws_test.cpp need. A new model is put to the
/// laws by an entry in `wrap_examples`.
struct WrapExample {
  std::string name;
  Wrap wrap;
  /// Anchors, about half of them in contact, many of those near touch-down.
  std::function<Anchors(Random&)> anchors;
  /// Distance from the surface, negative inside.
  std::function<double(const Vec3&)> distance;
  /// The path is a local minimum of length among those outside the surface.
  bool shortest = false;
  /// Velocities of the path's points are continuous over touch-down.
  bool smooth = true;
  /// Some of the anchors are in contact and some are not.
  bool touches_down = true;
  /// The path stays on one side of the surface; else its gradient jumps when it changes sides.
  bool fixed_side = true;
  /// Depth to which the path may be inside the surface: rounding, unless the model differs.
  double penetration = 1e-12;
  /// Largest error of derivatives against differences, of the largest entry.
  double derivative_error = 1e-6;
  /// Largest error of unit tangents, and of their agreement where pieces meet: rounding, unless the
  /// arc is integrated in steps.
  double tangent_error = 1e-11;
  /// Pairs of anchors for each law: fewer where a path takes long to find.
  int pairs = 1000;
};

std::vector<WrapExample> wrap_examples();
/// Examples around level sets, for `wrap_examples` to include.
std::vector<WrapExample> level_wrap_examples();

inline std::ostream& operator<<(std::ostream& out, const WrapExample& example) {
  return out << example.name;
}

}  // namespace sinew::test
