#include "sinew/dynamics/forces.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/force_checks.hpp"

namespace sinew {
namespace {

AttachedPoint attach(const SkeletonAt& in, BodyIndex body, const Vec3& x_B) {
  return attach(in.skeleton, in.ws, body, x_B);
}

}  // namespace

JointTorque::JointTorque(std::string name, DofIndex dof, TimeTable torque)
    : Force(std::move(name)), dof_(dof), torque_(std::move(torque)) {}

void JointTorque::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const double torque = torque_.evaluate_scalar(in.t);
  out.tau[dof_] += torque;
  out.power += torque * in.qdot[dof_];
}

void JointTorque::validate(const Skeleton& skeleton) const {
  require_dof(skeleton, dof_, name());
  if (torque_.width() != 1)
    throw Error("force '" + name() + "'", "has a table of several columns", "give one");
  // Tables are finite when they are made; a constant is not checked there.
  require_finite(std::isfinite(torque_.evaluate_scalar(0)), name(), "torque");
}

JointSpring::JointSpring(std::string name, DofIndex dof, double stiffness, double damping,
                         double rest)
    : Force(std::move(name)), dof_(dof), stiffness_(stiffness), damping_(damping), rest_(rest) {}

void JointSpring::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const double drag = -damping_ * in.qdot[dof_];
  out.tau[dof_] += drag - stiffness_ * (in.q[dof_] - rest_);
  out.power += drag * in.qdot[dof_];
}

void JointSpring::add_derivatives(const SkeletonAt&, StiffnessModel, ForceDerivatives& out) const {
  out.dtau_dq[dof_] -= stiffness_;
  out.dtau_dqdot[dof_] -= damping_;
}

double JointSpring::potential_energy(const SkeletonAt& in) const {
  const double e = in.q[dof_] - rest_;
  return 0.5 * stiffness_ * e * e;
}

void JointSpring::validate(const Skeleton& skeleton) const {
  require_dof(skeleton, dof_, name());
  require_not_negative(stiffness_, name(), "stiffness");
  require_not_negative(damping_, name(), "damping");
  require_finite(std::isfinite(rest_), name(), "rest position");
}

CoordinateStop::CoordinateStop(std::string name, DofIndex dof, double lower, double upper,
                               double stiffness, double damping)
    : Force(std::move(name)),
      dof_(dof),
      lower_(lower),
      upper_(upper),
      stiffness_(stiffness),
      damping_(damping) {}

double CoordinateStop::beyond(double q) const {
  if (q < lower_) return q - lower_;
  return q > upper_ ? q - upper_ : 0;
}

void CoordinateStop::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const double e = beyond(in.q[dof_]);
  if (e == 0) return;
  const double drag = -damping_ * in.qdot[dof_];
  out.tau[dof_] += drag - stiffness_ * e;
  out.power += drag * in.qdot[dof_];
}

void CoordinateStop::add_derivatives(const SkeletonAt& in, StiffnessModel,
                                     ForceDerivatives& out) const {
  if (beyond(in.q[dof_]) == 0) return;
  out.dtau_dq[dof_] -= stiffness_;
  out.dtau_dqdot[dof_] -= damping_;
}

Obstacle CoordinateStop::obstacle() const {
  if (damping_ == 0) return {};
  return {"has a damper that sets in with a jump at the limits",
          "give the stops a 'transition', over which they set in smoothly, or no damping"};
}

int CoordinateStop::piece(const SkeletonAt& in) const {
  const double e = beyond(in.q[dof_]);
  return e < 0 ? 1 : e > 0 ? 2 : 0;
}

double CoordinateStop::potential_energy(const SkeletonAt& in) const {
  const double e = beyond(in.q[dof_]);
  return 0.5 * stiffness_ * e * e;
}

void CoordinateStop::validate(const Skeleton& skeleton) const {
  require_dof(skeleton, dof_, name());
  require_not_negative(stiffness_, name(), "stiffness");
  require_not_negative(damping_, name(), "damping");
  if (!(lower_ <= upper_))
    throw Error("force '" + name() + "'", "has its lower limit above the upper one",
                "give the smaller one first");
}

BodyDamping::BodyDamping(std::string name, BodyIndex body, double angular, double linear)
    : Force(std::move(name)), body_(body), angular_(angular), linear_(linear) {}

