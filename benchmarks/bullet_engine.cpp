// Bullet, built with doubles. Bodies are described by their centres of mass. A universal joint is
// two revolute ones with a massless link between. Native velocities: angle rates; ω in the child's
// axes for a ball; (ω; velocity of the centre of mass), both in the world's axes, for the free
// base.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include "engine.hpp"

namespace bench {
namespace {

btVector3 to_bullet(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
btQuaternion to_bullet(const Eigen::Quaterniond& r) { return {r.x(), r.y(), r.z(), r.w()}; }

class BulletEngine final : public Engine {
 public:
  explicit BulletEngine(const TreeSpec& tree)
      : tree_(tree),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    floating_ = tree.bodies[0].joint == JointType::free;
    int links = 0;
    for (const BodySpec& body : tree.bodies)
      links += body.joint == JointType::universal ? 2 : body.joint == JointType::free ? 0 : 1;

    const BodySpec& root = tree.bodies[0];
    body_ = std::make_unique<btMultiBody>(links, floating_ ? root.mass : 0,
                                          floating_ ? to_bullet(root.inertia) : btVector3(0, 0, 0),
                                          !floating_, false);
    for (const BodySpec& spec : tree.bodies) add(spec);
    body_->finalizeMultiDof();
    body_->setLinearDamping(0);
    body_->setAngularDamping(0);
    body_->setMaxCoordinateVelocity(1e30);
    body_->setHasSelfCollision(false);
    world_.setGravity(to_bullet(kGravity));
    world_.addMultiBody(body_.get());
  }
  ~BulletEngine() override { world_.removeMultiBody(body_.get()); }

  /// Debian's package leaves out Bullet's inverse dynamics and with it the mass matrix.
  bool offers(Kernel kernel) const override {
    return kernel == Kernel::forward_dynamics || kernel == Kernel::step;
  }

  void load(const std::vector<Sample>& samples) override {
    samples_.clear();
    for (const Sample& sample : samples) samples_.push_back(native(sample));
  }

  void reset() override { set_state(samples_[0]); }

  VecX acceleration(int i) override {
    forward_dynamics(i);
    // The first entries are Bullet's scratch; then the base's accelerations, the links'.
    const int n = body_->getNumDofs();
    const Eigen::Map<const VecX> all(&real_scratch_[n], n + 6);
    return samples_[static_cast<size_t>(i)].map.acceleration_to_neutral(
        floating_ ? VecX(all) : VecX(all.tail(n)));
  }

 protected:
  int sample_count() const override { return static_cast<int>(samples_.size()); }

  /// The work of btMultiBodyDynamicsWorld for one multibody before it integrates: gravity, then the
  /// articulated-body algorithm. With no time step the velocities stay as they are.
  void forward_dynamics(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    set_state(s);
    body_->clearForcesAndTorques();
    const btVector3 gravity = to_bullet(kGravity);
    if (floating_) {
      body_->addBaseForce(gravity * body_->getBaseMass() + s.base_force);
      body_->addBaseTorque(s.base_torque);
    }
    for (int k = 0; k < body_->getNumLinks(); ++k) {
      body_->addLinkForce(k, gravity * body_->getLinkMass(k));
      body_->addJointTorqueMultiDof(k, &s.tau[body_->getLink(k).m_dofOffset]);
    }
    body_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(
        0, real_scratch_, vector_scratch_, matrix_scratch_, false, false, false);
  }

  void step() override { world_.stepSimulation(tree_.h, 0); }

 private:
  struct Native {
    std::vector<double> q, v, tau;  ///< per link, in Bullet's layout
    btVector3 base_position{0, 0, 0}, base_velocity{0, 0, 0}, base_omega{0, 0, 0};
    btQuaternion world_to_base{0, 0, 0, 1};
    btVector3 base_force{0, 0, 0}, base_torque{0, 0, 0};
    VelocityMap map;
  };

  void add(const BodySpec& spec) {
    if (spec.joint == JointType::free) {
      link_of_body_.push_back(-1);
      return;
    }
    const int parent = spec.parent < 0 ? -1 : link_of_body_[static_cast<size_t>(spec.parent)];
    const bool to_fixed_base = spec.parent < 0;
    const Vec3 parent_com =
        to_fixed_base ? Vec3(Vec3::Zero()) : tree_.bodies[static_cast<size_t>(spec.parent)].com;
    const btVector3 to_pivot = to_bullet(spec.offset - parent_com), to_com = to_bullet(spec.com);
    const btVector3 inertia = to_bullet(spec.inertia), zero(0, 0, 0);
    const btQuaternion no_turn(0, 0, 0, 1);
    switch (spec.joint) {
      case JointType::revolute:
        body_->setupRevolute(next_, spec.mass, inertia, parent, no_turn, to_bullet(spec.axis),
                             to_pivot, to_com, true);
        break;
      case JointType::universal:
        body_->setupRevolute(next_, 0, zero, parent, no_turn, btVector3(1, 0, 0), to_pivot, zero,
                             true);
        ++next_;
        body_->setupRevolute(next_, spec.mass, inertia, next_ - 1, no_turn, btVector3(0, 1, 0),
                             zero, to_com, true);
        break;
      case JointType::spherical:
        body_->setupSpherical(next_, spec.mass, inertia, parent, no_turn, to_pivot, to_com, true);
        break;
      case JointType::free:
        break;
    }
    link_of_body_.push_back(next_++);
  }

  void set_state(const Native& s) {
    if (floating_) {
      body_->setBasePos(s.base_position);
      body_->setWorldToBaseRot(s.world_to_base);
      body_->setBaseVel(s.base_velocity);
      body_->setBaseOmega(s.base_omega);
    }
    for (int k = 0; k < body_->getNumLinks(); ++k) {
      const btMultibodyLink& link = body_->getLink(k);
      body_->setJointPosMultiDof(k, &s.q[static_cast<size_t>(link.m_cfgOffset)]);
      body_->setJointVelMultiDof(k, &s.v[static_cast<size_t>(link.m_dofOffset)]);
    }
  }

  Native native(const Sample& sample) const {
    Native s;
    s.q.resize(static_cast<size_t>(body_->getNumPosVars()));
    const int base = floating_ ? 6 : 0;
    int neutral = 0;
    for (size_t b = 0; b < tree_.bodies.size(); ++b) {
      const BodySpec& spec = tree_.bodies[b];
      const JointPosition& position = sample.position[b];
      if (spec.joint == JointType::free) {
        add_base(spec, position, sample.v.head<6>(), s);
      } else {
        const int last = link_of_body_[b];
        const int first = spec.joint == JointType::universal ? last - 1 : last;
        double* q = s.q.data() + body_->getLink(first).m_cfgOffset;
        if (spec.joint == JointType::spherical) {
          const Eigen::Quaterniond r(position.R);
          for (const double x : {r.x(), r.y(), r.z(), r.w()}) *q++ = x;
        } else {
          for (int k = 0; k < dof(spec.joint); ++k) q[k] = position.angle[k];
        }
        s.map.add_identity(base + body_->getLink(first).m_dofOffset, neutral, dof(spec.joint));
      }
      neutral += dof(spec.joint);
    }
    const VecX v = s.map.velocity_to_native(sample.v), tau = s.map.force_to_native(sample.tau);
    if (floating_) {
      s.base_omega = {v[0], v[1], v[2]};
      s.base_velocity = {v[3], v[4], v[5]};
      s.base_torque = {tau[0], tau[1], tau[2]};
      s.base_force = {tau[3], tau[4], tau[5]};
    }
    s.v.assign(v.data() + base, v.data() + v.size());
    s.tau.assign(tau.data() + base, tau.data() + tau.size());
    return s;
  }

  static void add_base(const BodySpec& spec, const JointPosition& position,
                       const Eigen::Matrix<double, 6, 1>& v, Native& s) {
    s.base_position = to_bullet(Vec3(position.p + position.R * spec.com));
    s.world_to_base = to_bullet(Eigen::Quaterniond(position.R).conjugate());
    // Velocity of the centre of mass: ẋ = ṗ + R (ω × c), ẍ = p̈ + R (ω̇ × c) + R (ω × (ω × c)).
    const Vec3 w = v.head<3>();
    MatX T = MatX::Identity(6, 6);
    T.topLeftCorner<3, 3>() = position.R;
    for (int k = 0; k < 3; ++k) T.block<3, 1>(3, k) = position.R * Vec3::Unit(k).cross(spec.com);
    VecX c = VecX::Zero(6);
    c.tail<3>() = position.R * w.cross(w.cross(spec.com));
    s.map.add(0, 0, T, c);
  }

  TreeSpec tree_;
  bool floating_ = false;
  int next_ = 0;
  std::vector<int> link_of_body_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  std::unique_ptr<btMultiBody> body_;
  btMultiBodyDynamicsWorld world_;
  btAlignedObjectArray<btScalar> real_scratch_;
  btAlignedObjectArray<btVector3> vector_scratch_;
  btAlignedObjectArray<btMatrix3x3> matrix_scratch_;
  std::vector<Native> samples_;
};

}  // namespace

EngineInfo bullet_engine() {
  const int version = btGetVersion();
  return {"Bullet", Constraints::none,
          std::to_string(version / 100) + "." + std::to_string(version % 100),
          "stepSimulation, semi-implicit Euler",
          [](const TreeSpec& tree) -> std::unique_ptr<Engine> {
            return std::make_unique<BulletEngine>(tree);
          }};
}

}  // namespace bench
