#pragma once

#include <span>
#include <vector>

#include "sinew/integrate/stage_table.hpp"

namespace sinew {

/// What implicit steps did: enough to differentiate them, and no matrices. Steps write to it if
/// StepOptions::tape points to it; their results are the same with and without.
class StepTape {
 public:
  /// One stage, at its solution.
  struct Stage {
    double t, gamma;  ///< [s]
    VecView q, qdot, qddot, lambda;
    VecView c_z;  ///< start of the stage of the internal state
  };
  struct Step {
    const StageTable* table;
    double t, h;     ///< start and length [s]
    bool recharted;  ///< whether charts moved before it
    bool projected;  ///< whether its end was brought to the constraints
    size_t numbers;  ///< index of its first number
  };

  void clear();
  /// Forgets the steps from number `count` on.
  void truncate(size_t count);
  size_t size() const { return steps_.size(); }
  const Step& step(size_t k) const { return steps_[k]; }
  Stage stage(size_t step, size_t i) const;
  /// The state at the end of a step: that of its last stage, or where the projection ended.
  VecView end_q(size_t step) const;
  VecView end_qdot(size_t step) const;
  /// [bytes]
  size_t memory() const;

  // Called by steps.
  /// Charts have moved: the next step begins in others.
  void note_rechart() { recharted_ = true; }
  /// An attempt begins; one before it that did not end is forgotten.
  void begin(const StageTable& table, double t, double h, Eigen::Index dofs, Eigen::Index rows,
             Eigen::Index internal);
  void add_stage(const VecX& q, const VecX& qdot, const VecX& qddot, const VecX& lambda,
                 const VecX& c_z);
  /// The attempt succeeded, and ended here.
  void end(const VecX& q, const VecX& qdot, bool projected);

 private:
  size_t stage_size() const { return static_cast<size_t>(3 * dofs_ + rows_ + internal_); }
  VecView read(size_t at, Eigen::Index count) const { return {numbers_.data() + at, count}; }
  void write(const VecX& x) { numbers_.insert(numbers_.end(), x.data(), x.data() + x.size()); }

  Eigen::Index dofs_ = 0, rows_ = 0, internal_ = 0;
  std::vector<Step> steps_;
  std::vector<double> numbers_;
  Step attempt_{};
  bool recharted_ = false;
};

}  // namespace sinew
