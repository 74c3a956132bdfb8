#pragma once

#include "sinew/strands/node_tree.hpp"

namespace sinew {

/// A section that does not stretch: the distances between its nodes add up to its rest length. Its
/// multiplier is the tension. docs/theory/strands.md, §3.
class FixedLength final : public Constraint {
 public:
  /// `place` is that of the part whose nodes these are.
  FixedLength(std::string name, std::shared_ptr<const NodeTree> tree, std::vector<int> nodes,
              double rest_length, PartPlace place);

  int rows() const override { return 1; }
  void evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const override;
  void add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                ForceDerivatives& out) const override;
  void add_part_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                            PartDerivatives& out) const override;
  /// "tension" [N].
  std::vector<Measurement> measure(const SkeletonAt& in,
                                   std::span<const double> lambda) const override;
  void validate(const Skeleton&) const override {}  // its part has checked it

 private:
  /// From a node to the next, and the inverse of the length times the part across it.
  struct Piece;
  Piece piece(const SkeletonAt& in, size_t node) const;
  /// Adds c · ẋ of a node to a row.
  void add_terms(const SkeletonAt& in, int node, const Vec3& c, const Vec3& cdot, int row,
                 ConstraintRows& out) const;
  /// Calls f(rigid node, its weight) for what a node is made of.
  template <class F>
  void for_each_rigid(const SkeletonAt& in, int node, double weight, F&& f) const;
  /// ∂L/∂x of a node.
  Vec3 gradient(const SkeletonAt& in, size_t node) const;
  /// ∂²L/∂x² between two nodes, which are the same or neighbours.
  Mat3 curvature(const SkeletonAt& in, size_t a, size_t b) const;
  /// Adds f · ∂²x/∂q² of a shaped node where coordinates of the part are involved.
  void add_bending(const SkeletonAt& in, int node, const Vec3& f, PartDerivatives& out) const;

  std::shared_ptr<const NodeTree> tree_;
  std::vector<int> nodes_;
  double rest_length_;
  PartPlace place_;
};

}  // namespace sinew
