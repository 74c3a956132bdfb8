#pragma once

#include "sinew/deformables/soft_body.hpp"
#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/part.hpp"

/// Deformable bodies as a part of a system: docs/theory/deformables.md, §1.

namespace sinew {

using SoftBodyList = std::vector<std::shared_ptr<const SoftBody>>;

/// Scratch of deformable bodies in a step.
struct SoftScratch final : PartScratch {
  struct Body {
    // positions, velocities and forces of all vertices
    Points x, v, f;
    std::vector<AttachedPoint> attached;  ///< in the order of its attachments
    // derivatives: per block of its pattern
    std::vector<Mat3> K, D;
    std::vector<int> block;  ///< index into the pattern of nodes; −1 if not both are free
    std::vector<int> pair;   ///< between different links: index into `pairs`; otherwise −1
    // per attachment
    std::vector<Eigen::Matrix3Xd> J, Jdot;
  };
  std::vector<Body> bodies;
  std::vector<ForceDerivatives::Pair> pairs;
};

/// The deformable bodies of a system. Its coordinates are the positions of the vertices that are
/// not attached to bodies, three each, body by body.
class SoftBodies final : public Part {
 public:
  /// Checks the bodies against the skeleton and each other. Throws an Error naming one.
  SoftBodies(const Skeleton& skeleton, SoftBodyList bodies);

  const SoftBodyList& bodies() const { return bodies_; }
  /// Index of a vertex among the free ones; −1: attached.
  int free_vertex(size_t body, int vertex) const {
    return free_[body][static_cast<size_t>(vertex)];
  }
  int free_count() const { return static_cast<int>(mass_.size()); }
  /// Mass of a free vertex [kg].
  double mass(int free) const { return mass_[static_cast<size_t>(free)]; }

  /// Positions and velocities of all vertices, into ws.bodies.
  void update_vertices(const PartAt& at, SoftScratch& ws) const;

  std::string element_with(Feature) const override;
  std::unique_ptr<PartScratch> make_scratch() const override;
  int dof_count() const override { return 3 * free_count(); }
  void lay_out(NodeLayout& masses, NodeLayout& all) const override;
  void place(VecRef q, VecRef qdot) const override;
  std::string dof_name(int dof) const override;
  void add_forces(const PartAt& at, ForceForm how, PartScratch& scratch,
                  AppliedForces& out) const override;
  void add_inertial_forces(const PartAt& at, const double* qddot, PartScratch& scratch,
                           InertialForces out) const override;
  void add_mass(const PartAt& at, PartScratch& scratch, MassEntries out) const override;
  void add_force_derivatives(const PartAt& at, const double* qddot, StiffnessModel kind,
                             const DerivativeWorkspace& dws, PartScratch& scratch,
                             PartDerivatives& out) const override;
  PartEnergy energy(const PartAt& at, PartScratch& scratch) const override;
  double force_scale(const PartAt& at, const PartScratch& scratch) const override;
  double mass() const override;
  std::vector<PartColumns> columns() const override;
  void measure(const PartAt& at, PartScratch& scratch, std::vector<double>& out) const override;
  void recall(std::span<const double> values, VecRef q) const override;
  std::vector<MovingShape> shapes() const override;
  void draw(const PartAt& at, PartScratch& scratch, std::vector<double>& points) const override;

 private:
  int link_of_vertex(const SoftBody& body, int vertex) const;
  void add_link_stiffness(const SoftBody& element, StiffnessModel kind, SoftScratch::Body& body,
                          SoftScratch& ws, ForceDerivatives& out) const;
  void add_coupling(const SoftBody& element, size_t body_index, const PartAt& at,
                    StiffnessModel kind, const DerivativeWorkspace& dws, SoftScratch::Body& body,
                    PartDerivatives& out) const;

  Skeleton skeleton_;
  SoftBodyList bodies_;
  std::vector<std::vector<int>> free_;  // per body and vertex
  std::vector<double> mass_;            // per free vertex [kg]
};

/// The skeleton whose bodies carry the masses of the vertices attached to them.
Skeleton with_attached_masses(const Skeleton& skeleton, const SoftBody& body);

}  // namespace sinew
