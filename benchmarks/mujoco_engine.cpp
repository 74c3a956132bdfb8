// MuJoCo. Armature, damping, limits and geometry are absent, so that its forward dynamics is M⁻¹ f
// alone without constraints; those are soft, with the default parameters. Native velocities: hinge
// angle rates; ω in the child's axes for a ball; (ṗ in the world's axes; ω in the child's axes) for
// a free joint.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "engine.hpp"
#include "mujoco_tree.hpp"

namespace bench {
namespace {

std::string text(const Vec3& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); }

/// URDF is flat: MuJoCo's XML parser refuses elements nested as deeply as a long chain would need.
std::string urdf(const TreeSpec& tree) {
  std::string xml = R"(<robot name="tree"><link name="world"/>)";
  for (const BodySpec& body : tree.bodies) {
    const std::string parent =
        body.parent < 0 ? "world" : tree.bodies[static_cast<size_t>(body.parent)].name;
    xml += fmt::format(
        R"(<link name="{0}"><inertial><origin xyz="{1}"/><mass value="{2}"/>)"
        R"(<inertia ixx="{3}" iyy="{4}" izz="{5}" ixy="0" ixz="0" iyz="0"/></inertial></link>)"
        R"(<joint name="{0}_joint" type="continuous"><parent link="{6}"/><child link="{0}"/>)"
        R"(<origin xyz="{7}"/><axis xyz="{8}"/></joint>)",
        body.name, text(body.com), body.mass, body.inertia.x(), body.inertia.y(), body.inertia.z(),
        parent, text(body.offset), text(body.axis));
  }
  return xml + "</robot>";
}

std::string mjcf_joints(const BodySpec& body) {
  switch (body.joint) {
    case JointType::revolute:
      return fmt::format(R"(<joint name="{}" axis="{}"/>)", body.name, text(body.axis));
    case JointType::universal:
      return R"(<joint axis="1 0 0"/><joint axis="0 1 0"/>)";
    case JointType::spherical:
      return R"(<joint type="ball"/>)";
    case JointType::free:
      return "<freejoint/>";
  }
  return "";
}

std::string mjcf_body(const TreeSpec& tree, int i) {
  const BodySpec& body = tree.bodies[static_cast<size_t>(i)];
  std::string xml = fmt::format(
      R"(<body name="{}" pos="{}"><inertial pos="{}" mass="{}" diaginertia="{}"/>{})", body.name,
      text(body.offset), text(body.com), body.mass, text(body.inertia), mjcf_joints(body));
  for (int k = i + 1; k < static_cast<int>(tree.bodies.size()); ++k)
    if (tree.bodies[static_cast<size_t>(k)].parent == i) xml += mjcf_body(tree, k);
  return xml + "</body>";
}

}  // namespace

std::string mjcf(const TreeSpec& tree) {
  std::string xml = "<mujoco><worldbody>" + mjcf_body(tree, 0) + "</worldbody><equality>";
  const auto name = [&tree](int body) {
    return body < 0 ? "world" : tree.bodies[static_cast<size_t>(body)].name;
  };
  // The point on the second body coincides with the first one's in the reference pose.
  for (const ClosureSpec& spec : tree.closures)
    xml += fmt::format(R"(<connect body1="{}" body2="{}" anchor="{}"/>)", name(spec.a),
                       name(spec.b), text(spec.x_a));
  for (const CouplerSpec& spec : tree.couplers) {
    std::vector<double> p = spec.coefficients;
    p.resize(5, 0);
    xml += fmt::format(R"(<joint joint1="{}" joint2="{}" polycoef="{}"/>)", name(spec.dependent),
                       name(spec.argument), fmt::join(p, " "));
  }
  return xml + "</equality></mujoco>";
}

mjModel* load_mujoco(const std::string& xml) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "tree.xml", static_cast<int>(xml.size()));
  std::memcpy(files->filedata[0], xml.data(), xml.size());
  char error[1000] = "";
  mjModel* const model = mj_loadXML("tree.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo: ") + error);
  return model;
}

namespace {

class MujocoEngine final : public Engine {
 public:
  explicit MujocoEngine(const TreeSpec& tree) : tree_(tree) {
    const bool only_revolute =
        std::all_of(tree.bodies.begin(), tree.bodies.end(),
                    [](const auto& b) { return b.joint == JointType::revolute; });
    const std::string xml = only_revolute && !tree.constrained() ? urdf(tree) : mjcf(tree);
    model_ = load_mujoco(xml);
    for (int k = 0; k < 3; ++k) model_->opt.gravity[k] = kGravity[k];
    model_->opt.timestep = tree.h;
    data_ = mj_makeData(model_);
    nv_ = model_->nv;
    dense_.resize(nv_, nv_);
    for (MatX* m : {&derivative_q_, &derivative_v_, &derivative_tau_}) m->resize(nv_, nv_);
  }
  ~MujocoEngine() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  bool offers(Kernel kernel) const override {
    // Differences cost 2n forward dynamics: minutes for the longest chains.
    return kernel != Kernel::forward_derivatives || nv_ <= 200;
  }

  void load(const std::vector<Sample>& samples) override {
    samples_.clear();
    for (const Sample& sample : samples) samples_.push_back(native(sample));
  }

  void reset() override {
    mj_resetData(model_, data_);
    set_state(samples_[0]);
    set(data_->qfrc_applied, samples_[0].tau);
  }

