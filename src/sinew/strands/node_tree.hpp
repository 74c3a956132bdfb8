#pragma once

#include <functional>

#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/part.hpp"
#include "sinew/strands/strand.hpp"

/// The nodes of strands, and what moves them: docs/theory/strands.md, §1.

namespace sinew {

/// A coordinate that moves a node.
struct NodeCoordinate {
  int dof = -1;    ///< of the skeleton; −1: one of the part's own
  int mover = -1;  ///< otherwise the number of its mover
  int entry = 0;   ///< and its place there
  int column = 0;  ///< among the node's columns
};

/// All nodes of a part. Nodes that have coordinates of their own are its *movers*, in order: each
/// is a node of one to three coordinates in the part's layout. Immutable.
class NodeTree {
 public:
  /// A node's place in the system.
  struct Place {
    int mover = -1;             ///< its own; −1: none
    bool free = false;          ///< moves freely: its own coordinates are its position
    BodyIndex body = kWorld;    ///< of a rigid node,
    Vec3 x_B = Vec3::Zero();    ///< its point there,
    int link = -1;              ///< and its link; −1: not rigid
    double bead = 0;            ///< its own mass [kg]
    std::vector<int> controls;  ///< nodes of a shape
    /// Coordinates of the skeleton that move it, and their links; then movers, three columns each.
    std::vector<int> dofs, links, movers;
    /// For each control point, where its columns are among these.
    std::vector<std::vector<int>> columns;
    /// All of them without the columns beyond a mover's size.
    std::vector<NodeCoordinate> coordinates;

    bool shaped() const { return !free && link < 0; }
    Eigen::Index column_count() const {
      return static_cast<Eigen::Index>(dofs.size() + 3 * movers.size());
    }
  };
  struct Mover {
    int node = 0;             ///< the node whose coordinates these are
    int first = 0, size = 0;  ///< among the part's coordinates
  };

  /// Throws an Error naming the node at fault.
  NodeTree(const Skeleton& skeleton, std::vector<StrandNode> nodes);

  const std::vector<StrandNode>& nodes() const { return nodes_; }
  const Place& place(int node) const { return places_[static_cast<size_t>(node)]; }
  const ShapedNode& shape(int node) const {
    return std::get<ShapedNode>(nodes_[static_cast<size_t>(node)].place);
  }
  const std::vector<Mover>& movers() const { return movers_; }
  int dof_count() const { return movers_.empty() ? 0 : movers_.back().first + movers_.back().size; }
  /// Shaped nodes, each after its control points.
  const std::vector<int>& shaped() const { return shaped_; }
  /// The coordinates of a shaped node, in a vector of the part's own that starts at `own`.
  Eigen::Vector2d coordinates(int node, const double* own) const;
  /// Calls f(node of the control point, its NodeWeight) for the control points of a shaped node.
  template <class F>
  void for_each_control(int node, const Eigen::Vector2d& u, F&& f) const {
    const std::vector<int>& controls = place(node).controls;
    for_each_weight(shape(node).shape, controls.size(), u,
                    [&](const NodeWeight& w) { f(controls[w.control], w); });
  }

  // One node by itself, for rows of constraints, which hold no scratch. `dof` is where the part's
  // coordinates start. Needs update_kinematics.
  struct Motion {
    Vec3 x = Vec3::Zero(), v = Vec3::Zero();
  };
  Motion motion(const SkeletonAt& in, int dof, int node) const;
  /// ∂x/∂(coordinate).
  Vec3 column(const SkeletonAt& in, int dof, int node, const NodeCoordinate& by) const;
  /// A shaped node's own columns ∂x/∂u, and their rates.
  struct OwnColumns {
    Eigen::Matrix<double, 3, 2> X = Eigen::Matrix<double, 3, 2>::Zero(), Xdot = X;
  };
  OwnColumns own_columns(const SkeletonAt& in, int dof, int node) const;

 private:
  void place_node(const Skeleton& skeleton, size_t node);
  void place_shaped(size_t node);
  std::vector<NodeCoordinate> list_coordinates(const Place& place) const;

  std::vector<StrandNode> nodes_;
  std::vector<Place> places_;
  std::vector<Mover> movers_;
  std::vector<int> shaped_;
};

/// The rates ẇ and ẅ of a weight along the motion of its coordinates.
struct WeightRates {
  double first, second;
};
WeightRates rates_of(const NodeWeight& weight, const Eigen::Vector2d& udot,
                     const Eigen::Vector2d& uddot);
/// The same for ∂w/∂u (0) or ∂w/∂v (1).
WeightRates rates_of_slope(const NodeWeight& weight, size_t by, const Eigen::Vector2d& udot,
                           const Eigen::Vector2d& uddot);

/// Throws an Error naming the node at fault if control points of nodes make no sense.
void check_nodes(const std::vector<StrandNode>& nodes);
/// Where the nodes of a description start, with bodies where `pose` has them. Needs check_nodes.
std::vector<Vec3> described_positions(const std::vector<StrandNode>& nodes,
                                      const std::function<Pose(BodyIndex)>& pose);

/// Adds to the entry of two coordinates in a matrix; `first` is the part's first node.
void add_entry(const NodeLayout& layout, int first, const NodeCoordinate& row,
               const NodeCoordinate& column, double value, MatX& rr, NodeEntries& nodes);

}  // namespace sinew
