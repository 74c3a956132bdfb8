// Simbody. Native velocities: angle rates; ω in the parent's axes for a ball; (ω; ṗ), both in the
// world's axes, for a free joint.
#include <Simbody.h>

#include <stdexcept>

#include "engine.hpp"

namespace bench {
namespace {

constexpr double kConstraintTolerance = 1e-9;  ///< [m, rad]

SimTK::Vec3 to_simtk(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

SimTK::Vector to_simtk(const VecX& v) {
  SimTK::Vector out(static_cast<int>(v.size()));
  for (int i = 0; i < out.size(); ++i) out[i] = v[i];
  return out;
}

SimTK::Rotation to_simtk(const Mat3& R) {
  SimTK::Mat33 m;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) m(r, c) = R(r, c);
  return SimTK::Rotation(m);
}

VecX from_simtk(const SimTK::Vector& v) {
  VecX out(v.size());
  for (int i = 0; i < v.size(); ++i) out[i] = v[i];
  return out;
}

/// Pin joints turn about z of their frames: a frame whose z is `axis`.
SimTK::Transform pin_frame(const Vec3& axis, const Vec3& origin) {
  const SimTK::Rotation R(SimTK::UnitVec3(to_simtk(axis)), SimTK::ZAxis);
  return {R, to_simtk(origin)};
}

/// p(argument) − dependent, the form of a coupler in Simbody: zero if it holds.
class CouplerFunction final : public SimTK::Function {
 public:
  explicit CouplerFunction(std::vector<double> coefficients) : p_(std::move(coefficients)) {}

  double calcValue(const SimTK::Vector& x) const override { return derivative(0, x[1]) - x[0]; }
  double calcDerivative(const SimTK::Array_<int>& components,
                        const SimTK::Vector& x) const override {
    int of_dependent = 0;
    for (const int component : components) of_dependent += component == 0;
    const int order = static_cast<int>(components.size());
    if (of_dependent > 0) return order == 1 ? -1 : 0;
    return derivative(order, x[1]);
  }
  int getArgumentSize() const override { return 2; }
  int getMaxDerivativeOrder() const override { return 2; }

 private:
  double derivative(int order, double x) const {
    double sum = 0;
    for (int k = static_cast<int>(p_.size()) - 1; k >= order; --k) {
      double c = p_[static_cast<size_t>(k)];
      for (int i = 0; i < order; ++i) c *= k - i;
      sum = sum * x + c;
    }
    return sum;
  }

  std::vector<double> p_;
};

class SimbodyEngine final : public Engine {
 public:
  explicit SimbodyEngine(const TreeSpec& tree)
      : tree_(tree),
        matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, to_simtk(kGravity)),
        applied_(forces_, matter_) {
    for (const BodySpec& spec : tree.bodies) bodies_.push_back(add(spec));
    for (const ClosureSpec& spec : tree.closures)
      SimTK::Constraint::Ball(body(spec.a), to_simtk(spec.x_a), body(spec.b), to_simtk(spec.x_b));
    for (const CouplerSpec& spec : tree.couplers)
      SimTK::Constraint::CoordinateCoupler(matter_,
                                           new CouplerFunction(spec.coefficients),  // owned by it
                                           std::vector{body(spec.dependent).getMobilizedBodyIndex(),
                                                       body(spec.argument).getMobilizedBodyIndex()},
                                           std::vector(2, SimTK::MobilizerQIndex(0)));
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
    // Fixed step, no accuracy control.
    integrator_ = std::make_unique<SimTK::SemiExplicitEulerIntegrator>(system_, tree.h);
    // As in Sinew, every step ends on the constraints.
    integrator_->setConstraintTolerance(kConstraintTolerance);
    integrator_->setProjectEveryStep(true);
  }

  bool offers(Kernel kernel) const override { return kernel != Kernel::forward_derivatives; }

  void load(const std::vector<Sample>& samples) override {
    samples_.clear();
    for (const Sample& sample : samples) samples_.push_back(native(sample));
  }

  void reset() override {
    set_state(samples_[0]);
    applied_.setAllMobilityForces(state_, samples_[0].tau);
    state_.updTime() = 0;
    integrator_->initialize(state_);
  }

  VecX acceleration(int i) override {
    forward_dynamics(i);
    return samples_[static_cast<size_t>(i)].map.acceleration_to_neutral(
        from_simtk(state_.getUDot()));
  }
  VecX force(int i) override {
    inverse_dynamics(i);
    return samples_[static_cast<size_t>(i)].map.force_to_neutral(from_simtk(residual_));
  }
  MatX mass(int i) override {
    mass_matrix(i);
    MatX M(mass_.nrow(), mass_.ncol());
    for (int r = 0; r < mass_.nrow(); ++r)
      for (int c = 0; c < mass_.ncol(); ++c) M(r, c) = mass_(r, c);
    return samples_[static_cast<size_t>(i)].map.mass_to_neutral(M);
  }

 protected:
  int sample_count() const override { return static_cast<int>(samples_.size()); }

