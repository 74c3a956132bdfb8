#pragma once

#include <array>
#include <memory>

#include "sinew/adjoint/run_derivatives.hpp"

/// The objectives that come with the library: weighted squares of what misses a target.

namespace sinew {

/// The states of a run that a term counts.
class Moments {
 public:
  /// The last state.
  static Moments end() { return Moments(Kind::end); }
  /// All states after steps, each times the length of a step: the integral over the run.
  static Moments steps() { return Moments(Kind::steps); }
  /// States by number, 0 at the start; ascending.
  static Moments states(std::vector<int> numbers);

  /// What the state's share is multiplied by; 0 if it does not count.
  double factor(const Objective::At& at) const;
  bool counts_start() const {
    return kind_ == Kind::states && !states_.empty() && states_.front() == 0;
  }
  /// The sum of the factors over a run.
  double total(int steps, double dt) const;

 private:
  enum class Kind { end, steps, states };
  explicit Moments(Kind kind) : kind_(kind) {}
  Kind kind_;
  std::vector<int> states_;
};

/// ½ weight |r|² of a few numbers r that shall vanish, summed over moments of the run.
class LeastSquares : public Objective {
 public:
  static constexpr int kMost = 6;  ///< entries of r
  using Residual = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;

  LeastSquares(double weight, Moments when) : weight_(weight), when_(std::move(when)) {}
  double evaluate(const At& at, StateVectors* bar) const final;

  double weight() const { return weight_; }
  const Moments& when() const { return when_; }
  /// r at the state. Writes to at.ws what pull_back needs.
  virtual Residual residual(const At& at) const = 0;
  /// Adds (∂r/∂state)ᵀ r_bar. Needs residual at the same state.
  virtual void pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const = 0;

 private:
  double weight_;
  Moments when_;
};

/// A point of a body, at rest or on its way [m, world].
class PointTarget final : public LeastSquares {
 public:
  using Path = std::array<TimeFunction, 3>;
  PointTarget(BodyIndex body, const Vec3& point_B, const Vec3& target, double weight,
              Moments when = Moments::end())
      : PointTarget(body, point_B, Path{target[0], target[1], target[2]}, weight, std::move(when)) {
  }
  PointTarget(BodyIndex body, const Vec3& point_B, Path target, double weight, Moments when)
      : LeastSquares(weight, std::move(when)),
        body_(body),
        point_(point_B),
        target_(std::move(target)) {}
  Residual residual(const At& at) const override;
  void pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const override;

 private:
  BodyIndex body_;
  Vec3 point_;
  Path target_;
};

/// The velocity of a point of a body [m/s, world]. Not for systems with dependent coordinates.
class PointVelocityTarget final : public LeastSquares {
 public:
  /// Throws an Error for systems with dependent coordinates.
  PointVelocityTarget(const System& system, BodyIndex body, const Vec3& point_B, const Vec3& target,
                      double weight, Moments when);
  Residual residual(const At& at) const override;
  void pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const override;

 private:
  BodyIndex body_;
  Vec3 point_, target_;
};

/// The pose of a body: where its origin is [m], and `length` times the rotation vector from the
/// target to it, in its own axes [m].
class PoseTarget final : public LeastSquares {
 public:
  PoseTarget(BodyIndex body, const Pose& E_WT, double length, double weight, Moments when)
      : LeastSquares(weight, std::move(when)), body_(body), target_(E_WT), length_(length) {}
  Residual residual(const At& at) const override;
  void pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const override;

 private:
  Vec3 rotation(const At& at) const;  // from the target
  BodyIndex body_;
  Pose target_;
  double length_;
};

/// An entry of q, or of q̇.
class CoordinateTarget final : public LeastSquares {
 public:
  enum class Of { value, rate };
  CoordinateTarget(int dof, Of of, TimeFunction target, double weight,
                   Moments when = Moments::end())
      : LeastSquares(weight, std::move(when)), dof_(dof), of_(of), target_(std::move(target)) {}
  int dof() const { return dof_; }
  Of of() const { return of_; }
  const TimeFunction& target() const { return target_; }
  Residual residual(const At& at) const override;
  void pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const override;

 private:
  int dof_;
  Of of_;
  TimeFunction target_;
};

/// The sum of others.
class SumOfObjectives final : public Objective {
 public:
  explicit SumOfObjectives(std::vector<std::shared_ptr<const Objective>> terms)
      : terms_(std::move(terms)) {}
  double evaluate(const At& at, StateVectors* bar) const override;

 private:
  std::vector<std::shared_ptr<const Objective>> terms_;
};

}  // namespace sinew
