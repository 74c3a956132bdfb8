// A force of your own: drag that grows with the square of the speed. A falling body reaches the
// speed at which drag and weight balance.
#include <cmath>
#include <cstdio>
#include <memory>
#include <sinew/sinew.hpp>

/// τ = −c |q̇| q̇ on one coordinate. A force never changes and holds no state.
class QuadraticDrag final : public sinew::Force {
 public:
  QuadraticDrag(std::string name, sinew::DofIndex dof, double c)
      : Force(std::move(name)), dof_(dof), c_(c) {}

  void add_force(const sinew::SkeletonAt& in, sinew::AppliedForces& out) const override {
    const double v = in.qdot[dof_];
    out.tau[dof_] -= c_ * std::abs(v) * v;
    out.power -= c_ * std::abs(v) * v * v;  // drag stores no energy: the audit needs its power
  }
  /// Implicit integrators solve with derivatives. Drag depends on q̇ alone.
  void add_derivatives(const sinew::SkeletonAt& in, sinew::StiffnessModel,
                       sinew::ForceDerivatives& out) const override {
    out.dtau_dqdot[dof_] -= 2 * c_ * std::abs(in.qdot[dof_]);
  }
  void validate(const sinew::Skeleton& skeleton) const override {
    if (dof_ < 0 || dof_ >= skeleton.dof_count() || !(c_ >= 0))
      throw sinew::Error("force '" + name() + "'", "has no such coordinate, or a negative drag",
                         "give a coordinate of the skeleton and c ≥ 0");
  }

 private:
  sinew::DofIndex dof_;
  double c_;  // [N s²/m²]
};

int main() {
  constexpr double kMass = 80, kDrag = 0.25;
  sinew::BodySpec jumper;
  jumper.name = "jumper";
  jumper.joint = sinew::Prismatic{sinew::Vec3::UnitY()};
  jumper.coordinate_names = {"height"};
  jumper.M_B = sinew::SpatialInertia::FromCentral(kMass, {0, 0, 0}, 10 * sinew::Mat3::Identity());

  sinew::SystemBuilder builder(sinew::SkeletonBuilder().add_body(jumper).build());
  const sinew::DofIndex height = builder.skeleton().find_coordinate("height");
  builder.add_force(std::make_shared<QuadraticDrag>("air", height, kDrag));
  const sinew::System system = builder.build();

  sinew::State state = system.default_state();
  sinew::Workspace ws(system);
  const sinew::SimulationSettings settings{
      .step = {.integrator = sinew::Integrator::sdirk2}, .dt = 0.02, .until = 60};
  sinew::simulate(system, settings, state, ws);

  // Weight and drag balance: m g = c v².
  const double formula = std::sqrt(kMass * -system.gravity().y() / kDrag);
  std::printf("speed after %.0f s: %.3f m/s\n", state.t, -state.qdot[height]);
  std::printf("terminal speed:   %.3f m/s\n", formula);
  return std::abs(-state.qdot[height] - formula) < 1e-3 ? 0 : 1;
}
