// Sinew. Native velocities: angle rates; q̇ of the rotation vector, ω = J_r(q) q̇, for a ball; (ṗ
// in the world's axes; the same q̇) for a free joint.
#include "engine.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/constraints/rows/closure.hpp"
#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/core/version.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/math/so3.hpp"
#include "sinew_tree.hpp"

namespace bench {
namespace {

/// External generalised forces, as the other engines take them.
class GivenForce final : public sinew::Force {
 public:
  GivenForce() : Force("given") {}
  void add_force(const sinew::SkeletonAt&, sinew::AppliedForces& out) const override {
    if (tau) out.tau += *tau;
  }
  void add_derivatives(const sinew::SkeletonAt&, sinew::StiffnessModel,
                       sinew::ForceDerivatives&) const override {}
  void validate(const sinew::Skeleton&) const override {}

  const VecX* tau = nullptr;  ///< null: none
};

sinew::Joint to_sinew(const BodySpec& spec) {
  switch (spec.joint) {
    case JointType::revolute:
      return sinew::Revolute(spec.axis);
    case JointType::universal:
      return sinew::Universal{};
    case JointType::spherical:
      return sinew::SphericalExp{};
    case JointType::free:
      return sinew::Free3D{};
  }
  return sinew::Fixed{};
}

}  // namespace

sinew::System sinew_system(const TreeSpec& tree, const sinew::ForceList& forces) {
  sinew::SkeletonBuilder skeleton;
  for (const BodySpec& spec : tree.bodies) {
    sinew::BodySpec body;
    body.name = spec.name;
    if (spec.parent >= 0) body.parent = tree.bodies[static_cast<size_t>(spec.parent)].name;
    body.joint = to_sinew(spec);
    body.E_PJ = sinew::Pose::Translation(spec.offset);
    body.M_B = sinew::SpatialInertia::FromCentral(spec.mass, spec.com, spec.inertia.asDiagonal());
    skeleton.add_body(body);
  }
  sinew::SystemBuilder system(skeleton.build());
  system.set_gravity(kGravity);
  for (const auto& force : forces) system.add_force(force);
  const auto body = [](int index) { return index < 0 ? sinew::kWorld : sinew::BodyIndex(index); };
  const auto coordinate = [&](int index) {
    return sinew::DofIndex(system.skeleton().body(body(index)).first_dof);
  };
  for (const ClosureSpec& spec : tree.closures)
    system.add_constraint(std::make_shared<sinew::Closure>(
        sinew::Closure::Ball("closure", body(spec.a), spec.x_a, body(spec.b), spec.x_b)));
  for (const CouplerSpec& spec : tree.couplers)
    system.add_constraint(
        std::make_shared<sinew::CoordinateCoupling>(sinew::CoordinateCoupling::Function(
            "coupler " + std::to_string(spec.dependent), coordinate(spec.dependent),
            sinew::PolynomialFunction{spec.coefficients}, {coordinate(spec.argument)})));
  return system.build();
}

namespace {

class SinewEngine final : public Engine {
 public:
  explicit SinewEngine(const TreeSpec& tree)
      : tree_(tree),
        force_(std::make_shared<GivenForce>()),
        system_(sinew_system(tree, {force_})),
        ws_(system_),
        result_(system_.dof_count()),
        mass_(system_.dof_count(), system_.dof_count()) {}

  bool offers(Kernel kernel) const override {
    return kernel != Kernel::forward_derivatives || !tree_.constrained();
  }

  void load(const std::vector<Sample>& samples) override {
    samples_.clear();
    for (const Sample& sample : samples) samples_.push_back(native(sample));
  }

  void reset() override {
    force_->tau = &samples_[0].tau;
    state_ = system_.default_state();
    state_.q = samples_[0].q;
    state_.qdot = samples_[0].v;
  }

  VecX acceleration(int i) override {
    forward_dynamics(i);
    return samples_[static_cast<size_t>(i)].map.acceleration_to_neutral(result_);
  }
  VecX force(int i) override {
    inverse_dynamics(i);
    return samples_[static_cast<size_t>(i)].map.force_to_neutral(result_);
  }
  MatX mass(int i) override {
    mass_matrix(i);
    return samples_[static_cast<size_t>(i)].map.mass_to_neutral(mass_);
  }