void BodyDamping::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const AttachedPoint o = attach(in, body_, Vec3::Zero());
  const Vec3& w = in.ws.link[static_cast<size_t>(o.link)].w;
  const Vec3 drag = -linear_ * o.velocity, torque = -angular_ * w;
  out.add_force(o.link, o.offset, drag);
  out.wrench[static_cast<size_t>(o.link)].head<3>() += torque;
  out.power += drag.dot(o.velocity) + torque.dot(w);
}

void BodyDamping::add_derivatives(const SkeletonAt& in, StiffnessModel,
                                  ForceDerivatives& out) const {
  // The wrench depends on the twist in the body frame alone: no K.
  const AttachedPoint o = attach(in, body_, Vec3::Zero());
  const Mat36 G = o.jacobian();
  Mat6 D = -linear_ * G.transpose() * G;
  D.topLeftCorner<3, 3>().diagonal().array() -= angular_;
  out.add(o.link, o.link, Mat6::Zero(), D);
}

void BodyDamping::validate(const Skeleton& skeleton) const {
  require_body(skeleton, body_, name());
  require_not_negative(angular_, name(), "angular damping");
  require_not_negative(linear_, name(), "linear damping");
}

WorldForce::WorldForce(std::string name, BodyIndex body, const Vec3& point_B, TimeTable force_W)
    : Force(std::move(name)), body_(body), point_(point_B), force_(std::move(force_W)) {}

void WorldForce::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const AttachedPoint x = attach(in, body_, point_);
  Vec3 f;
  force_.evaluate(in.t, f);
  out.add_force(x.link, x.offset, f);
  out.power += f.dot(x.velocity);
}

void WorldForce::add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                                 ForceDerivatives& out) const {
  if (kind != StiffnessModel::exact) return;
  // Seen from the turning body the constant force turns backwards: −δθ × f = [f] δθ.
  const AttachedPoint x = attach(in, body_, point_);
  Vec3 f;
  force_.evaluate(in.t, f);
  out.add(x.link, x.link, x.jacobian().transpose() * on_rotation(skew(f)), Mat6::Zero());
}

void WorldForce::validate(const Skeleton& skeleton) const {
  require_body(skeleton, body_, name());
  require_finite(point_.allFinite(), name(), "point");
  if (force_.width() != 3)
    throw Error("force '" + name() + "'", "needs a table of three columns", "give x, y and z");
  Vec3 f;
  force_.evaluate(0, f);
  require_finite(f.allFinite(), name(), "force");
}

PointSpring::PointSpring(std::string name, BodyIndex a, const Vec3& x_A, BodyIndex b,
                         const Vec3& x_B, double stiffness, double damping, double rest_length)
    : Force(std::move(name)),
      a_(a),
      b_(b),
      x_a_(x_A),
      x_b_(x_B),
      stiffness_(stiffness),
      damping_(damping),
      rest_(rest_length) {}

namespace {

/// Adds K and D of a force f = K3 x + D3 v from point a to point b.
void add_between(const AttachedPoint& a, const AttachedPoint& b, const Mat3& K3, const Mat3& D3,
                 ForceDerivatives& out) {
  const Mat36 G_a = a.jacobian(), G_b = b.jacobian();
  const Mat6 K_ab = G_a.transpose() * K3 * G_b, D_ab = G_a.transpose() * D3 * G_b;
  out.add(a.link, a.link, -(G_a.transpose() * K3 * G_a), -(G_a.transpose() * D3 * G_a));
  out.add(b.link, b.link, -(G_b.transpose() * K3 * G_b), -(G_b.transpose() * D3 * G_b));
  out.add(a.link, b.link, K_ab, D_ab);
  out.add(b.link, a.link, K_ab.transpose(), D_ab.transpose());
}

/// The line from point a to point b. Where the points coincide it has no direction, and u is zero:
/// terms that depend on a direction then vanish.
struct Line {
  Vec3 x, v;  ///< relative position and velocity
  double length;
  Vec3 u;
  double rate() const { return u.dot(v); }
};

Line line_between(const AttachedPoint& a, const AttachedPoint& b) {
  Line line{b.position - a.position, b.velocity - a.velocity, 0, Vec3::Zero()};
  line.length = line.x.norm();
  if (line.length > 0) line.u = line.x / line.length;
  return line;
}

}  // namespace

