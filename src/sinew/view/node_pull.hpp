#pragma once

#include "sinew/system/system.hpp"

namespace sinew {

/// Where the hand is that pulls a node of strands which moves freely.
struct NodePullInput {
  int dof = -1;  ///< first of the node's coordinates among all; −1: none is pulled
  int node = 0;  ///< its number among the nodes of parts
  Vec3 target_W = Vec3::Zero();  ///< where it shall be [m]
  double stiffness = 0;          ///< [N/m]
  double damping = 0;            ///< [N s/m]

  static constexpr int kControls = 7;
  /// As controls of a NodePull, and back.
  std::array<double, kControls> to_controls() const;
  static NodePullInput FromControls(const double* controls);
};

/// f = k (x* − x) − d ẋ on the three coordinates of a node. A part, because forces reach the
/// coordinates of the skeleton alone.
class NodePull final : public Part {
 public:
  explicit NodePull(std::string name) : name_(std::move(name)) {}

  std::string element_with(Feature) const override { return name_; }
  void add_forces(const PartAt& at, ForceForm how, PartScratch& scratch,
                  AppliedForces& out) const override;
  void add_force_derivatives(const PartAt& at, const double* qddot, StiffnessModel kind,
                             const DerivativeWorkspace& dws, PartScratch& scratch,
                             PartDerivatives& out) const override;
  std::vector<Control> controls() const override;

 private:
  std::string name_;
};

/// Whether a system has nodes to pull.
bool has_free_nodes(const System& system);

/// The pull of a node by its name to `target`, with stiffness and damping as tune_pull's: with the
/// mass of the strands at the node and of its bead, or of what is closest to it alone where steps
/// are explicit. Throws an Error if the node is none, or does not move freely.
NodePullInput pull_of_node(const System& system, const std::string& node, const Vec3& target,
                           double explicit_step);

}  // namespace sinew
