#pragma once

#include <limits>
#include <vector>

#include "sinew/math/qp_working_set.hpp"

namespace sinew {

/// The method of docs/theory/qp.md, on the scaled problem.
class QpActiveSet {
 public:
  explicit QpActiveSet(int max_iterations) : max_iterations_(max_iterations) {}
  QpActiveSet(const QpActiveSet&) = delete;
  QpActiveSet& operator=(const QpActiveSet&) = delete;

  QpResult solve(const QpProblem& problem, const QpWarmStart* warm);

 private:
  using Index = Eigen::Index;
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }
  /// The outcome of a part of the solve.
  enum class Stage { done, infeasible, iteration_limit, overflow };

  static constexpr double kSmallestEpsilon = 1e-12;
  /// Weights of a dependence below this count as zero, relative to the largest.
  static constexpr double kWeightRounding = 1e-11;

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr QpCertificate kNoCertificate{kInfinity, kInfinity, kInfinity, kInfinity};
  /// Multipliers above minus this times the largest count as zero.
  static constexpr double kDualRounding = 1e-14;

  void resize();
  void read(const QpWarmStart& warm);
  QpStatus run();
  QpStatus converge();
  bool has_impossible_row();
  bool is_finite();
  QpStatus give_up();
  bool factor(double epsilon);
  bool hold_equalities();
  void add_guess();

  Stage proximal_run();
  void proximal_step();
  Stage release_negative();
  Stage enforce();
  Stage enter(QpSide side);
  Index first_to_vanish(double& t);
  QpSide most_violated();
  bool contradicts(QpSide side, bool equality);
  void snap_to_bounds();
  void clear_rounded_multipliers();

  void update_residuals();
  QpCertificate certificate(double length, double force);
  bool is_ray();
  QpResult report(QpStatus status);
  bool count_iteration();
  void note_size_of_x();

  int max_iterations_;
  int limit_ = 0, iterations_ = 0, proximal_steps_ = 0, factorisations_ = 0;
  QpScaled qp_;
  QpWorkingSet W_;
  Index held_ = 0;           // equalities and fixed variables, at the front of W, never dropped
  double x_size_ = 0;        // largest |x_i|
  double x_peak_ = 0;        // the same since the last proximal step: rounding is relative to it
  double length_floor_ = 0;  // a length that c makes small: see kLengthFloor
  QpCertificate certificate_;

  std::vector<int> entries_;     // by row: how often it entered W
  std::vector<char> ignored_;    // by row: dependent and consistent, its violation is rounding
  std::vector<int> guess_sign_;  // by row: side that the warm start holds active, or 0
  std::vector<int> conflicting_rows_;

  QpMemory memory_;
  VecMap x_{nullptr, 0}, x_before_{nullptr, 0},
      dx_{nullptr, 0};                                   // n; before the last proximal step
  VecMap gradient_{nullptr, 0};                          // n, H x + c + N λ
  VecMap slack_{nullptr, 0};                             // n, β − Nᵀx of W
  VecMap row_values_{nullptr, 0};                        // rows, A x
  VecMap work_{nullptr, 0};                              // n
  VecMap guess_{nullptr, 0};                             // all rows, multipliers
  VecMap x_out_{nullptr, 0}, ray_{nullptr, 0};           // n, original units
  VecMap multipliers_{nullptr, 0}, farkas_{nullptr, 0};  // all rows, original units
};

}  // namespace sinew
