#pragma once

#include "sinew/strands/strand_route.hpp"
#include "sinew/strands/strand_section.hpp"

namespace sinew {

/// The distance that a closed strand has run, added to the length of a part of it that ends on a
/// rim.
struct RunTerm {
  int node = -1;  ///< its x is that distance; −1: no such term
  double sign = 0;
};

/// A section that does not stretch: the lengths of its pieces add up to its rest length. Its
/// multiplier is the tension. docs/theory/strands.md, §3.
class FixedLength final : public Constraint {
 public:
  /// `place` is that of the part whose nodes these are; `windings` are those of its pieces.
  FixedLength(std::string name, std::shared_ptr<const NodeTree> tree, std::vector<int> nodes,
              StrandSection section, std::vector<WindingAngle> windings, RunTerm run,
              PartPlace place);

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
  /// A piece with the velocities of its nodes.
  struct Piece : PieceLength {
    std::array<Vec3, kMaxNodes> v;
  };
  void update_piece(const SkeletonAt& in, size_t piece, bool curvature, Piece& out) const;
  /// The k-th node of a piece.
  int node_of(size_t piece, int k) const { return nodes_[section_.piece_node(piece, k)]; }
  size_t pieces() const { return static_cast<size_t>(section_.piece_count()); }
  /// Adds c · ẋ of a node to a row.
  void add_terms(const SkeletonAt& in, int node, const Vec3& c, const Vec3& cdot, int row,
                 ConstraintRows& out) const;
  /// Calls f(rigid node, its weight) for what a node is made of.
  template <class F>
  void for_each_rigid(const SkeletonAt& in, int node, double weight, F&& f) const;
  /// Adds f · ∂²x/∂q² of a shaped node where coordinates of the part are involved.
  void add_bending(const SkeletonAt& in, int node, const Vec3& f, PartDerivatives& out) const;

  std::shared_ptr<const NodeTree> tree_;
  std::vector<int> nodes_;
  StrandSection section_;
  std::vector<WindingAngle> windings_;
  RunTerm run_;
  PartPlace place_;
};

}  // namespace sinew
