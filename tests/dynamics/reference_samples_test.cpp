#include <gtest/gtest.h>

#include "sinew/dynamics/jacobian.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/system/equations.hpp"
#include "support/jacobian_form.hpp"
#include "support/reference.hpp"

/// M, f, q̈, J, poses, twists and energies of the reference implementation at random states
/// (dynamics_samples.json), in its units.

namespace sinew {
namespace reference_samples_test {

using nlohmann::json;

double difference(const MatX& ours, const MatX& theirs) {
  const double scale = theirs.cwiseAbs().maxCoeff();
  return (ours - theirs).cwiseAbs().maxCoeff() / (scale > 0 ? scale : 1);
}

// Both sides round; the samples were computed through dense products of some twenty terms.
constexpr double kTolerance = 1e-11;

void compare(const json& scene, const json& sample) {
  const System system = test::reference_system(scene);
  const Skeleton& skeleton = system.skeleton();
  const VecX q = test::to_vector(sample.at("q")), qdot = test::to_vector(sample.at("qdot"));
  const int n = system.dof_count();
  Workspace ws(system);
  VecX qddot(n), g(n), zero = VecX::Zero(n);
  Linearization at;
  linearize(system, {0, q, qdot}, zero, StiffnessModel::exact, ws, g, at);
  EXPECT_LT(difference(at.M, test::to_matrix(sample.at("M"))), kTolerance);
  EXPECT_LT(difference(-g, test::to_vector(sample.at("f"))), kTolerance);
  const test::JacobianForm form = test::jacobian_form(system, qdot, ws);
  EXPECT_LT(difference(form.J, test::to_matrix(sample.at("J"))), kTolerance);
  EXPECT_LT(difference(form.Jdot * qdot, test::to_vector(sample.at("Jdot_qdot"))), kTolerance);
  for (int i = 0; i < skeleton.body_count(); ++i) {
    const auto ii = static_cast<size_t>(i);
    const Pose E = body_pose(skeleton, ws.skeleton, BodyIndex(i));
    EXPECT_LT(difference(E.matrix(), test::to_matrix(sample.at("E_wi")[ii])), kTolerance);
    EXPECT_LT(difference(body_twist(skeleton, ws.skeleton, BodyIndex(i)),
                         test::to_vector(sample.at("phi")[ii])),
              kTolerance);
  }
  // Loops and couplings change q̈ and are not part of this system.
  if (scene.at("constraints").empty()) {
    forward_dynamics(system, {0, q, qdot}, ws, qddot);
    EXPECT_LT(difference(qddot, test::to_vector(sample.at("qddot"))), kTolerance);
  }
  const Energy e = energy(system, {0, q, qdot}, ws);
  EXPECT_NEAR(e.kinetic, sample.at("T").get<double>(), kTolerance * std::max(1.0, e.kinetic));
}

TEST(ReferenceSamples, AreReproducedInEveryScene) {
  SINEW_NEEDS_REFERENCE();
  int scenes = 0;
  for (const json& entry : test::reference_json("redmax/dynamics_samples.json")) {
    SCOPED_TRACE("scene " + entry.at("scene").dump());
    const json scene =
        test::reference_scene("redmax/scenes_matlab.json", entry.at("scene").get<int>());
    for (const json& sample : entry.at("samples")) compare(scene, sample);
    ++scenes;
  }
  EXPECT_EQ(scenes, 17);
}

}  // namespace reference_samples_test
}  // namespace sinew
