#include "sinew/integrate/step_tape.hpp"

namespace sinew {

void StepTape::clear() {
  truncate(0);
  recharted_ = false;
}

void StepTape::truncate(size_t count) {
  if (count < steps_.size()) {
    attempt_.numbers = steps_[count].numbers;
    steps_.resize(count);
  }
  numbers_.resize(attempt_.numbers);
}

StepTape::Stage StepTape::stage(size_t step, size_t i) const {
  const Step& s = steps_[step];
  const size_t at = s.numbers + i * stage_size();
  const auto n = static_cast<size_t>(dofs_);
  return {s.t + s.table->c[i] * s.h,
          s.table->share * s.h,
          read(at, dofs_),
          read(at + n, dofs_),
          read(at + 2 * n, dofs_),
          read(at + 3 * n, rows_),
          read(at + 3 * n + static_cast<size_t>(rows_), internal_)};
}

VecView StepTape::end_q(size_t step) const {
  const Step& s = steps_[step];
  return s.projected ? read(s.numbers + s.table->stages * stage_size(), dofs_)
                     : stage(step, s.table->stages - 1).q;
}

VecView StepTape::end_qdot(size_t step) const {
  const Step& s = steps_[step];
  return s.projected
             ? read(s.numbers + s.table->stages * stage_size() + static_cast<size_t>(dofs_), dofs_)
             : stage(step, s.table->stages - 1).qdot;
}

size_t StepTape::memory() const {
  return numbers_.size() * sizeof(double) + steps_.size() * sizeof(Step);
}

void StepTape::begin(const StageTable& table, double t, double h, Eigen::Index dofs,
                     Eigen::Index rows, Eigen::Index internal) {
  dofs_ = dofs;
  rows_ = rows;
  internal_ = internal;
  numbers_.resize(attempt_.numbers);
  attempt_ = {&table, t, h, recharted_, false, attempt_.numbers};
}

void StepTape::add_stage(const VecX& q, const VecX& qdot, const VecX& qddot, const VecX& lambda,
                         const VecX& c_z) {
  for (const VecX* x : {&q, &qdot, &qddot, &lambda, &c_z}) write(*x);
}

void StepTape::end(const VecX& q, const VecX& qdot, bool projected) {
  attempt_.projected = projected;
  if (projected) {
    write(q);
    write(qdot);
  }
  steps_.push_back(attempt_);
  attempt_.numbers = numbers_.size();
  recharted_ = false;
}

}  // namespace sinew
