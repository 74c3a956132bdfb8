#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/jacobian.hpp"
#include "sinew/dynamics/kinematics.hpp"
#include "sinew/system/equations.hpp"
#include "support/random.hpp"

/// Motions with a formula in the textbooks: pendulums, slides, tops, free rotation.

namespace sinew {
namespace textbook_test {

constexpr double kPi = std::numbers::pi;
constexpr double kG = 9.81;
const Vec3 kGravity(0, -kG, 0);
// A handful of operations on numbers of size one.
constexpr double kRounding = 1e-13;

VecX vec(std::initializer_list<double> values) {
  return Eigen::Map<const VecX>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

/// A body whose frame is its joint's, with its centre of mass at `com`.
BodySpec body(const std::string& name, const std::string& parent, Joint joint, const Vec3& at,
              double mass, const Vec3& com, const Vec3& central_moments) {
  BodySpec spec;
  spec.name = name;
  spec.parent = parent;
  spec.joint = std::move(joint);
  spec.E_PJ = Pose::Translation(at);
  spec.M_B = SpatialInertia::FromCentral(mass, com, central_moments.asDiagonal());
  return spec;
}

System system_of(const std::vector<BodySpec>& specs, const Vec3& gravity = kGravity) {
  SkeletonBuilder builder;
  for (const BodySpec& spec : specs) builder.add_body(spec);
  return SystemBuilder(builder.build()).set_gravity(gravity).build();
}

VecX accelerations(const System& system, const VecX& q, const VecX& qdot) {
  Workspace ws(system);
  VecX qddot(system.dof_count());
  forward_dynamics(system, {0, q, qdot}, ws, qddot);
  return qddot;
}

/// The plainest fourth-order Runge–Kutta: an integrator that shares no code with the library.
void integrate(const System& system, double duration, int steps, VecX& q, VecX& qdot) {
  const double h = duration / steps;
  for (int i = 0; i < steps; ++i) {
    const VecX a1 = accelerations(system, q, qdot);
    const VecX v2 = qdot + h / 2 * a1, a2 = accelerations(system, q + h / 2 * qdot, v2);
    const VecX v3 = qdot + h / 2 * a2, a3 = accelerations(system, q + h / 2 * v2, v3);
    const VecX v4 = qdot + h * a3, a4 = accelerations(system, q + h * v3, v4);
    q += h / 6 * (qdot + 2 * v2 + 2 * v3 + v4);
    qdot += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
}

// m g l sin q against I + m l², about any horizontal axis.
TEST(Pendulum, AcceleratesAsTheTextbookSays) {
  const double m = 1.7, l = 0.6, I = 0.05;
  const System system = system_of({body("bob", "", Revolute(Vec3::UnitZ()), Vec3(3, 1, -2), m,
                                        Vec3(0, -l, 0), Vec3(0.04, 0.03, I))});
  for (const double q : {-3.0, -0.4, 0.0, 1.0, 2.5}) {
    const double expected = -m * kG * l * std::sin(q) / (I + m * l * l);
    EXPECT_NEAR(accelerations(system, vec({q}), vec({4}))[0], expected, kRounding);
  }
}

// Quarter period K(sin(θ₀/2))/ω₀ with K the complete elliptic integral; there q̇ = −2 ω₀ sin(θ₀/2).
TEST(Pendulum, SwingsWithThePeriodOfTheEllipticIntegral) {
  const double m = 1.7, l = 0.6, I = 0.05, amplitude = 2.5;
  const System system = system_of(
      {body("bob", "", Revolute(Vec3::UnitZ()), Vec3::Zero(), m, Vec3(0, -l, 0), Vec3(I, I, I))});
  const double frequency = std::sqrt(m * kG * l / (I + m * l * l));
  const double k = std::sin(amplitude / 2);
  VecX q = vec({amplitude}), qdot = vec({0});
  integrate(system, std::comp_ellint_1(k) / frequency, 400, q, qdot);
  // Fourth order at 400 steps per quarter period: (0.02)⁴ times derivatives of a few.
  EXPECT_NEAR(q[0], 0, 2e-8);
  EXPECT_NEAR(qdot[0], -2 * frequency * k, 2e-7);
}

// Point masses on massless rods; θ₁, θ₂ from the vertical, θ₂ absolute.
TEST(DoublePendulum, AcceleratesAsTheTextbookSays) {
  const double m1 = 1.3, m2 = 0.7, l1 = 0.8, l2 = 0.5;
  const Vec3 none = Vec3::Zero();
  const System system =
      system_of({body("upper", "", Revolute(Vec3::UnitZ()), none, m1, Vec3(0, -l1, 0), none),
                 body("lower", "upper", Revolute(Vec3::UnitZ()), Vec3(0, -l1, 0), m2,
                      Vec3(0, -l2, 0), none)});
  test::Random random(4);
  for (int i = 0; i < 10; ++i) {
    const double t1 = random.uniform(-3, 3), t2 = random.uniform(-3, 3);
    const double w1 = random.uniform(-5, 5), w2 = random.uniform(-5, 5);
    const double d = t1 - t2, m = m1 + m2;
    const double below = 2 * m1 + m2 - m2 * std::cos(2 * d);
    const double a1 = (-kG * (2 * m1 + m2) * std::sin(t1) - m2 * kG * std::sin(t1 - 2 * t2) -
                       2 * std::sin(d) * m2 * (w2 * w2 * l2 + w1 * w1 * l1 * std::cos(d))) /
                      (l1 * below);
    const double a2 = 2 * std::sin(d) *
                      (w1 * w1 * l1 * m + kG * m * std::cos(t1) + w2 * w2 * l2 * m2 * std::cos(d)) /
                      (l2 * below);
    const VecX qddot = accelerations(system, vec({t1, t2 - t1}), vec({w1, w2 - w1}));
    EXPECT_NEAR(qddot[0], a1, 1e-12 * (1 + std::abs(a1)));
    EXPECT_NEAR(qddot[1], a2 - a1, 1e-12 * (1 + std::abs(a2)));
  }
}

TEST(Slide, AcceleratesDownTheInclineAtAnySpeed) {
  const double angle = 0.6;
  const Vec3 down_slope(std::cos(angle), -std::sin(angle), 0);
  const System system = system_of({body("block", "", Prismatic(down_slope), Vec3(1, 2, 3), 5,
                                        Vec3(0.1, 0.2, 0.3), Vec3(1, 1, 1))});
  EXPECT_NEAR(accelerations(system, vec({7}), vec({-3}))[0], kG * std::sin(angle), kRounding);
}

// A cart that rolls freely and carries a pendulum.
TEST(CartAndPendulum, AccelerateAsTheTextbookSays) {
  const double M = 2, m = 0.7, l = 0.5;
  const System system = system_of(
      {body("cart", "", Prismatic(Vec3::UnitX()), Vec3::Zero(), M, Vec3::Zero(), Vec3::Zero()),
       body("bob", "cart", Revolute(Vec3::UnitZ()), Vec3::Zero(), m, Vec3(0, -l, 0),
            Vec3::Zero())});
  const double q = 0.8, w = 3;
  const double s = std::sin(q), c = std::cos(q);
  const double x = m * s * (l * w * w + kG * c) / (M + m * s * s);
  const double turn = -(x * c + kG * s) / l;
  const VecX qddot = accelerations(system, vec({0.4, q}), vec({1.5, w}));
  EXPECT_NEAR(qddot[0], x, kRounding);
  EXPECT_NEAR(qddot[1], turn, 10 * kRounding);
}

// A symmetric top about a fixed point, z up. It precesses steadily at the rate Ω and tilt θ if
//     I₃ ω₃ Ω − I₁ Ω² cos θ = m g l   (I₁ about the fixed point, ω₃ = spin + Ω cos θ).
TEST(HeavyTop, PrecessesSteadily) {
  const double m = 0.5, l = 0.1, transverse = 0.002, I3 = 0.0012, tilt = 0.7, precession = 3;
  const System system = system_of({body("top", "", SphericalEuler("zxz"), Vec3::Zero(), m,
                                        Vec3(0, 0, l), Vec3(transverse, transverse, I3))},
                                  Vec3(0, 0, -kG));
  const double I1 = transverse + m * l * l;
  const double w3 =
      (m * kG * l + I1 * precession * precession * std::cos(tilt)) / (I3 * precession);
  const double spin = w3 - precession * std::cos(tilt);
  const VecX qddot = accelerations(system, vec({0.3, tilt, 1.1}), vec({precession, 0, spin}));
  // Torques of m g l ≈ 0.5 over inertias of 1e-3 balance: 1e3 times rounding.
  EXPECT_LT(qddot.cwiseAbs().maxCoeff(), 1e-11);
  const VecX faster =
      accelerations(system, vec({0.3, tilt, 1.1}), vec({precession, 0, 1.01 * spin}));
  EXPECT_GT(faster.cwiseAbs().maxCoeff(), 0.1) << "the balance is delicate";
}

/// φ̇ of the only body, in its own frame.
Vec6 twist_rate(const System& system, const VecX& q, const VecX& qdot) {
  Workspace ws(system);
  VecX qddot(system.dof_count()), J_qddot(6), Jdot_qdot(6), unused(6);
  forward_dynamics(system, {0, q, qdot}, ws, qddot);
  jacobian_times(system.skeleton(), ws.skeleton, qddot, J_qddot, unused);
  jacobian_times(system.skeleton(), ws.skeleton, qdot, unused, Jdot_qdot);
  return J_qddot + Jdot_qdot;
}

// Euler: I ω̇ = Iω × ω; and the centre of mass falls: v̇ + ω × v = g, in the body's axes.
TEST(FreeBody, ObeysEulersEquations) {
  const Vec3 moments(0.02, 0.03, 0.045);
  for (const Free3D::Order order :
       {Free3D::Order::translation_first, Free3D::Order::rotation_first}) {
    const System system =
        system_of({body("b", "", Free3D(order), Vec3(1, 2, 3), 1.4, Vec3::Zero(), moments)});
    const VecX q = test::Random(3).vecx(6), qdot = test::Random(4).vecx(6, 3);
    const Vec6 rate = twist_rate(system, q, qdot);
    Workspace ws(system);
    update_forces(system, {0, q, qdot}, ws);
    const Vec6 phi = body_twist(system.skeleton(), ws.skeleton, BodyIndex(0));
    const Vec3 w = phi.head<3>(), v = phi.tail<3>();
    const Vec3 Iw = moments.cwiseProduct(w);
    const Mat3 R = body_pose(system.skeleton(), ws.skeleton, BodyIndex(0)).R;
    EXPECT_LT((moments.cwiseProduct(rate.head<3>()) - Iw.cross(w)).norm(), kRounding);
    EXPECT_LT((rate.tail<3>() + w.cross(v) - R.transpose() * kGravity).norm(), 10 * kRounding);
  }
}

// A symmetric body's spin axis wanders in its own frame at ω₃ (I₃ − I₁)/I₁.
TEST(FreeBody, NutatesAtEulersRate) {
  const double I1 = 0.02, I3 = 0.035;
  const System system =
      system_of({body("b", "", SphericalExp(), Vec3::Zero(), 1, Vec3::Zero(), Vec3(I1, I1, I3))},
                Vec3::Zero());
  VecX q = vec({0.2, -0.1, 0.3}), qdot = vec({1, 0.5, 3});
  const auto angular_velocity = [&] {
    Workspace ws(system);
    update_forces(system, {0, q, qdot}, ws);
    return Vec3(body_twist(system.skeleton(), ws.skeleton, BodyIndex(0)).head<3>());
  };
  const Vec3 before = angular_velocity();
  const double t = 0.7;
  integrate(system, t, 400, q, qdot);
  const double turned = before.z() * (I3 - I1) / I1 * t;
  const Vec3 expected = Eigen::AngleAxisd(turned, Vec3::UnitZ()) * before;
  // Fourth order at h = 2 ms and rates of a few per second: (0.01)⁴.
  EXPECT_LT((angular_velocity() - expected).norm(), 1e-7);
  EXPECT_GT((before - expected).norm(), 0.5);
}

// Lee and Terzopoulos 2008 Eq. 17: a bead on an ellipse, semi-axes a and b. T = ½ m (a² cos² q + b²
// sin² q) q̇² for a point mass, V = −m g b cos q.
TEST(EllipticJoint, CarriesABeadAsTheLagrangianSays) {
  const double m = 0.4, a = 1.3, b = 0.7;
  const System system =
      system_of({body("bead", "", Elliptic(a, b), Vec3::Zero(), m, Vec3::Zero(), Vec3::Zero())});
  for (const double q : {-2.0, 0.0, 0.4, kPi / 2, 3.0}) {
    const double w = 1.7, s = std::sin(q), c = std::cos(q);
    const double inertia = a * a * c * c + b * b * s * s;
    const double expected = (-(b * b - a * a) * s * c * w * w - kG * b * s) / inertia;
    EXPECT_NEAR(accelerations(system, vec({q}), vec({w}))[0], expected, 10 * kRounding);
  }
}

}  // namespace textbook_test
}  // namespace sinew