 protected:
  int sample_count() const override { return static_cast<int>(samples_.size()); }

  void forward_dynamics(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    force_->tau = &s.tau;
    sinew::forward_dynamics(system_, {0, s.q, s.v}, ws_, result_);
  }

  void inverse_dynamics(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    force_->tau = nullptr;
    sinew::inverse_dynamics(system_, {0, s.q, s.v}, s.a, ws_, result_);
  }

  void mass_matrix(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    sinew::update_kinematics(system_.skeleton(), s.q, s.v, ws_.skeleton);
    sinew::update_inertias(system_.skeleton(), ws_.skeleton);
    sinew::mass_matrix(system_.skeleton(), ws_.skeleton, mass_);
  }

  void step() override { sinew::step(system_, sinew::StepOptions{}, tree_.h, state_, ws_); }

  void forward_derivatives(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    force_->tau = &s.tau;
    sinew::forward_dynamics_derivatives(system_, {0, s.q, s.v}, ws_, result_, derivatives_);
  }

 private:
  struct Native {
    VecX q, v, tau, a;
    VelocityMap map;
  };

  /// For a rotation vector: q̇ = J_r⁻¹ ω, and from ω̇ = J_r q̈ + J̇_r q̇ follows c = −J_r⁻¹ J̇_r
  /// q̇.
  struct RotationVector {
    RotationVector(const Mat3& R, const Vec3& omega)
        : q(sinew::log_so3(R)),
          T(sinew::right_jacobian_inverse(q)),
          c(-T * sinew::right_jacobian_rate(q, T * omega) * (T * omega)) {}
    Vec3 q;
    Mat3 T;
    Vec3 c;
  };

  Native native(const Sample& sample) const {
    Native s;
    s.q.resize(system_.dof_count());
    int neutral = 0;
    for (size_t b = 0; b < tree_.bodies.size(); ++b) {
      const JointPosition& position = sample.position[b];
      const JointType type = tree_.bodies[b].joint;
      const int n = dof(type);
      const int first = system_.skeleton().bodies()[b].first_dof;
      switch (type) {
        case JointType::revolute:
        case JointType::universal:
          for (int k = 0; k < n; ++k) s.q[first + k] = position.angle[k];
          s.map.add_identity(first, neutral, n);
          break;
        case JointType::spherical: {
          const RotationVector r(position.R, sample.v.segment<3>(neutral));
          s.q.segment<3>(first) = r.q;
          s.map.add(first, neutral, r.T, r.c);
          break;
        }
        case JointType::free: {
          const RotationVector r(position.R, sample.v.segment<3>(neutral));
          s.q.segment<6>(first) << position.p, r.q;
          MatX T = MatX::Zero(6, 6);
          T.topRightCorner<3, 3>().setIdentity();
          T.bottomLeftCorner<3, 3>() = r.T;
          VecX c = VecX::Zero(6);
          c.tail<3>() = r.c;
          s.map.add(first, neutral, T, c);
          break;
        }
      }
      neutral += n;
    }
    s.v = s.map.velocity_to_native(sample.v);
    s.tau = s.map.force_to_native(sample.tau);
    s.a = s.map.acceleration_to_native(sample.a);
    return s;
  }

  TreeSpec tree_;
  std::shared_ptr<GivenForce> force_;
  sinew::System system_;
  sinew::Workspace ws_;
  sinew::State state_;
  std::vector<Native> samples_;
  VecX result_;
  MatX mass_;
  sinew::ForwardDerivatives derivatives_;
};

}  // namespace

EngineInfo sinew_engine() {
  return {"Sinew", Constraints::exact,
          std::string(sinew::version()) + " " + std::string(sinew::commit()), "semi-implicit Euler",
          [](const TreeSpec& tree) -> std::unique_ptr<Engine> {
            return std::make_unique<SinewEngine>(tree);
          }};
}

}  // namespace bench