  VecX acceleration(int i) override {
    forward_dynamics(i);
    return samples_[static_cast<size_t>(i)].map.acceleration_to_neutral(
        Eigen::Map<VecX>(data_->qacc, nv_));
  }
  VecX force(int i) override {
    inverse_dynamics(i);
    return samples_[static_cast<size_t>(i)].map.force_to_neutral(force_);
  }
  MatX mass(int i) override {
    mass_matrix(i);
    return samples_[static_cast<size_t>(i)].map.mass_to_neutral(dense_);
  }

 protected:
  int sample_count() const override { return static_cast<int>(samples_.size()); }

  void forward_dynamics(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    set_state(s);
    set(data_->qfrc_applied, s.tau);
    mj_forward(model_, data_);
  }

  /// The stages of mj_inverse that matter without contacts: cheaper than calling it.
  void inverse_dynamics(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    set_state(s);
    set(data_->qacc, s.a);
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    mj_comVel(model_, data_);
    force_.resize(nv_);
    mj_rne(model_, data_, 1, force_.data());
  }

  void mass_matrix(int i) override {
    set(data_->qpos, samples_[static_cast<size_t>(i)].q);
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    mj_crb(model_, data_);
    mj_fullM(model_, dense_.data(), data_->qM);
  }

  void step() override { mj_step(model_, data_); }

  /// Forward differences; perturbed velocities keep the stages that depend only on positions.
  void forward_derivatives(int i) override {
    const Native& s = samples_[static_cast<size_t>(i)];
    constexpr double eps = 1e-6;
    forward_dynamics(i);
    const VecX base = Eigen::Map<VecX>(data_->qacc, nv_);
    derivative_tau_.setIdentity();
    mj_solveM(model_, data_, derivative_tau_.data(), derivative_tau_.data(), nv_);
    for (int k = 0; k < nv_; ++k) {
      data_->qvel[k] += eps;
      mj_forwardSkip(model_, data_, mjSTAGE_POS, 1);
      derivative_v_.col(k) = (Eigen::Map<VecX>(data_->qacc, nv_) - base) / eps;
      data_->qvel[k] = s.v[k];
    }
    VecX direction = VecX::Zero(nv_);
    for (int k = 0; k < nv_; ++k) {
      direction[k] = 1;
      mj_integratePos(model_, data_->qpos, direction.data(), eps);
      mj_forwardSkip(model_, data_, mjSTAGE_NONE, 1);
      derivative_q_.col(k) = (Eigen::Map<VecX>(data_->qacc, nv_) - base) / eps;
      set(data_->qpos, s.q);
      direction[k] = 0;
    }
  }

 private:
  struct Native {
    VecX q, v, tau, a;
    VelocityMap map;
  };

  static void set(mjtNum* to, const VecX& from) {
    std::memcpy(to, from.data(), sizeof(mjtNum) * static_cast<size_t>(from.size()));
  }
  void set_state(const Native& s) {
    set(data_->qpos, s.q);
    set(data_->qvel, s.v);
  }

  Native native(const Sample& sample) const {
    Native s;
    s.q.resize(model_->nq);
    int neutral = 0;
    for (size_t b = 0; b < tree_.bodies.size(); ++b) {
      const JointPosition& position = sample.position[b];
      const int body = mj_name2id(model_, mjOBJ_BODY, tree_.bodies[b].name.c_str());
      const int joint = model_->body_jntadr[body];
      double* q = s.q.data() + model_->jnt_qposadr[joint];
      const int dof_address = model_->jnt_dofadr[joint];
      const auto put_rotation = [&position](double* to) {
        const Eigen::Quaterniond r(position.R);
        for (const double x : {r.w(), r.x(), r.y(), r.z()}) *to++ = x;
      };
      switch (tree_.bodies[b].joint) {
        case JointType::universal:
          q[1] = position.angle[1];
          [[fallthrough]];
        case JointType::revolute:
          q[0] = position.angle[0];
          s.map.add_identity(dof_address, neutral, dof(tree_.bodies[b].joint));
          break;
        case JointType::spherical:
          put_rotation(q);
          s.map.add_identity(dof_address, neutral, 3);
          break;
        case JointType::free: {
          std::copy_n(position.p.data(), 3, q);
          put_rotation(q + 3);
          MatX T = MatX::Zero(6, 6);
          T.topRightCorner<3, 3>().setIdentity();
          T.bottomLeftCorner<3, 3>().setIdentity();
          s.map.add(dof_address, neutral, T, VecX::Zero(6));
          break;
        }
      }
      neutral += dof(tree_.bodies[b].joint);
    }
    s.v = s.map.velocity_to_native(sample.v);
    s.tau = s.map.force_to_native(sample.tau);
    s.a = s.map.acceleration_to_native(sample.a);
    return s;
  }

  TreeSpec tree_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  int nv_ = 0;
  std::vector<Native> samples_;
  VecX force_;
  MatX dense_, derivative_q_, derivative_v_, derivative_tau_;
};

}  // namespace

EngineInfo mujoco_engine() {
  return {"MuJoCo", Constraints::soft, mj_versionString(), "mj_step, Euler",
          [](const TreeSpec& tree) -> std::unique_ptr<Engine> {
            return std::make_unique<MujocoEngine>(tree);
          }};
}

}  // namespace bench
