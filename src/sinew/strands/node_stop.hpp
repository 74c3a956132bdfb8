#pragma once

#include "sinew/dynamics/constraint.hpp"

namespace sinew {

/// The coordinate of a node on a curve, as a row: the limit that keeps it on the curve.
class NodeStop final : public Constraint {
 public:
  /// `dof` is its index among all coordinates.
  NodeStop(std::string name, int dof) : Constraint(std::move(name)), dof_(dof) {}

  int rows() const override { return 1; }
  bool needs_kinematics() const override { return false; }
  void evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const override {
    out.add_coordinate(row, dof_, 1, 0);
    out.value[row] = in.q[dof_];
    out.rate[row] = out.bias[row] = 0;
  }
  void add_reaction_derivatives(const SkeletonAt&, std::span<const double>,
                                ForceDerivatives&) const override {}  // linear
  /// "force", on the node's coordinate.
  std::vector<Measurement> measure(const SkeletonAt&,
                                   std::span<const double> lambda) const override {
    return {{"force", -lambda[0]}};
  }
  void validate(const Skeleton&) const override {}  // its part has checked it

 private:
  int dof_;
};

}  // namespace sinew
