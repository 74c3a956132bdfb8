#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tree_spec.hpp"

namespace bench {

/// The kernels measured.
enum class Kernel {
  forward_dynamics,     ///< q̈ from (q, q̇, τ)
  inverse_dynamics,     ///< τ from (q, q̇, q̈)
  mass_matrix,          ///< M(q), dense
  step,                 ///< one step of the engine's default method
  forward_derivatives,  ///< ∂q̈/∂q, ∂q̈/∂q̇, ∂q̈/∂τ
};
inline constexpr Kernel kKernels[] = {Kernel::forward_dynamics, Kernel::inverse_dynamics,
                                      Kernel::mass_matrix, Kernel::step,
                                      Kernel::forward_derivatives};
const char* to_string(Kernel kernel);

/// Relation of an engine's own velocities u to the neutral ones, joint by joint: u = T v, and so u̇
/// = T a + c; forces are dual. Joints that are not mentioned have T = 1, c = 0.
class VelocityMap {
 public:
  /// The joint whose neutral coordinates start at `neutral` and native ones at `native`.
  void add(int native, int neutral, const MatX& T, const VecX& c);
  void add_identity(int native, int neutral, int count);

  VecX velocity_to_native(const VecX& v) const;
  VecX force_to_native(const VecX& tau) const;
  VecX acceleration_to_native(const VecX& a) const;
  VecX acceleration_to_neutral(const VecX& native) const;
  VecX force_to_neutral(const VecX& native) const;
  MatX mass_to_neutral(const MatX& native) const;

 private:
  struct Block {
    int native, neutral;
    MatX T, T_inverse;
    VecX c;
  };
  std::vector<Block> blocks_;
};

/// One model in one engine. Samples are loaded, and turned into the engine's own coordinates,
/// before anything is timed.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual bool offers(Kernel kernel) const = 0;
  virtual void load(const std::vector<Sample>& samples) = 0;
  /// Puts the state that `step` starts from back to the first sample.
  virtual void reset() = 0;

  /// The timed part: `kernel` on each sample once, or the same number of consecutive steps.
  void run(Kernel kernel);

  /// Results at sample i in neutral coordinates, for the kernels offered.
  virtual VecX acceleration(int i) = 0;
  virtual VecX force(int i);
  virtual MatX mass(int i);

 protected:
  virtual int sample_count() const = 0;
  virtual void forward_dynamics(int i) = 0;
  virtual void inverse_dynamics(int i);
  virtual void mass_matrix(int i);
  virtual void step() = 0;
  virtual void forward_derivatives(int i);
};

enum class Constraints {
  none,   ///< not supported
  soft,   ///< enforced by forces that also act when the constraints hold: another model
  exact,  ///< the accelerations satisfy them
};

/// An engine that can be made for any tree; with constraints if it takes them.
struct EngineInfo {
  const char* name;
  Constraints constraints;
  std::string version;
  std::string step_method;
  std::unique_ptr<Engine> (*make)(const TreeSpec&);
};
/// The engines found when the benchmark was built; Sinew first.
std::vector<EngineInfo> engines();

EngineInfo sinew_engine();
EngineInfo mujoco_engine();
EngineInfo simbody_engine();
EngineInfo dart_engine();
EngineInfo bullet_engine();

}  // namespace bench
