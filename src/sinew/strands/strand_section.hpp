#pragma once

#include "sinew/muscles/path/path_dynamics.hpp"
#include "sinew/strands/strand.hpp"

/// A section of a strand: the stretch between two material nodes that follow each other, with the
/// virtual nodes between them. It has one tension and one strain, and is a function of the world
/// positions x, velocities v and accelerations a of its nodes. Derivation: docs/theory/strands.md.

namespace sinew {

/// The motion of a section's nodes, in order; world axes.
struct SectionMotion {
  std::vector<Vec3> x, v, a;
};

/// Scratch for sections with virtual nodes, one section at a time. Disposable.
struct SectionWorkspace {
  template <class T>
  struct Kernel {
    std::vector<SpanMotion<T>> motion;
    std::vector<SpanForce<T>> forces;
    PathDynamics<T> path;
  };
  std::vector<SpanSolution> solutions;  ///< all straight
  Kernel<double> plain;
  Kernel<Chunk> differentiated;
  VecX dL, dc;  ///< gradients of the length, and of the arc length of a span's start
};

/// What a section requires of its nodes: M a + … − pull, three entries each, and its derivatives.
struct SectionTerms {
  VecX f;
  MatX M, K, D;  ///< ∂f/∂a, ∂f/∂x, ∂f/∂v
};

/// The length of a section and its tension.
struct SectionPull {
  double length = 0, rate = 0;  ///< [m, m/s]
  double shortest = 0;          ///< of its pieces [m]
  Stretch stretch;
};

class StrandSection {
 public:
  /// Between the material `begin` and `end` of a strand; `nodes` counts both ends.
  StrandSection(const Strand& strand, double begin, double end, int nodes);

  int node_count() const { return nodes_; }
  double rest_length() const { return rest_length_; }
  double mass() const { return path_.mass; }
  /// Straight between two material nodes: its mass matrix is constant.
  bool is_plain() const { return nodes_ == 2; }
  bool has_velocity_terms() const { return velocity_terms_; }
  bool is_lumped() const { return lumped_; }
  /// Whether gravity acts on its mass.
  bool has_gravity() const { return gravity_; }
  /// The entries of a plain section's mass matrix: of a node with itself, with the other [kg].
  double own_mass() const { return lumped_ ? mass() / 2 : mass() / 3; }
  double shared_mass() const { return lumped_ ? 0 : mass() / 6; }

  SectionPull pull(const SectionMotion& at) const;
  /// Writes f and, if `derivatives`, K and D of the pull. `definite` leaves out what could make K
  /// indefinite.
  void update_pull(const SectionMotion& at, bool derivatives, bool definite,
                   SectionTerms& out) const;

  /// Writes f of the mass under gravity, and M. If it has no velocity terms, v must be zero.
  void update_inertia(const SectionMotion& at, const Vec3& gravity, SectionWorkspace& ws,
                      SectionTerms& out) const;
  /// Writes K and D of it. Needs update_inertia.
  void update_inertial_derivatives(const SectionMotion& at, const Vec3& gravity,
                                   SectionWorkspace& ws, SectionTerms& out) const;
  /// Adds kinetic energy and that of gravity [J].
  void add_energy(const SectionMotion& at, const Vec3& gravity, SectionWorkspace& ws,
                  double& kinetic, double& potential) const;
  /// Material coordinates of the nodes, from the strand's start.
  void material(const SectionMotion& at, std::vector<double>& s) const;

 private:
  MuscleView view() const { return velocity_terms_ ? MuscleView::moving : MuscleView::at_rest; }
  template <class T>
  void begin(const SectionMotion& at, const Vec3& gravity, SectionWorkspace& ws,
             SectionWorkspace::Kernel<T>& kernel) const;
  /// The gravity that acts on it.
  Vec3 weight(const Vec3& gravity) const { return gravity_ ? gravity : Vec3(Vec3::Zero()); }
  void update_mass(const SectionMotion& at, SectionWorkspace& ws, MatX& M) const;

  int nodes_;
  double begin_, rest_length_;
  bool elastic_, lumped_, velocity_terms_, gravity_;
  StretchLaw law_;
  Muscle path_;  ///< the section as the kernel of muscles sees it
};

}  // namespace sinew
