#pragma once

#include <memory>

#include "sinew/adjoint/run_derivatives.hpp"

/// The objectives that come with the library.

namespace sinew {

/// ½ weight |x − target|² of a point of a body at the end of the run.
class PointTarget final : public Objective {
 public:
  PointTarget(BodyIndex body, const Vec3& point_B, const Vec3& target, double weight)
      : body_(body), point_(point_B), target_(target), weight_(weight) {}
  double evaluate(const At& at, StateVectors* bar) const override;

 private:
  BodyIndex body_;
  Vec3 point_, target_;
  double weight_;
};

/// ½ weight (q − target)² of an entry of q at the end of the run, or of its rate.
class CoordinateTarget final : public Objective {
 public:
  enum class Of { value, rate };
  CoordinateTarget(int dof, Of of, double target, double weight)
      : dof_(dof), of_(of), target_(target), weight_(weight) {}
  double evaluate(const At& at, StateVectors* bar) const override;

 private:
  int dof_;
  Of of_;
  double target_, weight_;
};

/// ½ weight ∫ (q − target(t))² dt of an entry of q, summed over the steps.
class CoordinateTrack final : public Objective {
 public:
  CoordinateTrack(int dof, TimeFunction target, double weight)
      : dof_(dof), target_(std::move(target)), weight_(weight) {}
  double evaluate(const At& at, StateVectors* bar) const override;

 private:
  int dof_;
  TimeFunction target_;
  double weight_;
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
