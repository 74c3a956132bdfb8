#pragma once

#include "sinew/integrate/step_tape.hpp"

/// Derivatives of the two things that a step is made of, both ways: a stage, and the projection to
/// the constraints. A change goes forward as a direction; the derivative of a number goes back as
/// an adjoint, marked by a bar. Derivations in docs/theory/adjoint.md.

namespace sinew {

/// Adjoints or directions of q, q̇, q̈ and z.
struct MotionVectors {
  VecX q, qdot, qddot, z;
  void set_zero(const System& system);
};

/// A stage q = c_q + γ q̇, q̇ = c_v + γ q̈, g(q, q̇, q̈, λ; c_z) = 0, (G q̇ + ∂g/∂t + β g)/γ = 0 at its
/// solution; z is a function of q and c_z.
class StageDerivatives {
 public:
  explicit StageDerivatives(const System& system);

  /// Takes the derivatives anew, `controls` those of the stage. False if their matrix is singular.
  bool update(const StepTape::Stage& stage, const VecX& controls, double beta, Workspace& ws);

  /// In: adjoints of the stage's q, q̇, q̈ and z. Out: those of c_q, c_v and c_z, in q, q̇ and z. Adds
  /// those of the controls. Returns the adjoint of the equations times what Newton's method left of
  /// them: its effect on the number that is differentiated.
  double pull_back(MotionVectors& x, VecX& controls);
  /// In: directions of c_q, c_v and c_z, in q, q̇ and z, and of the controls. Out: of q, q̇, q̈, z.
  void push_forward(MotionVectors& x, const VecX& controls);

 private:
  const System& system_;
  double gamma_ = 0;
  Linearization at_;
  NodeMatrix A_;
  MatX G_, Q_, R_, W_;  // G, ∂(G q̇ + ∂g/∂t + β g)/∂q, G + γ Q, A⁻¹Gᵀ
  LuFactor S_;          // of R W
  MatX B_;              // ∂f/∂u
  InternalDerivatives internal_;
  VecX g_, rows_;             // residuals
  VecX w_, rho_, sum_, c_z_;  // scratch
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
  /// In: adjoints of q₁ and q̇₁. Out: of q and q̇.
  void pull_back(MotionVectors& x);
  /// In: directions of q and q̇. Out: of q₁ and q̇₁.
  void push_forward(MotionVectors& x);

 private:
  /// One of the two pairs: its rows, and the derivative of M δ + Gᵀμ by q.
  struct Pair {
    std::vector<Eigen::Index> rows;
    MatX G_end, W;  // rows × n, n × rows
    LuFactor S;     // of G₁ W
    MatX dM;        // n × n
    VecX multiplier;
  };
  bool update_pair(const At& start, const VecX& change, Pair& pair, Workspace& ws);

  const System& system_;
  Pair position_, velocity_;
  MatX Q_end_;  // ∂(G q̇₁ + ∂g/∂t)/∂q at the end
  NodeMatrix M_;
  MatX Gt_, W_, G_end_;
  Linearization at_, at_rest_;
  VecX g_, zero_, lambda_;
};

}  // namespace sinew
