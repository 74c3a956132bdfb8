#include "support/constraint_examples.hpp"

#include "sinew/builder/system_builder.hpp"
#include "sinew/constraints/rows/closure.hpp"
#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/constraints/rows/point_constraints.hpp"
#include "sinew/constraints/rows/prescribed_motion.hpp"
#include "sinew/dynamics/kinematics.hpp"
#include "support/random_tree.hpp"

namespace sinew::test {

std::vector<ConstraintExample> constraint_examples(const Skeleton& skeleton, Random& random) {
  std::vector<ConstraintExample> out;
  const auto add = [&](auto constraint) {
    const std::string name = constraint.name();
    out.push_back({name, std::make_shared<decltype(constraint)>(std::move(constraint))});
  };
  const auto link = [&](BodyIndex b) { return b == kWorld ? 0 : skeleton.body(b).link.value; };
  const auto any_body = [&] {
    return BodyIndex(static_cast<int>(random.uniform(-1, skeleton.body_count() - 1e-9)));
  };
  // Two bodies that move against each other.
  BodyIndex a, b;
  do {
    a = any_body();
    b = any_body();
  } while (link(a) == link(b));
  BodyIndex moving = link(b) == 0 ? a : b;
  const auto any_dof = [&] {
    return DofIndex(static_cast<int>(random.uniform(0, skeleton.dof_count() - 1e-9)));
  };

  // Drawn one by one: compilers differ in the order of a call's arguments.
  Vec3 x[4];
  const auto draw = [&](int count) {
    for (int k = 0; k < count; ++k) x[k] = random.vec3();
  };
  draw(2);
  add(Closure::Ball("ball", a, x[1], b, x[0]));
  draw(4);
  add(Closure::Hinge("hinge", a, x[3], x[2], b, x[1], x[0]));
  const Pose E_b = random.pose(), E_a = random.pose();
  add(Closure::Weld("weld", a, E_a, b, E_b));
  draw(2);
  add(ConstantDistance("distance", a, x[1], b, x[0], 0.7));
  draw(3);
  add(PointOnLine("line", a, x[2], x[1], b, x[0]));
  draw(3);
  add(PointOnPlane("plane", a, x[2], x[1], b, x[0]));
  if (skeleton.dof_count() > 1) {
    const DofIndex i = any_dof(), j((i + 1) % skeleton.dof_count());
    add(CoordinateCoupling::Linear("linear", {{i, 0.7}, {j, -1.3}}, 0.2));
    add(CoordinateCoupling::Function("polynomial", i, PolynomialFunction{{0.1, 0.5, -0.3, 0.2}},
                                     {j}));
    add(CoordinateCoupling::Function("sine", i, SineFunction{0.4, 1.7, 0.2, 0.1}, {j}));
    add(CoordinateCoupling::Gear("gear", i, j, -2.5));
  }
  const TimeFunction wave = ScalarFunction(SineFunction{0.5, 2, 0.3, 0.1});
  const TimeFunction step = SigmoidFunction{1.2, 3, 0.4, -0.1};
  for (const auto& [level, name] : {std::pair(ConstraintLevel::position, "position"),
                                    std::pair(ConstraintLevel::velocity, "velocity"),
                                    std::pair(ConstraintLevel::acceleration, "acceleration")})
    add(PrescribedCoordinate(std::string("coordinate ") + name, any_dof(), level, wave));
  for (const auto& [level, name] : {std::pair(ConstraintLevel::velocity, "velocity"),
                                    std::pair(ConstraintLevel::acceleration, "acceleration")}) {
    add(PrescribedTwist(std::string("body twist ") + name, moving, random.vec3(), level,
                        {PrescribedTwist::BodyRow(1, wave), PrescribedTwist::BodyRow(3, step),
                         PrescribedTwist::BodyRow(5, 0.3)}));
    const Vec3 axis = random.vec3(), point = random.vec3();
    add(PrescribedTwist(
        std::string("world twist ") + name, moving, point, level,
        {PrescribedTwist::WorldRow(0, wave),
         {PrescribedTwist::Part::linear, axis, PrescribedTwist::Frame::world, step}}));
  }
  return out;
}

SkeletonBuilder with_defaults(const Skeleton& skeleton, const VecX& q, const VecX& qdot) {
  SkeletonBuilder out;
  for (const Body& body : skeleton.bodies()) {
    BodySpec spec;
    spec.name = body.name;
    spec.parent = body.parent == kWorld ? "" : skeleton.body(body.parent).name;
    spec.joint = body.joint;
    spec.joint_name = body.joint_name;
    spec.E_PJ = body.E_PJ;
    spec.E_JB = body.E_JB;
    spec.M_B = body.M_B;
    for (int k = 0; k < body.joint.dof(); ++k) {
      spec.q0.push_back(q[body.first_dof + k]);
      spec.qdot0.push_back(qdot[body.first_dof + k]);
    }
    out.add_body(spec);
  }
  return out;
}

namespace {

/// Makes constraints that hold at the default state of a skeleton.
class Satisfied {
 public:
  Satisfied(const Skeleton& skeleton, const VecX& q, const VecX& qdot, Random& random)
      : skeleton_(skeleton), q_(q), ws_(skeleton), random_(random) {
    update_kinematics(skeleton, q, qdot, ws_);
  }

