#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstdio>
#include <stdexcept>

#include "muscle_chain.hpp"

namespace bench {
namespace {

std::string text(const std::array<double, 3>& x) {
  return fmt::format("{} {} {}", x[0], x[1], x[2]);
}

std::string body_xml(const MuscleChain& chain, int k) {
  std::string xml =
      fmt::format(R"(<body name="b{0}" pos="0 {1} 0"><joint axis="{2}"/>)"
                  R"(<inertial pos="0 {3} 0" mass="{4}" diaginertia="{5}"/>)",
                  k, k == 0 ? 0.0 : -MuscleChain::kLinkLength, k % 2 ? "0 0 1" : "0 1 0",
                  -MuscleChain::kLinkLength / 2, MuscleChain::kMass, text(MuscleChain::kInertia));
  for (int axis = 0; axis < 2; ++axis)
    xml += fmt::format(
        R"(<geom name="g{}_{}" type="cylinder" size="{} 0.2" pos="0 {} 0" zaxis="{}" )"
        R"(contype="0" conaffinity="0" mass="0"/>)",
        k, axis, MuscleChain::kRadius, -MuscleChain::kLinkLength, axis ? "1 0 0" : "0 0 1");
  for (size_t m = 0; m < chain.muscles.size(); ++m) {
    const MuscleSpec& muscle = chain.muscles[m];
    if (muscle.body == k)
      xml += fmt::format(R"(<site name="o{}" pos="{}"/>)", m, text(muscle.origin));
    if (muscle.body + 1 == k)
      xml += fmt::format(R"(<site name="i{}" pos="{}"/>)", m, text(muscle.insertion));
  }
  if (k + 1 < MuscleChain::kLinks) xml += body_xml(chain, k + 1);
  return xml + "</body>";
}

std::string chain_xml(const MuscleChain& chain) {
  std::string xml =
      R"(<mujoco><compiler angle="radian"/><option timestep="0.001" gravity="0 -9.80665 0"/>)"
      R"(<size nconmax="1" njmax="1"/><worldbody>)" +
      body_xml(chain, 0) + "</worldbody><tendon>";
  for (size_t m = 0; m < chain.muscles.size(); ++m)
    xml += fmt::format(
        R"(<spatial name="t{0}"><site site="o{0}"/><geom geom="g{1}_{2}"/><site site="i{0}"/></spatial>)",
        m, chain.muscles[m].body, chain.muscles[m].axis_x ? 1 : 0);
  xml += "</tendon><actuator>";
  for (size_t m = 0; m < chain.muscles.size(); ++m)
    xml += fmt::format(R"(<motor tendon="t{}" gear="1"/>)", m);
  return xml + "</actuator></mujoco>";
}

}  // namespace

struct MujocoMuscles::Model {
  mjModel* m = nullptr;
  mjData* d = nullptr;
};

MujocoMuscles::MujocoMuscles(const MuscleChain& chain) : model_(std::make_unique<Model>()) {
  const std::string xml = chain_xml(chain);
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "chain.xml", static_cast<int>(xml.size()));
  std::copy(xml.begin(), xml.end(),
            static_cast<char*>(files->filedata[mj_findFileVFS(files.get(), "chain.xml")]));
  char error[1000] = "";
  model_->m = mj_loadXML("chain.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (!model_->m) throw std::runtime_error(error);
  model_->d = mj_makeData(model_->m);
  reset();
}

MujocoMuscles::~MujocoMuscles() {
  mj_deleteData(model_->d);
  mj_deleteModel(model_->m);
}

void MujocoMuscles::reset() {
  mj_resetData(model_->m, model_->d);
  for (int k = 0; k < model_->m->nq; ++k) model_->d->qpos[k] = MuscleChain::kStart;
  for (int k = 0; k < model_->m->nu; ++k) model_->d->ctrl[k] = -MuscleChain::kTension;
  mj_forward(model_->m, model_->d);
}
void MujocoMuscles::step() { mj_step(model_->m, model_->d); }
double MujocoMuscles::length(int muscle) const { return model_->d->ten_length[muscle]; }
std::string MujocoMuscles::version() { return mj_versionString(); }

}  // namespace bench
