#pragma once

#include <vector>

#include "sinew/math/dense_solve.hpp"
#include "sinew/math/qp.hpp"

namespace sinew {

/// Impulses of contacts with Coulomb friction. With velocities u = A x + b along the rows, A
/// symmetric and positive semidefinite:
///
///     normal   0 ≤ x ⟂ u ≥ 0
///     tangent  |x_t| ≤ μ x_n;  sticking: u_t = 0;  sliding: x_t = −μ x_n u_t/|u_t|
///     bounded  |x| ≤ bound;  inside: u = 0;  at a bound: x opposes u
///
/// docs/theory/contact_dynamics.md has the derivation. It holds the solution and scratch only and
/// allocates only if a problem is larger than all before.
class ImpulseSolver {
 public:
  struct Normal {
    int row;
    int tangent;  ///< first of two rows, or −1
    double friction;
  };
  struct Bounded {
    int row;
    double bound;  ///< ≥ 0
  };

  /// Residual up to which x counts as a solution (see residual); and the one accepted if no method
  /// gets there.
  static constexpr double kTolerance = 1e-10;
  static constexpr double kAcceptable = 1e-6;

  /// Target of Newton's method and the quadratic programs.
  static constexpr double kAim = 1e-13;

  /// In: x, a guess, or zeros. True if the residual is acceptable.
  bool solve(const Eigen::Ref<const MatX>& A, const ConstVecRef& b,
             const std::vector<Normal>& normals, const std::vector<Bounded>& bounded, VecRef x);

  /// Residual of the last solve: largest violation of the conditions above, over the largest
  /// velocity in them, all in units of √energy: |x − projection(x − u/a)| √a with a = A_kk.
  double residual() const { return residual_; }
  int worst_row() const { return worst_row_; }
  int programs() const { return programs_; }  ///< quadratic programs solved
  int newton_steps() const { return newton_steps_; }

 private:
  using Matrix = Eigen::Ref<const MatX>;
  struct Cut {
    int normal;   // index into the list
    double c, s;  // c x_t1 + s x_t2 ≤ radius
    double multiplier;
  };
  struct Problem {
    const Matrix& A;
    const ConstVecRef& b;
    const std::vector<Normal>& normals;
    const std::vector<Bounded>& bounded;
  };

  void resize(Eigen::Index m);
  double evaluate(const Problem& p, const ConstVecRef& x);
  void update_jacobian(const Problem& p, double proximal, const ConstVecRef& x);
  bool newton(const Problem& p, VecRef x);
  void newton(const Problem& p, double proximal, VecRef x);
  void damped_newton(const Problem& p, double proximal, VecRef x);
  bool program(const Problem& p, VecRef x);
  void relax(const Problem& p, VecRef x);
  void add_cuts(const Problem& p, const ConstVecRef& x);

  QpSolver qp_;
  LuFactor lu_;
  std::vector<double> radius_;  // per normal
  std::vector<Cut> cuts_;
  MatX jacobian_, cut_rows_;
  VecX u_, F_, step_, scale_, lower_, upper_, cut_bounds_, best_, guess_, trial_, multipliers_,
      bound_multipliers_;
  double residual_ = 0;
  int worst_row_ = -1, programs_ = 0, newton_steps_ = 0;
};

}  // namespace sinew
