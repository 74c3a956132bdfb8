#include "mujoco_transition.hpp"

#include "mujoco_tree.hpp"

namespace bench {

struct MujocoTransition::Model {
  mjModel* m = nullptr;
  mjData* d = nullptr;
  std::vector<double> A, B;
};

MujocoTransition::MujocoTransition(const TreeSpec& tree, double h)
    : model_(std::make_unique<Model>()) {
  std::string xml = mjcf(tree), motors = "<actuator>";
  for (const BodySpec& body : tree.bodies)
    if (body.joint == JointType::revolute) motors += "<motor joint=\"" + body.name + "\"/>";
  xml.insert(xml.find("</mujoco>"), motors + "</actuator>");
  Model& x = *model_;
  x.m = load_mujoco(xml);
  x.m->opt.timestep = h;
  x.d = mj_makeData(x.m);
  const auto states = static_cast<size_t>(2 * x.m->nv + x.m->na);
  x.A.resize(states * states);
  x.B.resize(states * static_cast<size_t>(x.m->nu));
}

MujocoTransition::~MujocoTransition() {
  mj_deleteData(model_->d);
  mj_deleteModel(model_->m);
}

void MujocoTransition::run() {
  Model& x = *model_;
  mj_resetData(x.m, x.d);
  mjd_transitionFD(x.m, x.d, 1e-6, 1, x.A.data(), x.B.data(), nullptr, nullptr);
  mj_step(x.m, x.d);
}

}  // namespace bench
