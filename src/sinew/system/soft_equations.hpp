#pragma once

#include "sinew/deformables/soft_body.hpp"
#include "sinew/dynamics/attached_point.hpp"
#include "sinew/system/equations.hpp"

/// Deformable bodies as parts of a system: docs/theory/deformables.md, §1.

namespace sinew {

/// The deformable bodies of a system, and where their free vertices are in a state's q: three
/// entries each from `first_dof` on, body by body.
struct SoftBodies {
  std::vector<std::shared_ptr<const SoftBody>> bodies;
  int first_dof = 0;
  std::vector<std::vector<int>> free;  ///< per body and vertex: number among the free; −1: attached
  VecX mass;                           ///< per free vertex [kg]
  BlockPattern pattern;                ///< of free vertices
  std::vector<std::vector<int>> block;  ///< per body and block of its pattern: where in `pattern`;
                                        ///< −1 where not both vertices are free

  int dof_count() const { return 3 * static_cast<int>(mass.size()); }
  /// Checks the body against the skeleton and the others. Throws an Error naming it.
  void add(const Skeleton& skeleton, const SoftBodySpec& spec);
  /// Writes all but `bodies`.
  void finish(int first);
  /// Throws an Error naming the first body.
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const;
};

/// The skeleton whose bodies carry the masses of the vertices attached to them.
Skeleton with_attached_masses(const Skeleton& skeleton, const SoftBody& body);
/// Appends the free vertices where they start.
void append_vertices(const SoftBodies& soft, State& state);
/// "vertex 12 of soft body 'skin'" for an entry of q beyond the coordinates; the coordinate's name
/// for one of those.
std::string entry_name(const System& system, int dof);

/// Scratch of all that deformable bodies do in a step.
struct SoftScratch {
  explicit SoftScratch(const System& system);

  struct Body {
    // update_vertices
    Points x, v;
    std::vector<AttachedPoint> attached;  ///< in the order of its attachments
    // add_soft_forces
    Points f;
    // update_soft_stiffness: per block of its pattern
    std::vector<Mat3> K, D;
    std::vector<int> pair;  ///< per block between different links: which of `pairs`; else −1
    // update_soft_coupling: per attachment
    std::vector<Eigen::Matrix3Xd> J, Jdot;
  };
  std::vector<Body> bodies;
  std::vector<ForceDerivatives::Pair> pairs;

  // update_soft_coupling: K = ∂f/∂q, D = ∂f/∂q̇ of vertices (f) and coordinates (r). What is `rf` is
  // stored transposed, a row for each entry of a vertex.
  std::vector<Mat3> K_ff, D_ff;
  BlockLu::Columns K_fr, D_fr, K_rf, D_rf;
  std::vector<int> coupled;  ///< free vertices next to attached ones: their rows only are not zero

  // factor_soft
  std::vector<Mat3> H_ff;
  BlockLu lu;
  BlockLu::Columns H_rf, X;  ///< X = H_ff⁻¹ H_fr
  VecX y;                    ///< scratch of solve_soft
};

/// Positions and velocities of all vertices. Needs update_kinematics at the state of `in`.
void update_vertices(const System& system, const SkeletonAt& in, SoftScratch& soft);
/// Adds the forces on bodies and free vertices, and the power of damping and friction. Runs
/// update_vertices.
void add_soft_forces(const System& system, const SkeletonAt& in, SoftScratch& soft,
                     AppliedForces& out);
/// The residual of free vertices, m (ẍ − gravity) − f.
void vertex_residuals(const System& system, const ConstVecRef& qddot, const AppliedForces& forces,
                      VecRef g);
/// Their accelerations f / m + gravity.
void vertex_accelerations(const System& system, const AppliedForces& forces, VecRef qddot);

/// Stiffness and damping at the last add_soft_forces; what bodies feel from bodies is added to
/// `out`. All are zero unless `kind` is full: the reference steps its strands explicitly.
void update_soft_stiffness(const System& system, StiffnessModel kind, SoftScratch& soft,
                           ForceDerivatives& out);
/// The rest of it. Needs inverse_dynamics_derivatives in dws where `kind` is full.
void update_soft_coupling(const System& system, const SkeletonWorkspace& ws,
                          const DerivativeWorkspace& dws, StiffnessModel kind, SoftScratch& soft);

/// Factors H_ff of H = M + γ ∂g/∂q̇ + γ² ∂g/∂q and reduces H_rr, given, to the Schur complement
/// H_rr − H_rf H_ff⁻¹ H_fr. False where H_ff is singular.
bool factor_soft(const System& system, double gamma, MatX& H_rr, SoftScratch& soft);
/// x ← H⁻¹ x with the factors `rr` of that complement.
void solve_soft(const LuFactor& rr, SoftScratch& soft, VecRef x);
/// Adds c K y of all entries but those between coordinates.
void add_soft_stiffness_times(const System& system, double c, const VecX& y,
                              const SoftScratch& soft, VecX& out);
/// The largest force in the residual of a free vertex, rounding of positions included: §1.
double vertex_force_scale(const System& system, const VecX& qddot, const AppliedForces& forces,
                          const SoftScratch& soft);

/// Energies of free vertices and of all elements. Needs update_kinematics. (Attached vertices' are
/// among those of the bodies.)
Energy soft_energy(const System& system, const SkeletonAt& in, SoftScratch& soft);

/// Where the vertices of a deformable body, and those of its surface, are at a state; for output.
void vertex_positions(const System& system, const State& state, int body, Workspace& ws, Points& x);
void surface_positions(const System& system, const State& state, int body, Workspace& ws,
                       Points& surface);

}  // namespace sinew
