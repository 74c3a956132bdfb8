#include "support/floating_tree.hpp"

#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/forces.hpp"

namespace sinew::test {
namespace {

Joint any_joint(Random& random) {
  const Vec3 axis = random.unit_vector();
  switch (static_cast<int>(random.uniform(0, 10 - 1e-9))) {
    case 0:
      return Prismatic(axis);
    case 1:
      return Universal();
    case 2:
      return SphericalExp();
    case 3:
      return SphericalEuler("xyz");
    case 4:
      return Helical(axis, 0.3);
    case 5:
      return Elliptic(1.2, 0.8);
    case 6:
      return Fixed();
    case 7:
      return Composite{{Revolute(axis), Prismatic(random.unit_vector())}};
    default:
      return Revolute(axis);
  }
}

}  // namespace

Skeleton floating_tree(unsigned seed, int bodies, const FloatingTreeOptions& options) {
  Random random(seed);
  SkeletonBuilder builder;
  for (int i = 0; i < bodies; ++i) {
    BodySpec spec;
    spec.name = "b" + std::to_string(i);
    if (i > 0) spec.parent = "b" + std::to_string(static_cast<int>(random.uniform(0, i - 1e-9)));
    spec.joint = i == 0 ? Joint(Free3D()) : any_joint(random);
    spec.E_PJ = i == 0 ? options.E_WP : random.pose(0.4);
    spec.E_JB = random.pose(0.3);
    const double mass = random.uniform(0.5, 2);
    const Vec3 moments = mass * Vec3(0.02, 0.03, 0.04);
    spec.M_B = SpatialInertia::FromCentral(options.mass_scale * mass, random.vec3(0.2),
                                           options.mass_scale * Mat3(moments.asDiagonal()));
    builder.add_body(spec);
  }
  return builder.build();
}

void add_internal_forces(SystemBuilder& builder, unsigned seed) {
  Random random(seed + 500);
  const Skeleton& skeleton = builder.skeleton();
  for (int k = 6; k < skeleton.dof_count(); ++k) {
    const std::string name = skeleton.coordinates()[static_cast<size_t>(k)].name;
    builder.add_force(std::make_shared<JointSpring>("spring " + name, DofIndex(k), 3, 0.5, 0.1));
    builder.add_force(std::make_shared<JointTorque>("torque " + name, DofIndex(k),
                                                    TimeTable::Constant(random.vecx(1, 2))));
  }
  for (int b = 1; b < skeleton.body_count(); ++b)
    builder.add_force(std::make_shared<PointSpring>("rope " + std::to_string(b), BodyIndex(b - 1),
                                                    random.vec3(0.3), BodyIndex(b),
                                                    random.vec3(0.3), 20, 1, 0.3));
}

}  // namespace sinew::test