void PointSpring::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const AttachedPoint a = attach(in, a_, x_a_), b = attach(in, b_, x_b_);
  const Line line = line_between(a, b);
  const double drag = damping_ * line.rate();
  // k (l − rest) u + drag u, written so that a zero-length spring needs no direction.
  const Vec3 f = stiffness_ * line.x + (drag - stiffness_ * rest_) * line.u;
  out.add_force(a.link, a.offset, f);
  out.add_force(b.link, b.offset, -f);
  out.power -= drag * line.rate();
}

void PointSpring::add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                                  ForceDerivatives& out) const {
  const AttachedPoint a = attach(in, a_, x_a_), b = attach(in, b_, x_b_);
  const Line line = line_between(a, b);
  const double drag = damping_ * line.rate();
  const Vec3 f = stiffness_ * line.x + (drag - stiffness_ * rest_) * line.u;

  // f(x, v) on a: K3 = ∂f/∂x, D3 = ∂f/∂v.
  Mat3 K3 = stiffness_ * Mat3::Identity(), D3 = Mat3::Zero();
  if (kind == StiffnessModel::definite) {
    if (line.length > 0) {
      const Mat3 along = line.u * line.u.transpose();
      K3 -= stiffness_ * std::min(1.0, rest_ / line.length) * (Mat3::Identity() - along);
      D3 = damping_ * along;
    }
    add_between(a, b, K3, D3, out);
    return;
  }
  if (line.length > 0) {
    const Mat3 across = (Mat3::Identity() - line.u * line.u.transpose()) / line.length;
    K3 += (drag - stiffness_ * rest_) * across + damping_ * line.u * (across * line.v).transpose();
    D3 = damping_ * line.u * line.u.transpose();
  }

  // δx_a = Γ_a ξ_a, δẋ_a = δθ_a × ẋ_a + Γ_a ν_a, and seen from link a the force −δθ_a × f besides.
  const Mat36 G_a = a.jacobian(), G_b = b.jacobian();
  const Mat36 df_a = -K3 * G_a + on_rotation(D3 * skew(a.velocity));
  const Mat36 df_b = K3 * G_b - on_rotation(D3 * skew(b.velocity));
  Mat6 K_aa = G_a.transpose() * (df_a + on_rotation(skew(f)));
  Mat6 K_bb = -(G_b.transpose() * (df_b + on_rotation(skew(f))));
  Mat6 K_ab = G_a.transpose() * df_b;
  Mat6 K_ba = -(G_b.transpose() * df_a);
  if (kind == StiffnessModel::redmax) {
    K_aa = (0.5 * (K_aa + K_aa.transpose())).eval();
    K_bb = (0.5 * (K_bb + K_bb.transpose())).eval();
    K_ab = (0.5 * (K_ab + K_ba.transpose())).eval();
    K_ba = K_ab.transpose();
  }
  const Mat6 D_ab = G_a.transpose() * D3 * G_b;
  out.add(a.link, a.link, K_aa, -(G_a.transpose() * D3 * G_a));
  out.add(b.link, b.link, K_bb, -(G_b.transpose() * D3 * G_b));
  out.add(a.link, b.link, K_ab, D_ab);
  out.add(b.link, a.link, K_ba, D_ab.transpose());
}

double PointSpring::potential_energy(const SkeletonAt& in) const {
  const Line line = line_between(attach(in, a_, x_a_), attach(in, b_, x_b_));
  const double e = line.length - rest_;
  return 0.5 * stiffness_ * e * e;
}

void PointSpring::validate(const Skeleton& skeleton) const {
  require_body(skeleton, a_, name());
  require_body(skeleton, b_, name());
  require_finite(x_a_.allFinite() && x_b_.allFinite(), name(), "an attachment point");
  require_not_negative(stiffness_, name(), "stiffness");
  require_not_negative(damping_, name(), "damping");
  require_not_negative(rest_, name(), "rest length");
  if (a_ == b_)
    throw Error("force '" + name() + "'", "connects a body to itself", "name two different bodies");
}

void PointSpring::draw(const SkeletonAt& in, std::vector<double>& points) const {
  draw_point(in, a_, x_a_, points);
  draw_point(in, b_, x_b_, points);
}

}  // namespace sinew
