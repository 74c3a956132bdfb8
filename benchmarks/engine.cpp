#include "engine.hpp"

#include <stdexcept>

namespace bench {
namespace {

[[noreturn]] void refuse() { throw std::logic_error("the engine does not offer this kernel"); }

}  // namespace

const char* to_string(Kernel kernel) {
  switch (kernel) {
    case Kernel::forward_dynamics:
      return "forward dynamics";
    case Kernel::inverse_dynamics:
      return "inverse dynamics";
    case Kernel::mass_matrix:
      return "mass matrix";
    case Kernel::step:
      return "step";
    case Kernel::forward_derivatives:
      return "derivatives";
  }
  return "";
}

void VelocityMap::add(int native, int neutral, const MatX& T, const VecX& c) {
  blocks_.push_back({native, neutral, T, T.inverse(), c});
}

void VelocityMap::add_identity(int native, int neutral, int count) {
  add(native, neutral, MatX::Identity(count, count), VecX::Zero(count));
}

VecX VelocityMap::velocity_to_native(const VecX& v) const {
  VecX native(v.size());
  for (const Block& b : blocks_)
    native.segment(b.native, b.c.size()) = b.T * v.segment(b.neutral, b.c.size());
  return native;
}

VecX VelocityMap::force_to_native(const VecX& tau) const {
  VecX native(tau.size());
  for (const Block& b : blocks_)
    native.segment(b.native, b.c.size()) =
        b.T_inverse.transpose() * tau.segment(b.neutral, b.c.size());
  return native;
}

VecX VelocityMap::acceleration_to_native(const VecX& a) const {
  VecX native(a.size());
  for (const Block& b : blocks_)
    native.segment(b.native, b.c.size()) = b.T * a.segment(b.neutral, b.c.size()) + b.c;
  return native;
}

VecX VelocityMap::acceleration_to_neutral(const VecX& native) const {
  VecX a(native.size());
  for (const Block& b : blocks_)
    a.segment(b.neutral, b.c.size()) = b.T_inverse * (native.segment(b.native, b.c.size()) - b.c);
  return a;
}

VecX VelocityMap::force_to_neutral(const VecX& native) const {
  VecX tau(native.size());
  for (const Block& b : blocks_)
    tau.segment(b.neutral, b.c.size()) = b.T.transpose() * native.segment(b.native, b.c.size());
  return tau;
}

MatX VelocityMap::mass_to_neutral(const MatX& native) const {
  MatX M(native.rows(), native.cols());
  for (const Block& r : blocks_)
    for (const Block& c : blocks_)
      M.block(r.neutral, c.neutral, r.c.size(), c.c.size()) =
          r.T.transpose() * native.block(r.native, c.native, r.c.size(), c.c.size()) * c.T;
  return M;
}

void Engine::run(Kernel kernel) {
  const int n = sample_count();
  switch (kernel) {
    case Kernel::forward_dynamics:
      for (int i = 0; i < n; ++i) forward_dynamics(i);
      break;
    case Kernel::inverse_dynamics:
      for (int i = 0; i < n; ++i) inverse_dynamics(i);
      break;
    case Kernel::mass_matrix:
      for (int i = 0; i < n; ++i) mass_matrix(i);
      break;
    case Kernel::step:
      for (int i = 0; i < n; ++i) step();
      break;
    case Kernel::forward_derivatives:
      for (int i = 0; i < n; ++i) forward_derivatives(i);
      break;
  }
}

VecX Engine::force(int) { refuse(); }
MatX Engine::mass(int) { refuse(); }
void Engine::inverse_dynamics(int) { refuse(); }
void Engine::mass_matrix(int) { refuse(); }
void Engine::forward_derivatives(int) { refuse(); }

std::vector<EngineInfo> engines() {
  return {
      sinew_engine(),
#ifdef BENCH_MUJOCO
      mujoco_engine(),
#endif
#ifdef BENCH_SIMBODY
      simbody_engine(),
#endif
#ifdef BENCH_DART
      dart_engine(),
#endif
#ifdef BENCH_BULLET
      bullet_engine(),
#endif
  };
}

}  // namespace bench
