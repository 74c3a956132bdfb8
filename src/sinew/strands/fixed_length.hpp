#pragma once

#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/constraint.hpp"
#include "sinew/dynamics/part.hpp"

namespace sinew {

/// A node of strands as rows of constraints need it.
struct RowNode {
  int free = -1;            ///< index among the part's nodes; −1: on a body
  BodyIndex body = kWorld;  ///< of a node on a body
  Vec3 x_B = Vec3::Zero();
  std::vector<int> dofs = {}, links = {};  ///< coordinates that move it
};

/// A section that does not stretch: the distances between its nodes add up to its rest length. Its
/// multiplier is the tension. docs/theory/strands.md, §3.
class FixedLength final : public Constraint {
 public:
  /// `place` is that of the part whose nodes these are.
  FixedLength(std::string name, std::vector<RowNode> nodes, double rest_length, PartPlace place);

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
  AttachedPoint point(const SkeletonAt& in, size_t node) const;
  /// From a node to the next, and the inverse of the length times the part across it.
  struct Piece;
  Piece piece(const SkeletonAt& in, size_t node) const;
  /// ∂x/∂q of a node on a body by its coordinate `d`.
  Vec3 column(const SkeletonAt& in, size_t node, size_t d) const;
  /// ∂²L/∂x² between two nodes, which are the same or neighbours.
  Mat3 curvature(const SkeletonAt& in, size_t a, size_t b) const;

  std::vector<RowNode> nodes_;
  double rest_length_;
  PartPlace place_;
};

}  // namespace sinew
