#pragma once

#include "sinew/muscles/path/path_dynamics.hpp"
#include "sinew/strands/piece_length.hpp"
#include "sinew/strands/strand.hpp"

/// A section of a strand: the stretch between two material nodes that follow each other, with the
/// virtual nodes between them. It has one tension and one strain, and is a function of the world
/// positions x, velocities v and accelerations a of its nodes. Where it runs around a surface, the
/// frame of that surface is four more nodes: see PieceLength. A closed strand is one section, whose
/// first node is its last; the x of one more node is the distance that it has run. Where a guide
/// has friction, the x of a further node is the material there: on both sides of it, in two zones
/// of the section, strains and tensions differ. Derivation: docs/theory/strands.md.

namespace sinew {

/// The motion of a section's nodes, in order; world axes.
struct SectionMotion {
  std::vector<Vec3> x, v, a;
  /// Of each piece: the angle that it is expected to be wound around its pulley, to half a turn
  /// [rad]. Not read where there is none.
  std::vector<double> wound = {};

  double expected(size_t piece) const { return piece < wound.size() ? wound[piece] : 0; }
};

/// A zone between guides with friction: its strain, its tension, and without damping its tension
/// and its energy per rest length.
template <class T>
struct ZoneStretch {
  T strain, tension, elastic, energy;
};

/// Scratch for sections that are not plain, one section at a time. Disposable.
struct SectionWorkspace {
  template <class T>
  struct Kernel {
    std::vector<Point<T>> x, v, a, f;  ///< of all nodes; the forces that these require
    std::vector<SpanMotion<T>> motion;
    std::vector<SpanForce<T>> forces;
    PathFlow<T> flow;  ///< of closed sections
    // of sections with friction
    std::vector<PathBreak<T>> breaks;
    std::vector<ZoneStretch<T>> zones;
    std::vector<T> tension;
    PathDynamics<T> path;
  };
  std::vector<SpanSolution> solutions;
  Kernel<double> plain;
  Kernel<Chunk> differentiated;
  VecX dL, dc;  ///< gradients of the length, and of the arc length of a span's start
  std::array<Eigen::Matrix3Xd, 2> J;  ///< of two material points, by all nodes
};

/// What a section requires of its nodes: M a + … − pull, three entries each, and its derivatives.
struct SectionTerms {
  VecX f;
  MatX M, K, D;  ///< ∂f/∂a, ∂f/∂x, ∂f/∂v
};

/// How coordinates q move the nodes of a section: three rows for each node, a column for each
/// coordinate. ∂v/∂q̇ = J and ∂a/∂q̇ = 2 J̇.
struct SectionColumns {
  MatX J, Jdot, Jddot;  ///< ∂x/∂q, ∂v/∂q, ∂a/∂q
};

/// The length of a section and its tension.
struct SectionPull {
  double length = 0, rate = 0;           ///< [m, m/s]
  double shortest = 0;                   ///< of its pieces [m]
  size_t closest = 0;                    ///< the piece that is that short
  SpanStatus status = SpanStatus::free;  ///< the worst of them
  size_t worst = 0;                      ///< the piece that has it
  Stretch stretch;
};

/// A piece of a section whose pulley has friction.
struct SectionSlip {
  size_t piece;
  GuideFriction friction;
};

/// The stretch of a section from one guide with friction to the next, or to its end.
struct ZonePull {
  double length = 0, rest_length = 0;  ///< [m]
  Stretch stretch;
};

/// What a guide does to a section by friction.
struct GuideSlip {
  double speed = 0;     ///< of the material against the rim, along the strand [m/s]
  double force = 0;     ///< by which the tension behind the guide is larger [N]
  double slope = 0;     ///< ∂force/∂speed [N s/m]
  double most = 0;      ///< without creep: the largest force of friction [N]
  double stretch = 1;   ///< length per rest length that slides
  bool lifted = false;  ///< the strand does not touch the guide
};

/// The tensions of a section with friction.
struct SlidingPull {
  std::vector<ZonePull> zones;
  std::vector<GuideSlip> slips;
  double power = 0;   ///< of damping and friction, ≤ 0 [W]
  double energy = 0;  ///< elastic [J]
};

class StrandSection {
 public:
  /// Between the material `begin` and `end` of a strand; `surfaces` has one for each of its pieces,
  /// or none where that is straight. `slips` are in order; only elastic sections have them.
  StrandSection(const Strand& strand, double begin, double end,
                const std::vector<std::optional<Wrap>>& surfaces,
                std::vector<SectionSlip> slips = {});

