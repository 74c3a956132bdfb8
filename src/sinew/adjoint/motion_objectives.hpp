#pragma once

#include "sinew/adjoint/objectives.hpp"

/// Objectives that look at how a system moves, not only at where it is.

namespace sinew {

/// Where a point would land if it left its body and flew on freely: on the plane through the target
/// across gravity [m]. No number where it would not come down there.
class LandingTarget final : public LeastSquares {
 public:
  /// Throws an Error for systems with dependent coordinates, and without gravity.
  LandingTarget(const System& system, BodyIndex body, const Vec3& point_B, const Vec3& target,
                double weight, Moments when);
  Residual residual(const At& at) const override;
  void pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const override;

 private:
  /// The flight from the state: how long it takes, and the velocity at its end.
  struct Flight {
    Vec3 landing, velocity;
    double time;
  };
  Flight fly(const At& at) const;

  BodyIndex body_;
  Vec3 point_, target_;
};

/// An energy of everything [J]. The potential one is that of gravity and of what is elastic.
class EnergyTarget final : public LeastSquares {
 public:
  enum class Of { kinetic, potential, total };
  EnergyTarget(Of of, double target, double weight, Moments when)
      : LeastSquares(weight, std::move(when)), of_(of), target_(target) {}
  Residual residual(const At& at) const override;
  void pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const override;

 private:
  Of of_;
  double target_;
};

}  // namespace sinew