  void forward_dynamics(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    set_state(s);
    applied_.setAllMobilityForces(state_, s.tau);
    system_.realize(state_, SimTK::Stage::Acceleration);
  }

  /// Gravity is added here: asking the force subsystem for it would also factor the mass matrix.
  void inverse_dynamics(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    set_state(s);
    system_.realize(state_, SimTK::Stage::Velocity);
    weight_.resize(matter_.getNumBodies());
    weight_.setToZero();
    for (size_t b = 0; b < bodies_.size(); ++b)
      matter_.addInStationForce(state_, bodies_[b], com_[b], weights_[b], weight_);
    matter_.calcResidualForceIgnoringConstraints(state_, SimTK::Vector(), weight_, s.a, residual_);
  }

  void mass_matrix(int i) override {
    state_.updQ() = samples_[static_cast<size_t>(i)].q;
    system_.realize(state_, SimTK::Stage::Position);
    matter_.calcM(state_, mass_);
  }

  void step() override { integrator_->stepBy(tree_.h); }

 private:
  struct Native {
    SimTK::Vector q, u, tau, a;
    VelocityMap map;
  };

  SimTK::MobilizedBody& body(int index) {
    return index < 0 ? matter_.updGround()
                     : matter_.updMobilizedBody(bodies_[static_cast<size_t>(index)]);
  }

  SimTK::MobilizedBodyIndex add(const BodySpec& spec) {
    using SimTK::MobilizedBody;
    MobilizedBody& parent = body(spec.parent);
    const SimTK::Vec3 com = to_simtk(spec.com), offset = to_simtk(spec.offset);
    const SimTK::Inertia central(to_simtk(spec.inertia));
    const SimTK::Body::Rigid rigid(
        SimTK::MassProperties(spec.mass, com, central.shiftFromMassCenter(com, spec.mass)));
    com_.push_back(com);
    weights_.push_back(spec.mass * to_simtk(kGravity));
    switch (spec.joint) {
      case JointType::revolute:
        return MobilizedBody::Pin(parent, pin_frame(spec.axis, spec.offset), rigid,
                                  pin_frame(spec.axis, Vec3::Zero()));
      case JointType::universal:
        return MobilizedBody::Universal(parent, offset, rigid, SimTK::Transform());
      case JointType::spherical:
        return MobilizedBody::Ball(parent, offset, rigid, SimTK::Transform());
      case JointType::free:
        return MobilizedBody::Free(parent, offset, rigid, SimTK::Transform());
    }
    throw std::logic_error("unknown joint");
  }

  void set_state(const Native& s) {
    state_.updQ() = s.q;
    state_.updU() = s.u;
  }

  Native native(const Sample& sample) {
    Native s;
    SimTK::State state = state_;
    int neutral = 0;
    for (size_t b = 0; b < bodies_.size(); ++b) {
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(bodies_[b]);
      const JointPosition& position = sample.position[b];
      const JointType joint = tree_.bodies[b].joint;
      const int u = body.getFirstUIndex(state);
      switch (joint) {
        case JointType::universal:
          body.setOneQ(state, 1, position.angle[1]);
          [[fallthrough]];
        case JointType::revolute:
          body.setOneQ(state, 0, position.angle[0]);
          s.map.add_identity(u, neutral, dof(joint));
          break;
        case JointType::spherical:
          body.setQToFitRotation(state, to_simtk(position.R));
          s.map.add(u, neutral, position.R, VecX::Zero(3));
          break;
        case JointType::free: {
          body.setQToFitTransform(state, {to_simtk(position.R), to_simtk(position.p)});
          MatX T = MatX::Identity(6, 6);
          T.topLeftCorner<3, 3>() = position.R;
          s.map.add(u, neutral, T, VecX::Zero(6));
          break;
        }
      }
      neutral += dof(joint);
    }
    s.q = state.getQ();
    s.u = to_simtk(s.map.velocity_to_native(sample.v));
    s.tau = to_simtk(s.map.force_to_native(sample.tau));
    s.a = to_simtk(s.map.acceleration_to_native(sample.a));
    return s;
  }

  TreeSpec tree_;
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::UniformGravity gravity_;
  SimTK::Force::DiscreteForces applied_;
  std::vector<SimTK::MobilizedBodyIndex> bodies_;
  std::vector<SimTK::Vec3> com_, weights_;
  SimTK::State state_;
  std::unique_ptr<SimTK::SemiExplicitEulerIntegrator> integrator_;
  std::vector<Native> samples_;
  SimTK::Vector_<SimTK::SpatialVec> weight_;
  SimTK::Vector residual_;
  SimTK::Matrix mass_;
};

}  // namespace

EngineInfo simbody_engine() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  return {"Simbody", Constraints::exact, std::to_string(major) + "." + std::to_string(minor),
          "SemiExplicitEulerIntegrator", [](const TreeSpec& tree) -> std::unique_ptr<Engine> {
            return std::make_unique<SimbodyEngine>(tree);
          }};
}

}  // namespace bench
