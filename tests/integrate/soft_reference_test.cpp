#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/builder/system_builder.hpp"
#include "sinew/constraints/rows/row_primitives.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/strands/strand_forms.hpp"
#include "support/reference.hpp"

// Scene 12 of the public REDMAX implementation: two rods and two strands, in its own units (cm, g,
// s). There the strands' ends are vertices of their own that three rows each hold to bodies, which
// is what must be done to get its digits; ours ride on the bodies.

namespace sinew {
namespace soft_reference_test {

/// A free vertex, three entries of q from `dof` on, at the point x_B of a body.
class VertexTie final : public Constraint {
 public:
  VertexTie(std::string name, int dof, BodyIndex body, const Vec3& x_B)
      : Constraint(std::move(name)), dof_(dof), body_(body), x_B_(x_B) {}
  int rows() const override { return 3; }
  void evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const override {
    const AttachedPoint at = attach(in, body_, x_B_);
    for (int k = 0; k < 3; ++k) {
      out.value[row + k] = in.q[dof_ + k] - at.position[k];
      out.rate[row + k] = out.bias[row + k] = 0;
      out.add_coordinate(row + k, dof_ + k, 1, 0);
      if (at.link > 0)
        add_point_term(at, motion(in, at.link).v, -Vec3::Unit(k), Vec3::Zero(), row + k, out);
    }
  }
  void add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                ForceDerivatives& out) const override {
    const AttachedPoint at = attach(in, body_, x_B_);
    const Vec3 F(lambda[0], lambda[1], lambda[2]);
    out.add(at.link, at.link, at.jacobian().transpose() * on_rotation(skew(F)), Mat6::Zero());
  }
  std::vector<Measurement> measure(const SkeletonAt&, std::span<const double>) const override {
    return {};
  }
  void validate(const Skeleton&) const override {}

