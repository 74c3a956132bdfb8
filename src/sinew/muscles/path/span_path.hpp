#pragma once

#include "sinew/dynamics/derivatives.hpp"
#include "sinew/muscles/path/path_dynamics.hpp"

namespace sinew {

/// Scratch of muscles, for one muscle at a time. Disposable.
struct SpanPathWorkspace {
  /// A span's frame and columns ∂/∂q of its motion for the muscle's coordinates; axes of S.
  struct SpanColumns {
    Mat3 R;                              ///< R_WS
    Vec3 p;                              ///< origin of S, world
    Vec3 w, v, alpha, a;                 ///< world axes; a less gravity
    std::array<std::vector<Vec3>, 2> x;  ///< ∂(o, i)/∂q
    std::vector<Vec3> turn, shift;       ///< ∂(rotation, translation of S)/∂q
  };
  /// A path point: world axes, acceleration less gravity.
  struct PointColumns {
    Vec3 x, v, a;
    std::vector<Vec3> J;
  };
  std::vector<PointColumns> points;
  std::vector<SpanColumns> spans;
  std::vector<SpanSolution> solutions;
  std::vector<SpanMotion<double>> motion;
  std::vector<SpanForce<double>> forces;
  PathDynamics<double> kernel;
  std::vector<double> dL;  ///< ∂L/∂q of the muscle's coordinates
  std::vector<double> dc;  ///< the same for the arc length of each span's start, span by span
  std::vector<Vec3> J;     ///< columns for one group, sample by sample
  std::vector<Vec3> F;     ///< force required at each path point, world

  // add_derivatives, sized on first use
  struct Linearizer {
    struct Axis {
      Vec6 s, sdot, sddot;  ///< per coordinate, world axes, about DerivativeWorkspace's origin
    };
    std::vector<Axis> axes;                      ///< one per coordinate of the muscle
    std::vector<std::vector<Vec3>> Jdot, Jddot;  ///< per point: rates of its columns
    std::vector<SpanMotion<Chunk>> motion;
    std::vector<SpanForce<Chunk>> forces;
    PathDynamics<Chunk> kernel;
  };
  std::unique_ptr<Linearizer> linearizer;
};

class MuscleBlock;

/// A muscle's path of spans on a skeleton, and the mass along it: the description, checked, with
/// what follows from both. Immutable.
class SpanPath {
 public:
  /// Throws an Error naming the muscle where the description makes no sense on the skeleton.
  SpanPath(const Skeleton& skeleton, Muscle muscle);

  const Muscle& muscle() const { return muscle_; }
  const std::string& name() const { return muscle_.name; }
  /// The same laid out for speed; null if that is impossible.
  const MuscleBlock* spanned() const { return spanned_.get(); }
  /// Coordinates that move the muscle, ascending.
  const std::vector<int>& dofs() const { return dofs_; }

  /// Every function below needs this: it fills `ws` at the (t, q, q̇) of update_kinematics. For
  /// forces also at the accelerations in in.ws.a, which belong to q̈ (null: zero).
  void update(const SkeletonAt& in, const double* qddot, MuscleView view,
              SpanPathWorkspace& ws) const;
  /// The view that gives this muscle's forces.
  MuscleView force_view() const {
    if (!muscle_.has_mass()) return MuscleView::path;
    return muscle_.velocity_terms ? MuscleView::moving : MuscleView::at_rest;
  }

  /// Whether the belly has a positive length on a path of the given length.
  bool has_belly(double length) const { return muscle_.material.B(length) > 0; }
  double length(const SpanPathWorkspace& ws) const { return ws.kernel.length(); }
  /// The worst status of its spans; no_room where its mass has no place on the path.
  SpanStatus status(const SpanPathWorkspace& ws) const;
  /// ∂L/∂q of the muscle's coordinates into ws.dL; moment arms are the negative.
  void update_length_gradient(SpanPathWorkspace& ws) const;

