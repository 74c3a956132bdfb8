#pragma once

#include "sinew/adjoint/objectives.hpp"

/// Objectives that look at forces: reactions of constraints, and contacts.

namespace sinew {

/// A reaction of a constraint as Constraint::measure tells it: the torque of a prescribed
/// coordinate, a component of the force in a loop [N m, N]. It is that of the last stage of a step,
/// with its λ, where the step ends.
class ReactionTarget final : public LeastSquares {
 public:
  /// Names of all reactions: "<constraint>_<measurement>", e.g. "knee_torque", "pin_force_x".
  static std::vector<std::string> names(const System& system);
  /// One of these names. Throws an Error with the nearest one, and for states before the first
  /// step.
  ReactionTarget(const System& system, const std::string& name, TimeFunction target, double weight,
                 Moments when);
  Residual residual(const At& at) const override;
  void pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const override;

 private:
  /// At the last update_kinematics. `lambda`: of its own rows.
  double measure(const At& at, const State& state, std::span<const double> lambda) const;

  size_t constraint_ = 0, measurement_ = 0;
  Eigen::Index first_row_ = 0, rows_ = 0;
  TimeFunction target_;
};

/// The force of smooth contacts on the bodies above their planes, the sum of several [N, world].
class ContactForceTarget final : public LeastSquares {
 public:
  /// Contacts by name. Throws an Error with the nearest one, and for systems with dependent
  /// coordinates.
  ContactForceTarget(const System& system, const std::vector<std::string>& contacts,
                     const Vec3& target, double weight, Moments when);
  Residual residual(const At& at) const override;
  void pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const override;

 private:
  std::vector<size_t> contacts_;  // among the system's forces
  Vec3 target_;
};

}  // namespace sinew
