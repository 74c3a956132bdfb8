#pragma once

#include <array>

#include "sinew/integrate/stage_table.hpp"
#include "sinew/integrate/step_common.hpp"

namespace sinew {

/// The stages of one step of a method that a table gives. Works on vectors of the workspace.
class StageStep {
 public:
  /// The number of stage vectors, and of those of internal stages, that it uses.
  static constexpr size_t kVectors = 4 + 3 * StageTable::kMostStages;
  static constexpr size_t kInternalVectors = 3 + StageTable::kMostStages;

  StageStep(const StepContext& s, const StageTable& table);

  /// The accelerations that Newton's method starts the first stage from; zero unless written.
  VecX& guess() { return a_[0]; }
  /// Solves the stages of a step of h. `jumps`: forces jump at its end, and it ends just before.
  /// Afterwards the vectors below and ws belong to the last stage.
  bool solve(double h, bool jumps, StepReport& report);
  /// Work of the powers at the stages [J].
  double work(double h) const;
  /// Puts the step on the tape of the options, if there is one, as ending at (q, q̇).
  void record(const VecX& q, const VecX& qdot, bool projected) const;

  VecX& q() { return q_; }
  VecX& qdot() { return v_[table_.stages - 1]; }
  VecX& qddot() { return a_[table_.stages - 1]; }
  VecX& z() { return z_; }
  const VecX& c_z() const { return c_z_; }
  const VecX& zdot() const { return zdot_[table_.stages - 1]; }
  /// q̇, q̈ and ż of every stage.
  std::span<const VecX> rates() const { return v_; }
  std::span<const VecX> accelerations() const { return a_; }
  std::span<const VecX> internal_rates() const { return zdot_; }
  VecX& internal_scratch() { return flow_; }

 private:
  StageStep(const StepContext& s, const StageTable& table, std::span<VecX> room,
            std::span<VecX> internal);
  bool begin_energy(StepReport& report);
  void begin_stage(size_t i, double h);
  void begin_internal(size_t i, double t, double h);
  void guess_from_earlier(size_t i);

  const StepContext& s_;
  const StageTable& table_;
  VecX &c_q_, &c_v_, &c_w_;       // constants of the stage
  VecX& q_;                       // of the latest stage
  std::span<VecX> v_, a_, wdot_;  // q̇, q̈ and ẇ of each stage
  VecX &c_z_, &z_, &flow_;
  std::span<VecX> zdot_;
  std::array<double, StageTable::kMostStages> power_{};
};

}  // namespace sinew
