#pragma once

#include "sinew/dynamics/part.hpp"
#include "sinew/model/shape.hpp"

namespace sinew {

/// Measures how far a body's shapes are from a plane of another body: a column of the table "gaps",
/// the height of the lowest point over the plane [m], negative below it. No force, no mass.
class Gap final : public Part {
 public:
  struct Spec {
    std::string name;  ///< of the column
    BodyIndex body;
    std::vector<ShapePart> shapes;  ///< of the body; at least one
    BodyIndex base;                 ///< has the plane, in its own frame
    Vec3 point, normal;             ///< unit normal
  };
  explicit Gap(Spec spec) : spec_(std::move(spec)) {}

  void add_forces(const PartAt&, ForceForm, PartScratch&, AppliedForces&) const override {}
  void add_force_derivatives(const PartAt&, const double*, StiffnessModel,
                             const DerivativeWorkspace&, PartScratch&,
                             PartDerivatives&) const override {}
  std::vector<PartColumns> columns() const override { return {{"gaps", {spec_.name}}}; }
  void measure(const PartAt& at, PartScratch& scratch, std::vector<double>& out) const override;
  void recall(std::span<const double>, VecRef) const override {}

 private:
  Spec spec_;
};

/// The smallest n·x of the points x of a shape, both in the shape's frame.
double lowest(const Shape& shape, const Vec3& n);

}  // namespace sinew
