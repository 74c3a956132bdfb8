#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sinew/dynamics/applied_forces.hpp"
#include "sinew/dynamics/control.hpp"
#include "sinew/dynamics/moving_shape.hpp"

namespace sinew {

struct ContactPlane;

/// The state a force element sees. Needs update_kinematics at (q, qdot).
struct SkeletonAt {
  SkeletonAt(const Skeleton& of, double time, const ConstVecRef& coordinates,
             const ConstVecRef& rates, const SkeletonWorkspace& workspace)
      : SkeletonAt(of, time, view(coordinates), view(rates), workspace) {}
  SkeletonAt(const Skeleton& of, double time, const VecView& coordinates, const VecView& rates,
             const SkeletonWorkspace& workspace)
      : skeleton(of), t(time), q(coordinates), qdot(rates), ws(workspace) {}

  const Skeleton& skeleton;
  double t;
  VecView q, qdot;  ///< the skeleton's, then those of the system's parts (Part)
  const SkeletonWorkspace& ws;
  const double* controls = nullptr;  ///< the element's own: Force::controls
};

/// Derivatives of forces. For a displacement ξ_b of link b (rotation; translation of its origin)
/// and a change ν_b of its twist beyond turning along with it, both world axes about the link's
/// origin, the wrench on link a changes by
///     K_ab ξ_b + D_ab ν_b
/// **beyond turning with link a**: K and D are seen from the links, i.e. they are the derivatives
/// of the wrench's components in the frame of a, at constant components of the twists
/// in theirs. A wrench that merely rides along (a follower force) has K = 0; its effect through the
/// moving axes of the joints is added for all forces together where K and D are projected to
/// coordinates (docs/theory/derivatives.md).
struct ForceDerivatives {
  explicit ForceDerivatives(const Skeleton& skeleton);
  void set_zero();

  struct Pair {
    int a = 0, b = 0;  ///< links, a ≠ b
    Mat6 K, D;
  };
  std::vector<Mat6> K, D;     ///< per link: K_aa and D_aa
  std::vector<char> touched;  ///< per link: whether K_aa or D_aa is not zero
  std::vector<Pair> pairs;    ///< K_ab and D_ab between different links
  VecX dtau_dq, dtau_dqdot;   ///< for generalised forces on single coordinates
  struct CoordinatePair {
    int i = 0, j = 0;
    double K = 0;  ///< ∂τ_i/∂q_j, i ≠ j
  };
  std::vector<CoordinatePair> coordinate_pairs;  ///< for forces that couple coordinates

  void add(int a, int b, const Mat6& K_ab, const Mat6& D_ab);
};

/// The derivatives that linearly implicit Euler uses. `reference` keeps to those of the public
/// REDMAX implementation: stiffness of springs symmetrised, none for world forces, gravity and
/// velocity terms. `definite` also omits terms that could make the matrix of a step indefinite: for
/// springs the part across them if they are compressed, and the turning of their ends.
enum class StiffnessModel { exact, redmax, definite };

/// Whether pictures show a force as an arrow on each link that it acts on.
struct ForceArrow {
  bool drawn = false;
  const ContactPlane* from = nullptr;  ///< contacts: the plane that pushes
};

/// Something that gradients of runs cannot pass.
struct Obstacle {
  std::string reason;  ///< "jumps where the damper of a stop sets in"; empty: none
  std::string remedy;
};

/// A force element: the one extension point of forces. Elements are immutable and hold no scratch.
class Force {
 public:
  explicit Force(std::string name) : name_(std::move(name)) {}
  virtual ~Force() = default;

  const std::string& name() const { return name_; }

  /// Adds wrenches, generalised forces and, for the part that is not the gradient of
  /// `potential_energy`, the power.
  virtual void add_force(const SkeletonAt& in, AppliedForces& out) const = 0;
  /// Adds K and D of add_force.
  virtual void add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                               ForceDerivatives& out) const = 0;
  /// [J]; zero for forces that store no energy.
  virtual double potential_energy(const SkeletonAt&) const { return 0; }
  /// Inputs that may be set; in.controls has their values, in this order.
  virtual std::vector<Control> controls() const { return {}; }
  /// Adds the derivatives of its generalised force on all coordinates by its controls, a column
  /// each. Throws an Error unless overridden: only forces with controls are asked.
  virtual void add_control_derivatives(const SkeletonAt& in, MatRef columns) const;
  /// Why gradients of runs with it would be wrong, and what would be right; empty if they are not.
  virtual Obstacle obstacle() const { return {}; }
  /// The number of the smooth piece of its law that holds here. Where that changes the force bends:
  /// gradients of runs pass such kinks, and count them.
  virtual int piece(const SkeletonAt&) const { return 0; }
  /// Times at which the force jumps, except by controls [s]; adaptive integrators stop there.
  virtual std::vector<double> breakpoints() const { return {}; }
  /// Throws an Error naming this element if its parameters make no sense on `skeleton`.
  virtual void validate(const Skeleton& skeleton) const = 0;
  virtual ForceArrow arrow() const { return {}; }
  /// Its shapes for drawing.
  virtual std::vector<MovingShape> shapes() const { return {}; }
  /// Appends the points of its shapes one after the other, three numbers each, world frame.
  virtual void draw(const SkeletonAt& /*in*/, std::vector<double>& /*points*/) const {}

 private:
  std::string name_;
};

/// Appends a point of a body to the points of a shape.
void draw_point(const SkeletonAt& in, BodyIndex body, const Vec3& x_B, std::vector<double>& points);

using ForceList = std::vector<std::shared_ptr<const Force>>;

}  // namespace sinew