 private:
  int dof_;
  BodyIndex body_;
  Vec3 x_B_;
};

/// The scene with its strands' ends tied by rows, as in the reference, or attached.
System scene_12(const nlohmann::json& json, bool tied) {
  const System bones = test::reference_system(json);
  SystemBuilder builder(bones.skeleton());
  builder.set_gravity(test::to_vector(json.at("grav")));
  SkeletonWorkspace ws(bones.skeleton());
  const VecX zero = VecX::Zero(bones.dof_count());
  update_kinematics(bones.skeleton(), zero, zero, ws);
  int dof = bones.dof_count(), strand = 0;
  for (const auto& d : json.at("deformables")) {
    Chain chain;
    chain.name = "strand " + std::to_string(++strand);
    const auto end = [&](const char* body, const char* point) {
      return RigidNode{d.at(body) == 0 ? kWorld : BodyIndex(d.at(body).get<int>() - 1),
                       test::to_vector(d.at(point))};
    };
    chain.ends = {end("body0", "r0"), end("body1", "r1")};
    for (size_t k = 0; k < 2; ++k)
      chain.start[k] = body_pose(bones.skeleton(), ws, chain.ends[k].body) * chain.ends[k].x_B;
    chain.vertices = d.at("nnodes");
    chain.mass = d.at("mass_total");
    chain.stiffness = d.at("K");
    DescribedStrand described = make_chain(chain);
    if (tied) {
      for (size_t k = 0; k < 2; ++k) {
        StrandNode& node = k == 0 ? described.nodes.front() : described.nodes.back();
        node.place =
            MaximalNode{chain.start[k], Vec3::Zero(), std::get<RigidNode>(node.place).mass};
        builder.add_constraint(
            std::make_shared<VertexTie>(node.name, k == 0 ? dof : dof + 3 * (chain.vertices - 1),
                                        chain.ends[k].body, chain.ends[k].x_B));
      }
      dof += 3 * chain.vertices;
    }
    builder.add(described);
  }
  return builder.build();
}

StepOptions reference_options(const nlohmann::json& json) {
  StepOptions options;
  options.projection = false;
  const VecX b = test::to_vector(json.at("baumgarte"));
  options.baumgarte = {b[0], b[1], b[2]};
  return options;
}

TEST(SoftReference, Scene12HasTheEnergiesAndMotionOfLinearlyImplicitEuler) {
  SINEW_NEEDS_REFERENCE();
  const nlohmann::json json = test::reference_scene("redmax/scenes_matlab.json", 12);
  const System system = scene_12(json, true);
  StepOptions options = reference_options(json);
  options.integrator = Integrator::linearly_implicit_euler;
  options.jacobian = StiffnessModel::redmax;
  const double h = json.at("hEuler");
  const test::ReferenceTable table = test::reference_csv("redmax/scene_12_itype3.csv");
  State state = system.described_state();
  Workspace ws(system);
  const double V_0 = energy(system, {0, state.q, state.qdot}, ws).potential();
  double worst = 0, scale = 0;
  for (const auto& row : table.rows) scale = std::max(scale, row[table.column("T")]);
  for (size_t k = 1; k < table.rows.size(); ++k) {
    ASSERT_EQ(step(system, options, h, state, ws).status, StepStatus::ok);
    state.t = static_cast<double>(k) * h;
    const Energy e = energy(system, state, ws);
    worst = std::max({worst, std::abs(e.kinetic - table.rows[k][table.column("T")]) / scale,
                      std::abs(e.potential() - table.rows[k][table.column("V")]) / scale});
    for (int i = 0; i < system.dof_count(); ++i)
      ASSERT_NEAR(state.q[i], table.rows[k][1 + i], 1e-8) << "t = " << state.t << " entry " << i;
  }
  const double H = energy(system, state, ws).total() - V_0;
  const double expected = table.rows.back()[table.column("H")];
  EXPECT_LT(worst, 1e-8);
  EXPECT_NEAR(H, expected, 1e-8 * std::abs(expected));
}

TEST(SoftReference, Scene12HasTheEnergiesOfOde45) {
  SINEW_NEEDS_REFERENCE();
  const nlohmann::json json = test::reference_scene("redmax/scenes_matlab.json", 12);
  const System system = scene_12(json, true);
  SimulationSettings settings;
  settings.step = reference_options(json);
  settings.step.integrator = Integrator::dopri5;
  settings.step.ode45_rules = true;
  settings.step.relative_tolerance = 1e-4;
  settings.step.absolute_tolerance = 1e-6;
  settings.until = json.at("tspan_redmax_ode45")[1];
  const test::ReferenceTable table = test::reference_csv("redmax/scene_12_itype2.csv");
  State state = system.described_state();
  Workspace ws(system), at(system);
  size_t row = 0;
  double worst = 0, scale = 0;
  for (const auto& r : table.rows) scale = std::max(scale, r[table.column("T")]);
  SimulationObserver observer;
  observer.on_output = [&](const State& now) {
    ASSERT_LT(row, table.rows.size());
    const Energy e = energy(system, now, at);
    ASSERT_NEAR(now.t, table.rows[row][0], 1e-8);
    worst = std::max({worst, std::abs(e.kinetic - table.rows[row][table.column("T")]) / scale,
                      std::abs(e.potential() - table.rows[row][table.column("V")]) / scale});
    ++row;
  };
  ASSERT_EQ(simulate(system, settings, state, ws, observer).end, SimulationEnd::finished);
  EXPECT_EQ(row, table.rows.size());
  // Steps are chosen by the error, so that rounding of two programs moves their ends by 1e-9 s.
  EXPECT_LT(worst, 5e-8);
}

TEST(SoftReference, AttachedEndsMoveAsTiedOnesDo) {
  SINEW_NEEDS_REFERENCE();
  const nlohmann::json json = test::reference_scene("redmax/scenes_matlab.json", 12);
  const System tied = scene_12(json, true), attached = scene_12(json, false);
  EXPECT_EQ(tied.dof_count(), 2 + 15);
  EXPECT_EQ(attached.dof_count(), 2 + 3);
  SimulationSettings settings;
  settings.step.integrator = Integrator::dopri5;
  settings.step.relative_tolerance = settings.step.absolute_tolerance = 1e-11;
  settings.until = 0.5;
  State a = tied.default_state(), b = attached.default_state();
  Workspace ws_a(tied), ws_b(attached);
  ASSERT_EQ(simulate(tied, settings, a, ws_a).end, SimulationEnd::finished);
  ASSERT_EQ(simulate(attached, settings, b, ws_b).end, SimulationEnd::finished);
  // Two integrations to 1e-11 of a slightly chaotic motion; cm and rad.
  EXPECT_NEAR(a.q[0], b.q[0], 1e-7);
  EXPECT_NEAR(a.q[1], b.q[1], 1e-7);
  EXPECT_LT((a.q.segment<3>(5) - b.q.segment<3>(2)).norm(), 1e-6);
}

}  // namespace soft_reference_test
}  // namespace sinew
