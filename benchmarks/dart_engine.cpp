// DART. Native velocities: angle rates; ω in the child's axes for a ball; the body twist (ω; v),
// both in the child's axes, for a free joint.
#include <dart/config.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/UniversalJoint.hpp>
#include <dart/simulation/World.hpp>

#include "engine.hpp"

namespace bench {
namespace {

namespace dd = dart::dynamics;

class DartEngine final : public Engine {
 public:
  explicit DartEngine(const TreeSpec& tree) : tree_(tree), skeleton_(dd::Skeleton::create("tree")) {
    for (const BodySpec& spec : tree.bodies) add(spec);
    world_ = dart::simulation::World::create();
    world_->setGravity(kGravity);
    world_->setTimeStep(tree.h);
    world_->addSkeleton(skeleton_);
  }

  bool offers(Kernel kernel) const override { return kernel != Kernel::forward_derivatives; }

  void load(const std::vector<Sample>& samples) override {
    samples_.clear();
    for (const Sample& sample : samples) samples_.push_back(native(sample));
  }

  void reset() override { set_state(samples_[0]); }

  VecX acceleration(int i) override {
    forward_dynamics(i);
    return samples_[static_cast<size_t>(i)].map.acceleration_to_neutral(
        skeleton_->getAccelerations());
  }
  VecX force(int i) override {
    inverse_dynamics(i);
    return samples_[static_cast<size_t>(i)].map.force_to_neutral(skeleton_->getForces());
  }
  MatX mass(int i) override {
    mass_matrix(i);
    return samples_[static_cast<size_t>(i)].map.mass_to_neutral(skeleton_->getMassMatrix());
  }

 protected:
  int sample_count() const override { return static_cast<int>(samples_.size()); }

  void forward_dynamics(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    set_state(s);
    skeleton_->setForces(s.tau);
    skeleton_->computeForwardDynamics();
  }

  void inverse_dynamics(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    set_state(s);
    skeleton_->setAccelerations(s.a);
    skeleton_->computeInverseDynamics();
  }

  void mass_matrix(int i) override {
    skeleton_->setPositions(samples_[static_cast<size_t>(i)].q);
    skeleton_->getMassMatrix();
  }

  void step() override { world_->step(); }

 private:
  struct Native {
    VecX q, v, tau, a;
    VelocityMap map;
  };

  template <class Joint>
  dd::BodyNode* add(const BodySpec& spec, typename Joint::Properties joint) {
    joint.mName = spec.name + " joint";
    joint.mT_ParentBodyToJoint.translation() = spec.offset;
    dd::BodyNode::Properties body;
    body.mName = spec.name;
    body.mInertia = dd::Inertia(spec.mass, spec.com, spec.inertia.asDiagonal());
    dd::BodyNode* parent =
        spec.parent < 0 ? nullptr : skeleton_->getBodyNode(static_cast<size_t>(spec.parent));
    return skeleton_->createJointAndBodyNodePair<Joint>(parent, joint, body).second;
  }

  void add(const BodySpec& spec) {
    switch (spec.joint) {
      case JointType::revolute: {
        dd::RevoluteJoint::Properties joint;
        joint.mAxis = spec.axis;
        add<dd::RevoluteJoint>(spec, joint);
        break;
      }
      case JointType::universal: {
        dd::UniversalJoint::Properties joint;
        joint.mAxis = {Vec3::UnitX(), Vec3::UnitY()};
        add<dd::UniversalJoint>(spec, joint);
        break;
      }
      case JointType::spherical:
        add<dd::BallJoint>(spec, {});
        break;
      case JointType::free:
        add<dd::FreeJoint>(spec, {});
        break;
    }
  }

  void set_state(const Native& s) {
    skeleton_->setPositions(s.q);
    skeleton_->setVelocities(s.v);
  }

  Native native(const Sample& sample) const {
    Native s;
    s.q.resize(static_cast<Eigen::Index>(skeleton_->getNumDofs()));
    int neutral = 0;
    for (size_t b = 0; b < tree_.bodies.size(); ++b) {
      const JointPosition& position = sample.position[b];
      const JointType type = tree_.bodies[b].joint;
      const dd::Joint* joint = skeleton_->getBodyNode(tree_.bodies[b].name)->getParentJoint();
      const int first = static_cast<int>(joint->getIndexInSkeleton(0));
      const int n = dof(type);
      switch (type) {
        case JointType::revolute:
        case JointType::universal:
          for (int k = 0; k < n; ++k) s.q[first + k] = position.angle[k];
          s.map.add_identity(first, neutral, n);
          break;
        case JointType::spherical:
          s.q.segment<3>(first) = dd::BallJoint::convertToPositions(position.R);
          s.map.add_identity(first, neutral, 3);
          break;
        case JointType::free: {
          Eigen::Isometry3d E = Eigen::Isometry3d::Identity();
          E.linear() = position.R;
          E.translation() = position.p;
          s.q.segment<6>(first) = dd::FreeJoint::convertToPositions(E);
          MatX T = MatX::Identity(6, 6);
          T.bottomRightCorner<3, 3>() = position.R.transpose();
          // v = Rᵀṗ, so v̇ = Rᵀp̈ − ω × v.
          const Vec3 w = sample.v.segment<3>(neutral);
          const Vec3 v = position.R.transpose() * sample.v.segment<3>(neutral + 3);
          VecX c = VecX::Zero(6);
          c.tail<3>() = -w.cross(v);
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
  dd::SkeletonPtr skeleton_;
  dart::simulation::WorldPtr world_;
  std::vector<Native> samples_;
};

}  // namespace

EngineInfo dart_engine() {
  return {"DART", Constraints::none, DART_VERSION, "World::step, semi-implicit Euler",
          [](const TreeSpec& tree) -> std::unique_ptr<Engine> {
            return std::make_unique<DartEngine>(tree);
          }};
}

}  // namespace bench