  std::shared_ptr<const Constraint> operator()(const std::string& name) {
    BodyIndex a = any_body(), b = any_body();
    for (int k = 0; link(a) == link(b) && k < 50; ++k) b = any_body();
    const Vec3 x_A = random_.vec3();
    const Pose E_A = body_pose(skeleton_, ws_, a),
               E_BA = body_pose(skeleton_, ws_, b).inverse() * E_A;
    const DofIndex i = any_dof(), j = any_dof();
    const double f_i = q_[i], f_j = q_[j];
    const auto kind = static_cast<int>(random_.uniform(0, 11 - 1e-9));
    const Vec3 v = random_.unit_vector();
    switch (kind) {
      case 0:
        return make(Closure::Ball(name, a, x_A, b, E_BA * x_A));
      case 1:
        return make(Closure::Hinge(name, a, x_A, v, b, E_BA * x_A, E_BA.R * v));
      case 2: {
        const Pose E = random_.pose();
        return make(Closure::Weld(name, a, E, b, E_BA * E));
      }
      case 3: {
        const Vec3 x_B = random_.vec3();
        return make(ConstantDistance(name, a, x_A, b, x_B, (E_BA * x_A - x_B).norm()));
      }
      case 4:
        return make(PointOnLine(name, a, x_A, v, b, E_BA * (x_A + 0.3 * v)));
      case 5:
        return make(PointOnPlane(name, a, x_A, v, b, E_BA * (x_A + 0.3 * v.unitOrthogonal())));
      case 6:
        return make(CoordinateCoupling::Linear(name, {{i, 1}, {j, 0.5}}, f_i + 0.5 * f_j));
      case 7:
        return make(CoordinateCoupling::Function(
            name, i, PolynomialFunction{{f_i - 0.3 * f_j - 0.2 * f_j * f_j, 0.3, 0.2}}, {j}));
      case 8:
        return make(PrescribedCoordinate(name, i, ConstraintLevel::position,
                                         ScalarFunction(PolynomialFunction{{f_i, 0.3, -0.1}})));
      case 9:
        return make(PrescribedCoordinate(name, i, ConstraintLevel::velocity, 0.4));
      default:
        return make(PrescribedTwist(
            name, link(b) == 0 ? a : b, x_A, ConstraintLevel::velocity,
            {PrescribedTwist::BodyRow(1, 0.3), PrescribedTwist::WorldRow(4, -0.2)}));
    }
  }

  std::shared_ptr<const Constraint> out_of_reach(const std::string& name) {
    return make(Closure::Ball(name, kWorld, Vec3(1e3, 2e3, 0),
                              BodyIndex(skeleton_.body_count() - 1), random_.vec3()));
  }
  std::shared_ptr<const Constraint> contradiction(const std::string& name) {
    const double value = random_.uniform(-3, 3);
    return make(PrescribedCoordinate(name, any_dof(), ConstraintLevel::position, value));
  }
  /// Holds every coordinate.
  std::vector<std::shared_ptr<const Constraint>> hold_all() {
    std::vector<std::shared_ptr<const Constraint>> out;
    for (int k = 0; k < skeleton_.dof_count(); ++k)
      out.push_back(make(PrescribedCoordinate("hold" + std::to_string(k), DofIndex(k),
                                              ConstraintLevel::position, q_[k])));
    return out;
  }

 private:
  template <class C>
  static std::shared_ptr<const Constraint> make(C constraint) {
    return std::make_shared<C>(std::move(constraint));
  }
  int link(BodyIndex b) const { return b == kWorld ? 0 : skeleton_.body(b).link.value; }
  BodyIndex any_body() {
    return BodyIndex(static_cast<int>(std::floor(random_.uniform(-1, skeleton_.body_count()))));
  }
  DofIndex any_dof() {
    return DofIndex(static_cast<int>(random_.uniform(0, skeleton_.dof_count() - 1e-9)));
  }

  const Skeleton& skeleton_;
  const VecX& q_;
  SkeletonWorkspace ws_;
  Random& random_;
};

}  // namespace

SystemBuilder random_constrained_system(unsigned seed) {
  Random random(seed + 5000);
  const int bodies = 1 + static_cast<int>(random.uniform(0, 4));
  const Skeleton tree = random_tree(seed, bodies).build();
  const RandomState state = random_state(tree, seed);
  SystemBuilder builder(with_defaults(tree, state.q, state.qdot).build());
  builder.set_gravity(random.vec3(10));
  Satisfied satisfied(builder.skeleton(), state.q, state.qdot, random);
  const int count = 1 + static_cast<int>(random.uniform(0, 3));
  for (int k = 0; k < count; ++k) builder.add_constraint(satisfied("c" + std::to_string(k)));
  if (seed % 10 == 0) switch (seed / 10 % 5) {
      case 0: {  // the same again, under another name
        Random again(seed + 5000);
        again.uniform(0, 4), again.vec3(10);
        Satisfied twice(builder.skeleton(), state.q, state.qdot, again);
        again.uniform(0, 3);
        for (int k = 0; k < count; ++k) builder.add_constraint(twice("again" + std::to_string(k)));
        break;
      }
      case 1:
        builder.add_constraint(satisfied.out_of_reach("far"));
        break;
      case 2:
        builder.add_constraint(satisfied.contradiction("this"));
        builder.add_constraint(satisfied.contradiction("that"));
        break;
      case 3:
        for (const auto& hold : satisfied.hold_all()) builder.add_constraint(hold);
        break;
      default:  // far more rows than coordinates
        for (int k = 0; k < 8; ++k) builder.add_constraint(satisfied("more" + std::to_string(k)));
    }
  return builder;
}

}  // namespace sinew::test
