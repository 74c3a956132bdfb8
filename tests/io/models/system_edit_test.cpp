#include "sinew/io/models/system_edit.hpp"

#include <gtest/gtest.h>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/constraints/rows/prescribed_motion.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/muscles/muscle_element.hpp"
#include "sinew/system/equations.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace system_edit_test {

Scene changed(const std::string& name, const SystemEdit& change) {
  const std::filesystem::path path = test::source_dir() + "/scenes/" + name + ".json";
  return parse_changed_scene(read_text_file(path), path.string(), path.parent_path(), {}, change);
}

double bone_mass(const Scene& scene) {
  double out = 0;
  for (const Body& body : scene.system.skeleton().bodies()) out += body.M_B.mass;
  return out;
}

TEST(SystemEdit, AddsForces) {
  SystemEdit change;
  change.forces.push_back(std::make_shared<WorldForce>("push", BodyIndex(1), Vec3::Zero(),
                                                       TimeTable::Constant(Vec3(1, 0, 0))));
  const Scene scene = changed("double-pendulum", change);
  EXPECT_EQ(scene.system.forces().back()->name(), "push");
}

TEST(SystemEdit, AddsConstraints) {
  SystemEdit change;
  change.constraints.push_back(std::make_shared<PrescribedCoordinate>(
      "lock", DofIndex(0), ConstraintLevel::position, TimeFunction(0.25)));
  const Scene scene = changed("double-pendulum", change);
  EXPECT_EQ(scene.system.constraints().back()->name(), "lock");
  EXPECT_NEAR(scene.system.default_state().q[0], 0.25, 1e-12);
}

TEST(SystemEdit, PutsMassOnBonesWithoutLosingAny) {
  SystemEdit change;
  change.mass_on_bones = true;
  for (const char* name : {"wrap-pendulum", "swing-leg", "knee-revolute"}) {
    const Scene plain = changed(name, {}), scene = changed(name, change);
    ASSERT_TRUE(plain.system.has_massive_muscles()) << name;
    EXPECT_FALSE(scene.system.has_massive_muscles()) << name;
    double in_muscles = 0;
    for (const auto& muscle : plain.system.muscles()) in_muscles += muscle->muscle().mass;
    // Rounding of sums.
    EXPECT_NEAR(bone_mass(scene), bone_mass(plain) + in_muscles, 1e-12 * bone_mass(scene)) << name;
  }
}

TEST(SystemEdit, MassOnBonesIsMovedAlikeAtTheStart) {
  // In the default pose the energy of gravity is that of the same masses in the same places.
  SystemEdit change;
  change.mass_on_bones = true;
  const Scene plain = changed("wrap-pendulum", {}), scene = changed("wrap-pendulum", change);
  Workspace a(plain.system), b(scene.system);
  const State state = plain.system.default_state();
  const double expected = energy(plain.system, {0, state.q, state.qdot}, a).gravity;
  // Arcs are made of Gauss points on both sides: rounding.
  EXPECT_NEAR(energy(scene.system, {0, state.q, state.qdot}, b).gravity, expected,
              1e-12 * std::abs(expected));
}

}  // namespace system_edit_test
}  // namespace sinew
