#include "sinew/dynamics/cable.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/force_checks.hpp"

namespace sinew {
namespace {

AttachedPoint attach(const SkeletonAt& in, const CablePoint& point) {
  return attach(in.skeleton, in.ws, point.body, point.x_B);
}

/// From one point to the next. If they coincide there is no direction, and u and P are zero.
struct Piece {
  Vec3 v = Vec3::Zero();  ///< relative velocity of its ends
  double length = 0;
  Vec3 u = Vec3::Zero();
  /// ∂u/∂x = (1 − u uᵀ)/length
  Mat3 P() const {
    if (length == 0) return Mat3::Zero();
    return (Mat3::Identity() - u * u.transpose()) / length;
  }
};

Piece piece_between(const AttachedPoint& a, const AttachedPoint& b) {
  const Vec3 x = b.position - a.position;
  Piece piece{b.velocity - a.velocity, x.norm(), Vec3::Zero()};
  if (piece.length > 0) piece.u = x / piece.length;
  return piece;
}

}  // namespace

/// The cable as a whole.
struct Cable::Stretch {
  double length = 0, rate = 0;
  double elastic = 0;  ///< −∂V/∂l [N]
  double tension = 0;  ///< [N]
};

/// The action of the cable at one of its points.
struct Cable::Corner {
  AttachedPoint at;
  Vec3 c;              ///< −∂l/∂x: it is pulled by T c
  Vec3 b;              ///< ∂l̇/∂x at constant velocities
  Mat3 before, after;  ///< ∂c/∂x of the points before and after
};

Cable::Cable(std::string name, std::vector<CablePoint> points, const CableLaw& law)
    : Force(std::move(name)), points_(std::move(points)), law_(law) {}

Cable::Stretch Cable::stretch(const SkeletonAt& in) const {
  Stretch out;
  AttachedPoint a = attach(in, points_[0]);
  for (size_t j = 1; j < points_.size(); ++j) {
    const AttachedPoint b = attach(in, points_[j]);
    const Piece piece = piece_between(a, b);
    out.length += piece.length;
    out.rate += piece.u.dot(piece.v);
    a = b;
  }
  const double e = out.length - law_.rest_length;
  if (law_.slack && e <= 0) return out;
  out.elastic = law_.stiffness * e / law_.rest_length;
  out.tension = out.elastic + law_.damping * out.rate / law_.rest_length;
  if (law_.slack) out.tension = std::max(0.0, out.tension);
  return out;
}

Cable::Corner Cable::corner(const SkeletonAt& in, size_t j) const {
  Corner out{attach(in, points_[j]), Vec3::Zero(), Vec3::Zero(), Mat3::Zero(), Mat3::Zero()};
  if (j > 0) {
    const Piece piece = piece_between(attach(in, points_[j - 1]), out.at);
    out.before = piece.P();
    out.c -= piece.u;
    out.b += out.before * piece.v;
  }
  if (j + 1 < points_.size()) {
    const Piece piece = piece_between(out.at, attach(in, points_[j + 1]));
    out.after = piece.P();
    out.c += piece.u;
    out.b -= out.after * piece.v;
  }
  return out;
}

void Cable::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const Stretch now = stretch(in);
  out.power -= (now.tension - now.elastic) * now.rate;
  if (now.tension == 0) return;
  for (size_t j = 0; j < points_.size(); ++j) {
    const Corner corner_j = corner(in, j);
    out.add_force(corner_j.at.link, corner_j.at.offset, now.tension * corner_j.c);
  }
}

void Cable::add_derivatives(const SkeletonAt& in, StiffnessModel, ForceDerivatives& out) const {
  const Stretch now = stretch(in);
  // A slack cable passes on its blocks, too, all zero: nothing allocates when it becomes taut.
  const bool taut = !law_.slack || now.tension > 0;
  const double k = taut ? law_.stiffness / law_.rest_length : 0;
  const double d = taut ? law_.damping / law_.rest_length : 0;
  for (size_t j = 0; j < points_.size(); ++j) {
    const Corner at_j = corner(in, j);
    const Mat36 G_j = at_j.at.jacobian();
    for (size_t m = 0; m < points_.size(); ++m) {
      const Corner at_m = corner(in, m);
      // F_j = T c_j: through the tension with every point, through the direction with neighbours.
      Mat3 K3 = at_j.c * (d * at_m.b - k * at_m.c).transpose();
      if (m + 1 == j) K3 += now.tension * at_j.before;
      if (m == j + 1) K3 += now.tension * at_j.after;
      if (m == j) K3 -= now.tension * (at_j.before + at_j.after);
      const Mat3 D3 = -d * at_j.c * at_m.c.transpose();
      const Mat36 G_m = at_m.at.jacobian();
      Mat36 dF = K3 * G_m - on_rotation(D3 * skew(at_m.at.velocity));
      if (m == j) dF += on_rotation(skew(now.tension * at_j.c));
      out.add(at_j.at.link, at_m.at.link, G_j.transpose() * dF, G_j.transpose() * D3 * G_m);
    }
  }
}

Obstacle Cable::obstacle() const {
  if (!law_.slack || law_.damping == 0) return {};
  return {"is slack at times, and its damper sets in with a jump",
          "set its damping to 0, or let it push, too"};
}

bool Cable::stretched(const SkeletonAt& in) const { return stretch(in).tension != 0; }

double Cable::potential_energy(const SkeletonAt& in) const {
  const Stretch now = stretch(in);
  return 0.5 * now.elastic * (now.length - law_.rest_length);
}

void Cable::validate(const Skeleton& skeleton) const {
  const std::string element = "force '" + name() + "'";
  if (points_.size() < 2) throw Error(element, "has fewer than two points", "give both ends");
  for (const CablePoint& point : points_) {
    require_body(skeleton, point.body, name());
    require_finite(point.x_B.allFinite(), name(), "a point");
  }
  require_not_negative(law_.stiffness, name(), "stiffness");
  require_not_negative(law_.damping, name(), "damping");
  require_positive(law_.rest_length, name(), "rest length");
  const auto elsewhere = [&](const CablePoint& point) { return point.body != points_[0].body; };
  if (std::none_of(points_.begin(), points_.end(), elsewhere))
    throw Error(element, "connects a body to itself", "run it to another body");
}

std::vector<MovingShape> Cable::shapes() const {
  return {{name(), "cable", static_cast<int>(points_.size())}};
}

void Cable::draw(const SkeletonAt& in, std::vector<double>& points) const {
  for (const CablePoint& point : points_) draw_point(in, point.body, point.x_B, points);
}

}  // namespace sinew
