#include <gmock/gmock.h>

#include <map>

#include "sinew/adjoint/run_derivatives.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "support/all_models.hpp"
#include "support/message_of.hpp"
#include "support/random.hpp"
#include "support/source_dir.hpp"

/// Derivatives that Newton's method can do with need not be exact; gradients need all. So they are
/// compared with differences in every scene and every model that gradients accept.

namespace sinew {
namespace linearization_sweep_test {

/// The least relative error of central differences along a direction, over their steps.
double error_along(const std::function<VecX(double)>& f, const VecX& claimed, double scale) {
  double best = std::numeric_limits<double>::infinity();
  for (const double h : {1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7}) {
    const VecX difference = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
    best = std::min(best, (difference - claimed).lpNorm<Eigen::Infinity>() /
                              std::max(scale, claimed.lpNorm<Eigen::Infinity>()));
  }
  return best;
}

void require_gradients(const System& system) {
  RunSettings settings;
  settings.step = differentiable_options({.integrator = Integrator::bdf1});
  require_differentiable(system, settings);
}

void expect_exact(const System& system) {
  constexpr double kGamma = 0.002;
  Workspace ws(system);
  State state = exact_start(system);
  test::Random random(3);
  const int n = system.dof_count();
  // Away from where it was described: fibres at rest and knots of splines are kinks.
  state.q += random.vecx(n, 0.02);
  state.qdot += random.vecx(n, 0.3);
  const VecX qddot = random.vecx(n, 2.0), lambda = random.vecx(ws.constraints.rows.size(), 5.0);
  VecX u(system.controls().size()), g(n);
  system.controls().evaluate(0.01, state, u);
  const auto at = [&](const VecX& q, const VecX& qdot) {
    return At(0.01, q, qdot, state.z, kGamma, u);
  };
  Linearization exact;
  linearize(system, at(state.q, state.qdot), qddot, lambda, PartInertia::exact, ws, g, exact);
  MatX rows(ws.constraints.rows.size(), n);
  if (rows.rows() > 0) row_rate_derivatives(system, ws, rows);
  const double scale = 1e-3 * g.lpNorm<Eigen::Infinity>();
  for (int trial = 0; trial < 3; ++trial) {
    const VecX direction = random.vecx(n, 1.0);
    VecX claimed = VecX::Zero(n);
    const auto residual = [&](const VecX& q, const VecX& qdot) {
      VecX out(n);
      inverse_dynamics(system, at(q, qdot), qddot, lambda, ws, out);
      return out;
    };
    add_product(system.nodes(), exact.dg_dq, exact.dg_dq_nodes, 1, direction, claimed);
    const auto by_q = [&](double h) { return residual(state.q + h * direction, state.qdot); };
    EXPECT_LT(error_along(by_q, claimed, scale), 1e-7) << "by q";
    const auto rates = [&](double h) {
      by_q(h);
      const ConstraintRows& r = ws.constraints.rows;
      return VecX(r.Gt().transpose() * state.qdot + r.rate);
    };
    if (rows.rows() > 0) {
      EXPECT_LT(error_along(rates, rows * direction, 1e-3), 1e-7) << "rows";
    }
    claimed.setZero();
    add_product(system.nodes(), exact.dg_dqdot, exact.dg_dqdot_nodes, 1, direction, claimed);
    const auto by_qdot = [&](double h) { return residual(state.q, state.qdot + h * direction); };
    EXPECT_LT(error_along(by_qdot, claimed, scale), 1e-7) << "by q̇";
  }
}

/// The scenes and models that have no gradients, and what is refused in them.
const std::map<std::string, std::string> kRefused = {
    {"belt-drive", "constraints: some depend on others: constraint 'belt_3'"},
    {"brick-wall", "contact 'ground': makes velocities jump"},
    {"cord-over-bone", "guide 'condyle', whose model is not smooth"},
    {"hanging-body-2", "constraints: some depend on others: constraint 'slides_left'"},
    {"hanging-body-3", "constraints: some depend on others: constraint 'slides_left'"},
    {"hanging-body-4", "constraints: some depend on others: constraint 'slides_left'"},
    {"knee-fitted", "force 'knee_angle_stop': has a damper that sets in"},
    {"knee-revolute", "force 'knee_angle_stop': has a damper that sets in"},
    {"knee-spline", "force 'knee_angle_stop': has a damper that sets in"},
    {"leg-fitted-knee", "force 'knee_angle_stop': has a damper that sets in"},
    {"leg-spline-knee", "force 'knee_angle_stop': has a damper that sets in"},
    {"redmax-06", "limit 'limit': makes velocities jump"},
    {"redmax-27", "bearing 'bearing-1': makes velocities jump"},
    {"redmax-28", "bearing 'bearing-1': makes velocities jump"},
    {"redmax-29", "bearing 'bearing-1': makes velocities jump"},
    {"redmax-30", "bearing 'bearing-1': makes velocities jump"},
    {"redmax-31", "contact 'floor': makes velocities jump"},
    {"rope-brake", "guide 'rim': has friction that makes velocities jump"},
    {"redmax-diff-13", "force 'force-1' is slack at times, and its damper sets in"},
    {"redmax-diff-14", "force 'j1_1_stop': has a damper that sets in"},
    {"atwood-spaced",
     "has nodes that pass rings or guides, where coordinates change their meaning"},
    {"running-rope", "has nodes that pass rings or guides, where coordinates change their meaning"},
    {"running-string",
     "has nodes that pass rings or guides, where coordinates change their meaning"},
};

class LinearizationSweep : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(LinearizationSweep, DerivativesOfAStageAreExact) {
  const bool smooth = GetParam().extension() == ".osim";
  const System system = load_model(GetParam().string(), {.smooth_paths = smooth}).system();
  const auto refused = kRefused.find(GetParam().stem().string());
  try {
    require_gradients(system);
  } catch (const Error& error) {
    ASSERT_TRUE(refused != kRefused.end()) << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr(refused->second));
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return;
  }
  EXPECT_TRUE(refused == kRefused.end()) << "is no longer refused";
  expect_exact(system);
}

/// Scenes that are refused because of the dampers of their stops: the remedy helps.
TEST(LinearizationOfStops, IsExactWithATransition) {
  struct Case {
    std::string scene;
    std::vector<std::string> bodies;
    double q0;  // of the first of them, beyond its stop
  };
  const std::vector<std::string> leg = {"tibia", "foot"};
  for (const Case& c : std::vector<Case>{{"knee-spline", leg, 0.02},
                                         {"knee-revolute", leg, 0.02},
                                         {"leg-spline-knee", leg, 0.02},
                                         {"redmax-diff-14", {"b1", "b2", "b3"}, 0.02}}) {
    SCOPED_TRACE(c.scene);
    const std::string file = test::source_dir() + "/scenes/" + c.scene + ".json";
    LoadOptions options;
    options.set = {"bodies." + c.bodies[0] + ".joint.q0=" + std::to_string(c.q0)};
    const System jumps = load_model(file, options).system();
    EXPECT_THAT(test::message_of([&] { require_gradients(jumps); }),
                testing::HasSubstr("give the stops a 'transition'"));
    for (const std::string& body : c.bodies)
      options.set.push_back("bodies." + body + ".joint.stops.transition=0.1");
    const System smooth = load_model(file, options).system();
    require_gradients(smooth);
    expect_exact(smooth);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, LinearizationSweep, testing::ValuesIn(test::all_scenes_and_models()),
                         [](const auto& of) { return test::test_name(of.param); });

}  // namespace linearization_sweep_test
}  // namespace sinew
