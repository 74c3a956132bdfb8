#pragma once

#include "sinew/analysis/motion/motion.hpp"

namespace sinew {

/// A motion that is shown, not simulated: one pose after the other.
class Playback {
 public:
  /// `name` is the file's. Throws an Error where the motion has no rows.
  Playback(std::string name, Motion motion);

  const std::string& name() const { return name_; }
  double start() const { return motion_.front().t; }
  double end() const { return motion_.back().t; }
  size_t rows() const { return motion_.size(); }

  /// Puts coordinates and speeds of the motion at t into a state, on cubic polynomials through the
  /// values and rates of the rows; t is held between start and end. Muscle fibres are in
  /// equilibrium.
  void show(const System& system, double t, State& state, Workspace& ws) const;

 private:
  std::string name_;
  Motion motion_;
};

}  // namespace sinew
