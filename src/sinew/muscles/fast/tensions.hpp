#pragma once

#include <span>
#include <vector>

namespace sinew {

/// Gives tensions that follow from how a path moves.
class TensionLaw {
 public:
  virtual ~TensionLaw() = default;
  /// The tension [N] of a muscle, from its length [m] and its rate [m/s].
  virtual double tension(size_t muscle, double length, double rate) = 0;
};

/// Tensions of all muscles: known ones [N], or, with a law, what it says.
struct Tensions {
  Tensions(const std::vector<double>& values) : known(values) {}
  explicit Tensions(TensionLaw& by) : law(&by) {}
  double at(size_t muscle, double length, double rate) const {
    return law ? law->tension(muscle, length, rate) : known[muscle];
  }

  /// Whether it is zero however the muscle moves.
  bool vanishes(size_t muscle) const { return !law && known[muscle] == 0; }

  std::span<const double> known;
  TensionLaw* law = nullptr;
};

}  // namespace sinew
