#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sinew/adjoint/objectives.hpp"
#include "sinew/adjoint/run_parameters.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/coordinate_drive.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/math/minimize.hpp"
#include "support/reference.hpp"

/// The two tasks of the public REDMAX implementation: constant torques that bring the tip of a
/// double pendulum to a target. Units: cm, g, s.

namespace sinew {
namespace reference_gradients_test {

constexpr double kTorque = 1e5, kPositionWeight = 100, kTorqueWeight = 0.01;

System pendulum() {
  const auto link = [](const char* name, const char* parent, double q0, double at) {
    BodySpec spec;
    spec.name = name;
    spec.parent = parent;
    spec.joint = Revolute{Vec3::UnitY()};
    spec.E_PJ.p = Vec3(at, 0, 0);
    const double m = 10, across = m / 12 * 2, along = m / 12 * 101;
    spec.M_B =
        SpatialInertia::FromCentral(m, Vec3(5, 0, 0), Vec3(across, along, along).asDiagonal());
    spec.q0 = {q0};
    spec.qdot0 = {1};
    return spec;
  };
  const double right = std::acos(0.0);
  SystemBuilder builder(SkeletonBuilder()
                            .add_body(link("upper", "", right, 0))
                            .add_body(link("lower", "upper", right / 2, 10))
                            .build());
  builder.set_gravity(Vec3(0, 0, -980));
  const CoordinateDrive::Range unlimited{-std::numeric_limits<double>::infinity(),
                                         std::numeric_limits<double>::infinity()};
  for (int k = 0; k < 2; ++k) {
    const double rest = k == 0 ? right : right / 2;
    builder.add_force(
        std::make_shared<JointSpring>("spring" + std::to_string(k), DofIndex(k), 1e4, 1e4, rest));
    builder.add_force(std::make_shared<CoordinateDrive>("torque" + std::to_string(k), DofIndex(k),
                                                        1.0, 0.0, unlimited));
  }
  return builder.build();
}

/// p = (torque of the lower joint, of the upper one), in units of kTorque.
class Task {
 public:
  explicit Task(Integrator integrator)
      : system_(pendulum()),
        parameters_(system_, system_.default_state()),
        run_(system_, settings(integrator)),
        objective_(BodyIndex(1), Vec3(10, 0, 0),
                   Vec3(integrator == Integrator::bdf1 ? 10 : -10, 0, -10), kPositionWeight) {
    for (const int control : {1, 0})
      parameters_.add_control(control, {0}, RunParameters::Interpolation::step, kTorque);
  }

  bool evaluate(const VecX& p, double& value, VecX& gradient) {
    ValueAndGradient at;
    if (!differentiate(run_, parameters_, objective_, p, at)) return false;
    EXPECT_LT(at.newton_error, 1e-9 * 1e4);
    value = at.value + kTorqueWeight / 2 * p.squaredNorm();
    gradient = at.gradient + kTorqueWeight * p;
    return true;
  }

 private:
  static RunSettings settings(Integrator integrator) {
    RunSettings out;
    out.step.integrator = integrator;
    out.step = differentiable_options(out.step);
    out.dt = 0.01;
    out.steps = 100;
    return out;
  }
  System system_;
  RunParameters parameters_;
  RunDerivatives run_;
  PointTarget objective_;
};

struct Row {
  std::string integrator;
  VecX p, gradient;
  double value;
  bool optimum;
};
std::vector<Row> rows() {
  std::ifstream file(*test::reference_dir() / "redmax" / "adjoint_reference.csv");
  std::vector<Row> out;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    const bool optimum = cells[0].ends_with("_opt");
    const auto pair = [&](size_t k) {
      return VecX(Eigen::Vector2d(std::stod(cells[k]), std::stod(cells[k + 1])));
    };
    out.push_back(
        {cells[0].substr(0, 4), pair(1), pair(optimum ? 4 : 6), std::stod(cells[3]), optimum});
  }
  return out;
}
Integrator integrator_of(const Row& row) {
  return row.integrator == "BDF1" ? Integrator::bdf1 : Integrator::bdf2;
}

TEST(ReferenceGradients, AgreeWithItsCentralDifferences) {
  SINEW_NEEDS_REFERENCE();
  int compared = 0;
  for (const Row& row : rows()) {
    if (row.optimum) continue;
    SCOPED_TRACE(row.integrator + " " + std::to_string(row.p[0]));
    double value = 0;
    VecX gradient;
    ASSERT_TRUE(Task(integrator_of(row)).evaluate(row.p, value, gradient));
    EXPECT_NEAR(value / row.value, 1, 1e-9);
    EXPECT_LT((gradient - row.gradient).lpNorm<Eigen::Infinity>(),
              1e-8 * row.gradient.lpNorm<Eigen::Infinity>());
    ++compared;
  }
  EXPECT_EQ(compared, 8);
}

TEST(ReferenceGradients, LeadToItsOptimaOrBelow) {
  SINEW_NEEDS_REFERENCE();
  for (const Row& row : rows()) {
    if (!row.optimum) continue;
    Task task(integrator_of(row));
    const MinimizeResult result =
        minimize([&](const VecX& p, double& value,
                     VecX& gradient) { return task.evaluate(p, value, gradient); },
                 1.1 * row.p);
    EXPECT_LT(result.value, row.value * (1 + 1e-9)) << row.integrator << " " << result.evaluations;
    EXPECT_LT(result.evaluations, 60) << to_string(result.end);
  }
}

}  // namespace reference_gradients_test
}  // namespace sinew