  /// Adds the wrenches (world axes, about the links' origins) that the muscle's inertia, gravity
  /// and tension [N] ask for, and the forces on single coordinates.
  void add_forces(const SkeletonAt& in, double tension, SpanPathWorkspace& ws,
                  std::vector<Vec6>& wrench, VecRef tau) const;
  /// Adds the muscle's part of the mass matrix.
  void add_mass_matrix(SpanPathWorkspace& ws, MatRef M) const;
  /// Adds the derivatives of add_forces with respect to q and q̇ beyond those that come from the
  /// wrenches turning with their links (see ForceDerivatives). Needs add_forces and
  /// inverse_dynamics_derivatives.
  void add_derivatives(const SkeletonAt& in, double tension, const double* qddot,
                       const DerivativeWorkspace& dws, SpanPathWorkspace& ws, MatRef dg_dq,
                       MatRef dg_dqdot) const;

  double kinetic_energy(const SpanPathWorkspace& ws) const;
  double gravity_energy(const Vec3& gravity, const SpanPathWorkspace& ws) const;

 private:
  /// A term of a path point with its data from the skeleton.
  struct Term {
    struct Factor {
      int dof = -1;
      int local = -1;  ///< place of dof in dofs_
      std::variant<ScalarFunction, Window> function;
    };
    int link = 0;
    Vec3 x_L;  ///< link frame
    bool direction = false;
    double scale = 1;
    std::vector<Factor> factors;
  };
  struct Frame {
    int link = 0;
    Pose E_LS;
  };
  /// Motion of a link, as far as a view needs it; accelerations less gravity.
  struct LinkState {
    Vec3 w = Vec3::Zero(), v = Vec3::Zero(), alpha = Vec3::Zero(), a = Vec3::Zero();
  };
  /// A term's point (or direction) and weight as they move: world axes, acceleration less gravity.
  struct TermMotion {
    Vec3 offset;  ///< from the link's origin
    Vec3 x, v, a;
    Taylor2<double> c;  ///< weight, and its rates in time
    /// ∂c/∂q by the coordinate of each factor, and their rates in time.
    std::array<Taylor2<double>, PathTerm::kMaxWeights> by;
    /// ∂²c/∂q² by the coordinates of two factors.
    Eigen::Matrix<double, PathTerm::kMaxWeights, PathTerm::kMaxWeights> second;
  };

  void validate(const Skeleton& skeleton) const;
  void validate_points(const Skeleton& skeleton) const;
  void validate_mass() const;
  void index_coordinates(const Skeleton& skeleton);
  bool moves(size_t local, int link) const { return moves_[local][static_cast<size_t>(link)]; }
  LinkState link_state(const SkeletonAt& in, const double* qddot, MuscleView view, int link) const;
  void weigh(const SkeletonAt& in, const double* qddot, MuscleView view, const Term& term,
             TermMotion& out) const;
  TermMotion motion_of(const SkeletonAt& in, const double* qddot, MuscleView view,
                       const Term& term) const;
  Vec3 column(const SkeletonAt& in, size_t local, const Term& term, const Vec3& x) const;
  void update_points(const SkeletonAt& in, const double* qddot, MuscleView view,
                     SpanPathWorkspace& ws) const;
  void update_spans(const SkeletonAt& in, const double* qddot, MuscleView view,
                    SpanPathWorkspace& ws) const;
  void update_axes(const SkeletonAt& in, const double* qddot, const DerivativeWorkspace& dws,
                   SpanPathWorkspace& ws) const;
  void differentiate_points(const SkeletonAt& in, const double* qddot, SpanPathWorkspace& ws) const;
  void seed(const SkeletonAt& in, const SpanPathWorkspace& ws, size_t local, bool by_rate,
            size_t direction, std::vector<SpanMotion<Chunk>>& motion) const;
  void scatter(const SkeletonAt& in, const double* qddot, const SpanPathWorkspace& ws, size_t local,
               bool by_rate, size_t direction, MatRef out) const;

  Muscle muscle_;
  std::shared_ptr<const MuscleBlock> spanned_;
  std::vector<std::vector<Term>> points_;
  std::vector<Frame> frames_;
  std::vector<int> dofs_, link_of_dof_;
  std::vector<std::vector<char>> moves_;  ///< per local dof: whether it moves a link
};

/// Paths of muscles, null for those that have no spans.
using SpanPathList = std::vector<std::shared_ptr<const SpanPath>>;

}  // namespace sinew