  /// Says which of its nodes' entries, three each, ever move: derivatives by others are left zero.
  void leave_out_still(const std::vector<char>& moves);
  /// Its nodes: those on the strand, both ends included, then four for each surface, then that of a
  /// closed one, then one for each guide with friction.
  int node_count() const { return nodes_; }
  int piece_count() const { return static_cast<int>(frames_.size()); }
  /// Writes the length of a piece.
  void update_piece(const SectionMotion& at, size_t piece, bool curvature, PieceLength& out) const;
  /// The surface of a piece; null: straight.
  const Wrap* surface(size_t piece) const {
    return frames_[piece] < 0 ? nullptr : &path().spans[piece].wrap;
  }
  /// The node of the section that is the k-th of a piece.
  size_t piece_node(size_t piece, int k) const {
    return k < 2 ? piece + static_cast<size_t>(k) : static_cast<size_t>(frames_[piece] + k - 2);
  }
  /// The number of nodes on the strand, both ends included.
  size_t stop_count() const { return frames_.size() + 1; }
  double rest_length() const { return rest_length_; }
  double mass() const { return density_ * rest_length_; }
  /// Straight between two material nodes: its mass matrix is constant.
  bool is_plain() const { return nodes_ == 2; }
  bool is_elastic() const { return elastic_; }
  bool is_closed() const { return run_ >= 0; }
  /// Whether a guide has friction on it.
  bool is_sliding() const { return !slips_.empty(); }
  const std::vector<SectionSlip>& slips() const { return slips_; }
  /// The zone that a piece starts in.
  size_t zone_of(size_t piece) const;
  /// Whether it has mass, or slips with inertia.
  bool has_inertia() const;
  bool has_velocity_terms() const { return velocity_terms_; }
  bool is_lumped() const { return lumped_; }
  /// Whether gravity acts on its mass.
  bool has_gravity() const { return gravity_; }

  /// The way of a piece around its surface, in the frame of that, and that frame in the world.
  SpanShape<double> path_of(const SectionMotion& at, size_t piece) const;
  Pose frame_of(const SectionMotion& at, size_t piece) const;

  /// Of a section with friction only the lengths: see update_sliding.
  SectionPull pull(const SectionMotion& at) const;
  /// Writes f and, if `derivatives`, K and D of the pull. `definite` leaves out what could make K
  /// indefinite. Not for sections with friction.
  void update_pull(const SectionMotion& at, bool derivatives, bool definite,
                   SectionTerms& out) const;
  /// The same for sections with friction: tensions, and f.
  void update_sliding(const SectionMotion& at, SectionWorkspace& ws, SlidingPull& now,
                      SectionTerms& out) const;
  /// Writes K and D. Needs update_sliding at the same place.
  void update_sliding_derivatives(const SectionMotion& at, bool definite, const SlidingPull& now,
                                  SectionWorkspace& ws, SectionTerms& out) const;

  /// Writes ∂(speed of slip)/∂v of all nodes at a guide, the force that friction of 1 N requires.
  /// Needs update_sliding at the same place.
  void update_slip_row(size_t guide, const SlidingPull& now, SectionWorkspace& ws,
                       VecRef out) const;

  /// Writes f of the mass under gravity, and M unless it is not asked for. If it has no velocity
  /// terms, v must be zero.
  void update_inertia(const SectionMotion& at, const Vec3& gravity, SectionWorkspace& ws,
                      SectionTerms& out, bool with_mass = true) const;
  /// Writes K and D of it, and M = ∂f/∂a for accelerations that no body could have, too: the frame
  /// of a surface is taken for four free nodes by the chain rule. Needs update_inertia.
  void update_inertial_derivatives(const SectionMotion& at, const Vec3& gravity,
                                   SectionWorkspace& ws, SectionTerms& out) const;
  /// The same by coordinates, which may be fewer: M = Jᵀ ∂f/∂a J.
  void update_reduced_mass(const SectionMotion& at, const Vec3& gravity,
                           const SectionColumns& columns, SectionWorkspace& ws, MatX& M) const;
  /// Writes M, K = Jᵀ ∂f/∂q and D = Jᵀ ∂f/∂q̇ of the mass. Without `rates` J̇ and J̈ do not count.
  void update_reduced_inertia(const SectionMotion& at, const Vec3& gravity,
                              const SectionColumns& columns, bool rates, SectionWorkspace& ws,
                              SectionTerms& out) const;
  /// The same of the pull, and f of its nodes. `definite` as in update_pull; J̇ does not count then.
  void update_reduced_pull(const SectionMotion& at, bool definite, const SectionColumns& columns,
                           SectionTerms& out) const;
  /// Adds kinetic energy and that of gravity [J].
  void add_energy(const SectionMotion& at, const Vec3& gravity, SectionWorkspace& ws,
                  double& kinetic, double& potential) const;
  /// A place of its material: the piece that has it, where it is, and ∂x/∂(all nodes) at constant
  /// material. Only for places on straight stretches.
  struct MaterialPoint {
    size_t piece = 0;
    Vec3 x = Vec3::Zero();
    Eigen::Matrix3Xd X;
  };
  void update_material_point(const SectionMotion& at, double s, MaterialPoint& out) const;
  /// Where the strand comes to a stop or a surface between its ends, and where it goes on, by arc
  /// length from the section's start; in order. Appends to `out`; returns the section's length.
  struct Obstruction {
    double entry, exit;
    size_t piece;  ///< that ends there, or has the surface
  };
  double append_obstructions(const SectionMotion& at, std::vector<Obstruction>& out) const;
  /// For sections whose ends change: the material between them, from now on. Allocates nothing.
  void set_material(double begin, double end);
  /// Material coordinates of the nodes, from the strand's start.
  void material(const SectionMotion& at, std::vector<double>& s) const;

