#pragma once

#include "sinew/integrate/step_tape.hpp"

/// Derivatives of the two things that a step is made of, both ways: a stage, and the projection to
/// the constraints. A change goes forward as a direction; the derivative of a number goes back as
/// an adjoint, marked by a bar. Derivations in docs/theory/adjoint.md.

namespace sinew {

/// Rows of all constraints of a system.
Eigen::Index row_count(const System& system);

/// Adjoints or directions of q, q̇, q̈, z and λ.
struct MotionVectors {
  VecX q, qdot, qddot, z, lambda;
  void set_zero(const System& system);
};

/// A stage q = c_q + γ q̇, q̇ = c_v + γ q̈, g(q, q̇, q̈, λ; c_z) = 0, (G q̇ + ∂g/∂t + β g)/γ = 0 at its
/// solution; z is a function of q and c_z.
class StageDerivatives {
 public:
  explicit StageDerivatives(const System& system);

  /// Takes the derivatives anew, `controls` those of the stage. False if their matrix is singular.
  bool update(const StepTape::Stage& stage, const VecX& controls, double beta, Workspace& ws);

  /// In: adjoints of the stage's q, q̇, q̈, z and λ. Out: those of c_q, c_v and c_z, in q, q̇ and z.
  /// Adds those of the controls. Returns the adjoint of the equations times what Newton's method
  /// left of them: its effect on the number that is differentiated.
  double pull_back(MotionVectors& x, VecX& controls);
  /// In: directions of c_q, c_v and c_z, in q, q̇ and z, and of the controls. Out: of q, q̇, q̈, z
  /// and λ.
  void push_forward(MotionVectors& x, const VecX& controls) { push_forward(x, controls, {}); }
  /// The same if parameters also change the residuals of the equations and of the rows, and z.
  struct Change {
    VecX g, rows, z;
  };
  void push_forward(MotionVectors& x, const VecX& controls, const Change& change);

  /// After pull_back: the adjoints of both residuals.
  const VecX& w() const { return w_; }
  const VecX& rho() const { return rho_; }

 private:
  const System& system_;
  double gamma_ = 0;
  Linearization at_;
  NodeMatrix A_;
  MatX G_, Q_, R_, W_, product_;  // G, ∂(G q̇ + ∂g/∂t + β g)/∂q, G + γ Q, A⁻¹Gᵀ, R W
  LuFactor S_;                    // of R W
  MatX B_;                        // ∂f/∂u
  InternalDerivatives internal_;
  VecX g_, rows_;                      // residuals
  VecX w_, rho_, sum_, c_z_, scaled_;  // scratch
};

/// The projection of (q, q̇) to (q₁, q̇₁),
///     M (q₁ − q) + Gᵀμ = 0,   g(q₁) = 0,   M (q̇₁ − q̇) + Gᵀν = 0,   G₁ q̇₁ + ∂g/∂t = 0,
/// M and G at q, G₁ at q₁: the second pair for all rows that hold, the first for those on position
/// level.
class ProjectionDerivatives {
 public:
  explicit ProjectionDerivatives(const System& system);

  /// `stage`: the last one of the step, which the projection starts from. False if rows depend on
  /// each other, or the step did not end like this.
  bool update(const StepTape::Stage& stage, const VecX& controls, const ConstVecRef& q_end,
              const ConstVecRef& qdot_end, Workspace& ws);
  /// In: adjoints of q₁ and q̇₁. Out: of q and q̇. Returns the adjoint of the four equations times
  /// what the projection left of them.
  double pull_back(MotionVectors& x);
  /// In: directions of q and q̇. Out: of q₁ and q̇₁. `change`: by parameters, of the four residuals
  /// (those of rows for all rows); empty: of none.
  void push_forward(MotionVectors& x, const VecX& change = {});
  /// After pull_back: the adjoints of the four residuals, in this order: of M (q₁ − q) + Gᵀμ,
  /// M (q̇₁ − q̇) + Gᵀν, g(q₁) and G₁ q̇₁ + ∂g/∂t.
  const VecX& adjoints() const { return adjoints_; }

  /// What was differentiated: (q₁ − q, μ) and (q̇₁ − q̇, ν), multipliers for all rows.
  struct Move {
    VecX change, multipliers;
  };
  const Move& position() const { return position_.move; }
  const Move& velocity() const { return velocity_.move; }
  const VecX& q_end() const { return q_end_; }
  const VecX& qdot_end() const { return qdot_end_; }

 private:
  /// One of the two pairs: its rows, and the derivative of M δ + Gᵀμ by q.
  struct Pair {
    std::vector<Eigen::Index> rows;
    MatX G, G_end, W;  // rows × n, n × rows
    MatX product;
    LuFactor S;  // of G₁ W
    MatX dM;     // n × n
    VecX multiplier;
    VecX left, rows_left;  // of the two equations; of the first M⁻¹ times it
    Move move;
  };
  bool update_pair(const At& start, const VecX& q_or_qdot, const VecX& end, const VecX& rows_left,
                   Pair& pair, Workspace& ws);

  const System& system_;
  Pair position_, velocity_;
  MatX Q_end_;  // ∂(G q̇₁ + ∂g/∂t)/∂q at the end
  NodeMatrix M_;
  MatX Gt_, W_, G_end_;
  Linearization at_, at_rest_;
  VecX g_, zero_, lambda_, q_, qdot_, q_end_, qdot_end_, adjoints_;
  VecX value_end_, rate_end_;    // of all rows: g(q₁), G₁ q̇₁ + ∂g/∂t
  VecX scaled_, unit_, column_;  // scratch
};

}  // namespace sinew