 private:
  /// Where the entries of a node start.
  static Eigen::Index first_of(size_t node) { return 3 * static_cast<Eigen::Index>(node); }
  MuscleView view() const { return velocity_terms_ ? MuscleView::moving : MuscleView::at_rest; }
  /// Writes the motion of all nodes for the kernel, then that of its spans from it.
  template <class T>
  void place_nodes(const SectionMotion& at, SectionWorkspace& ws,
                   SectionWorkspace::Kernel<T>& kernel) const;
  template <class T>
  void place_spans(const Vec3& gravity, SectionWorkspace::Kernel<T>& kernel) const;
  template <class T>
  void place_breaks(SectionWorkspace::Kernel<T>& kernel) const;
  void solve_spans(const SectionMotion& at, SectionWorkspace& ws) const;
  /// Runs the kernel on these and writes the forces on nodes.
  template <class T>
  void run(const SectionWorkspace& ws, SectionWorkspace::Kernel<T>& kernel) const;
  /// The same for tensions and friction; with plain numbers it also writes `now`.
  template <class T>
  void run_sliding(const SectionWorkspace& ws, SectionWorkspace::Kernel<T>& kernel,
                   SlidingPull* now) const;
  /// Places the zones and evaluates their tensions.
  template <class T>
  void stretch_zones(const SectionWorkspace& ws, SectionWorkspace::Kernel<T>& kernel,
                     SlidingPull* now) const;
  /// The force of friction at a guide, required along the rim; `slip` is the stretch of material.
  template <class T>
  T friction_at(size_t guide, const T& stretch, const SectionWorkspace::Kernel<T>& kernel,
                GuideSlip* now) const;
  /// How fast the middle of an arc moves along the rim of its pulley.
  template <class T>
  T rim_speed(size_t guide, const SectionWorkspace::Kernel<T>& kernel) const;
  /// Adds a force on it.
  template <class T>
  void push_rim(size_t guide, const T& force, SectionWorkspace::Kernel<T>& kernel) const;
  void write_forces(const SectionWorkspace::Kernel<double>& kernel, VecRef out) const;
  void clear_slips(SectionWorkspace::Kernel<double>& kernel) const;
  void sliding_material(const SectionMotion& at, std::vector<double>& s) const;
  void add_definite(const SectionMotion& at, const SlidingPull& now, SectionWorkspace& ws,
                    SectionTerms& out) const;
  /// From spans to nodes.
  template <class T>
  void collect(SectionWorkspace::Kernel<T>& kernel) const;
  /// Writes ∂f/∂(x, v or a) of all nodes.
  enum class Seed { x, v, a };
  enum class Terms { inertia, sliding };
  void differentiate(const SectionMotion& at, const Vec3& gravity, Terms of, Seed by,
                     SectionWorkspace& ws, MatX& out) const;
  /// A motion of all nodes for each column; null: none.
  struct Directions {
    const MatX *x = nullptr, *v = nullptr, *a = nullptr;
    double scale_a = 1;
  };
  /// Writes Jᵀ ∂f along them.
  void differentiate_along(const SectionMotion& at, const Vec3& gravity, const MatX& J,
                           const Directions& along, SectionWorkspace& ws, MatX& out) const;
  const Muscle& path() const { return paths_.front(); }
  const Muscle& bare_path() const { return paths_.back(); }
  /// The gravity that acts on it.
  Vec3 weight(const Vec3& gravity) const { return gravity_ ? gravity : Vec3(Vec3::Zero()); }
  void update_columns(const SectionMotion& at, const PathSample<double>& sample,
                      SectionWorkspace& ws, Eigen::Matrix3Xd& J) const;
  void update_mass(const SectionMotion& at, SectionWorkspace& ws, MatX& M) const;

  int nodes_;
  std::vector<Eigen::Index> seeds_;  ///< entries of nodes that derivatives are taken by
  std::vector<int> frames_;  ///< of each piece: the first node of its surface's frame; −1: straight
  int run_ = -1;             ///< of a closed section: the node whose x is the distance run
  int first_slip_ = -1;      ///< the first of the nodes whose x is material at a guide
  std::vector<SectionSlip> slips_;
  double begin_, rest_length_;
  bool elastic_, lumped_, velocity_terms_, gravity_;
  StretchLaw law_;
  double density_;
  /// The section as the kernel of muscles sees it; of sections with friction then the same without
  /// mass. None of plain ones: long ropes have many.
  std::vector<Muscle> paths_;
};

}  // namespace sinew
