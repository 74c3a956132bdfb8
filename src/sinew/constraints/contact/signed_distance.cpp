#include "sinew/constraints/contact/signed_distance.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

/// The part of p outside the core of a rounded shape: sphere, capsule and the outside of a box are
/// all |p − c| − radius, c the nearest point of a point, a segment or a box.
struct Offset {
  double length;
  Vec3 n;  ///< along p − c; `fallback` where p = c
};

Offset offset_from(const Vec3& core, const Vec3& p, const Vec3& fallback) {
  const Vec3 d = p - core;
  const double length = d.stableNorm();  // squares of 1e-160 would underflow
  if (!(length > 0)) return {0, fallback};
  return {length, d / length};
}

Vec3 core_of(const Capsule& capsule, const Vec3& p) {
  const double h = 0.5 * capsule.height;
  return {0, 0, std::clamp(p.z(), -h, h)};
}

Vec3 core_of(const Cuboid& cuboid, const Vec3& p) {
  return p.cwiseMax(-0.5 * cuboid.sides).cwiseMin(0.5 * cuboid.sides);
}

/// ∂n/∂p of n = (p − c)/|p − c| where `free` lists the directions in which c stays behind as p
/// moves.
Mat3 offset_hessian(const Offset& o, const Vec3& free) {
  if (!(o.length > 0)) return Mat3::Zero();
  return (Mat3(free.asDiagonal()) - o.n * o.n.transpose()) / o.length;
}

/// A cylinder is a rectangle in the half plane of its axis and p: distances outside its side and
/// its nearer end, and the two directions.
struct Profile {
  double rho;         ///< distance from the axis
  double side, end;   ///< how far outside
  Vec3 e_rho, e_end;  ///< unit; e_rho is x on the axis
};

Profile profile(const Cylinder& cylinder, const Vec3& p) {
  const Offset o = offset_from(Vec3(0, 0, p.z()), p, Vec3::UnitX());
  return {o.length, o.length - cylinder.radius, std::abs(p.z()) - 0.5 * cylinder.height, o.n,
          Vec3(0, 0, p.z() < 0 ? -1 : 1)};
}

/// The nearest point c of an ellipsoid with semi-axes a obeys p − c = t g, g_i = c_i/a_i² along its
/// normal, so c_i = a_i² p_i/(a_i² + t), and t is the largest root of
///     G(t) = Σ (a_i p_i/(a_i² + t))² = 1,   t ≥ −a_min².
/// The unknown is u = t + a_min², and a_i² + t = e_i + u with e_i = a_i² − a_min² ≥ 0: no digits
/// are lost near the pole at u = 0, which points near the middle plane of the thinnest axis
/// approach.
struct EllipsoidFoot {
  double t;
  Vec3 g;        ///< normal at the foot, not unit [1/m]
  Vec3 stretch;  ///< a_i²/(a_i² + t); unused if `ridge`
  bool ridge;    ///< p is on the ridge: two feet, mirrored in the thinnest axis
};

/// Newton on 1/√G = 1. That function of u is concave and rising (it is a power mean of e_i + u with
/// exponent −2), so from the left of the root no step overshoots; and it is almost a straight line.
double largest_root(const Vec3& w, const Vec3& e, double u) {
  constexpr int kMostSteps = 100;  // five are usual
  for (int k = 0; k < kMostSteps; ++k) {
    double G = 0, slope = 0;  // −G'/2
    for (int i = 0; i < 3; ++i) {
      if (!(w[i] > 0)) continue;
      const double ratio = w[i] / (e[i] + u);
      G += ratio * ratio;
      slope += ratio * ratio / (e[i] + u);
    }
    const double next = u + G * (std::sqrt(G) - 1) / slope;
    if (!(next > u)) break;  // the root, to rounding
    u = next;
  }
  return u;
}

EllipsoidFoot foot(const Vec3& a, const Vec3& p) {
  int thin = 0;
  const double a_min = a.minCoeff(&thin);
  const Vec3 w = a.cwiseProduct(p.cwiseAbs());
  const Vec3 e = (a.array() - a_min) * (a.array() + a_min);
  // Each term of G alone reaches 1 at w_i − e_i: the root lies to the right of them all.
  double u = std::max(0.0, (w - e).maxCoeff());
  EllipsoidFoot f{0, Vec3::Zero(), Vec3::Zero(), false};
  if (u == 0) {
    // p_thin = 0, and no term of G is infinite: e_i ≥ w_i. The root may lie below u = 0, where the
    // thin coordinate of the foot is free instead and supplies the rest of G = 1.
    double G = 0;
    for (int i = 0; i < 3; ++i) {
      if (!(w[i] > 0)) continue;
      f.g[i] = p[i] / e[i];
      G += w[i] / e[i] * (w[i] / e[i]);
    }
    if (G <= 1) {
      f.ridge = true;
      f.t = -a_min * a_min;
      f.g[thin] = std::sqrt(1 - G) / a_min;
      return f;
    }
  }
  u = largest_root(w, e, u);
  f.t = u - a_min * a_min;
  f.g = p.array() / (e.array() + u);
  f.stretch = a.array().square() / (e.array() + u);
  return f;
}

}  // namespace

SignedDistance signed_distance(const Plane&, const Vec3& p) { return {p.y(), Vec3::UnitY()}; }

Mat3 distance_hessian(const Plane&, const Vec3&) { return Mat3::Zero(); }

SignedDistance signed_distance(const Sphere& sphere, const Vec3& p) {
  const Offset o = offset_from(Vec3::Zero(), p, Vec3::UnitX());
  return {o.length - sphere.radius, o.n};
}

Mat3 distance_hessian(const Sphere&, const Vec3& p) {
  return offset_hessian(offset_from(Vec3::Zero(), p, Vec3::UnitX()), Vec3::Ones());
}

SignedDistance signed_distance(const Capsule& capsule, const Vec3& p) {
  const Offset o = offset_from(core_of(capsule, p), p, Vec3::UnitX());
  return {o.length - capsule.radius, o.n};
}

Mat3 distance_hessian(const Capsule& capsule, const Vec3& p) {
  const Vec3 core = core_of(capsule, p);
  return offset_hessian(offset_from(core, p, Vec3::UnitX()), Vec3(1, 1, core.z() == p.z() ? 0 : 1));
}

SignedDistance signed_distance(const Cuboid& cuboid, const Vec3& p) {
  const Offset o = offset_from(core_of(cuboid, p), p, Vec3::Zero());
  if (o.length > 0) return {o.length, o.n};
  int i = 0;
  const double depth = (0.5 * cuboid.sides - p.cwiseAbs()).minCoeff(&i);
  return {-depth, p[i] < 0 ? Vec3(-Vec3::Unit(i)) : Vec3(Vec3::Unit(i))};
}

Mat3 distance_hessian(const Cuboid& cuboid, const Vec3& p) {
  const Vec3 core = core_of(cuboid, p);
  return offset_hessian(offset_from(core, p, Vec3::Zero()),
                        (core.array() == p.array()).select(Vec3::Zero(), Vec3::Ones()));
}

SignedDistance signed_distance(const Cylinder& cylinder, const Vec3& p) {
  const Profile f = profile(cylinder, p);
  if (f.side <= 0 && f.end <= 0)
    return f.side >= f.end ? SignedDistance{f.side, f.e_rho} : SignedDistance{f.end, f.e_end};
  const double side = std::max(f.side, 0.0), end = std::max(f.end, 0.0);
  const double length = std::hypot(side, end);
  return {length, (side * f.e_rho + end * f.e_end) / length};
}

// Around the axis n turns with e_rho, by n_rho/rho; in the half plane it turns only about the rim.
Mat3 distance_hessian(const Cylinder& cylinder, const Vec3& p) {
  const Profile f = profile(cylinder, p);
  const SignedDistance d = signed_distance(cylinder, p);
  Mat3 H = Mat3::Zero();
  if (f.rho > 0) {
    const Vec3 around = f.e_end.cross(f.e_rho);
    H += d.n.dot(f.e_rho) / f.rho * around * around.transpose();
  }
  if (f.side > 0 && f.end > 0) {
    const Vec3 t = d.n.dot(f.e_rho) * f.e_end - d.n.dot(f.e_end) * f.e_rho;
    H += t * t.transpose() / d.s;
  }
  return H;
}

SignedDistance signed_distance(const Ellipsoid& ellipsoid, const Vec3& p) {
  const EllipsoidFoot f = foot(ellipsoid.radii, p);
  const double length = f.g.norm();
  return {f.t * length, f.g / length};
}

// Differentiating c + t A c = p, A = diag(1/a²), along the surface, gᵀ dc = 0:
//     dc = (B − B g gᵀ B/(gᵀ B g)) dp,   B = diag(a²/(a² + t)),
// and n = g/|g| with dg = A dc.
Mat3 distance_hessian(const Ellipsoid& ellipsoid, const Vec3& p) {
  const EllipsoidFoot f = foot(ellipsoid.radii, p);
  if (f.ridge) return Mat3::Zero();
  // Near the ridge one entry of B is huge: scaled, so that its square does not overflow.
  const double largest = f.stretch.maxCoeff();
  const Vec3 B = f.stretch / largest, Bg = B.cwiseProduct(f.g);
  const Mat3 dc = Mat3(B.asDiagonal()) - Bg * Bg.transpose() / f.g.dot(Bg);
  const double length = f.g.norm();
  const Vec3 n = f.g / length;
  const Mat3 dg = ellipsoid.radii.array().square().inverse().matrix().asDiagonal() * dc;
  return (dg - n * (n.transpose() * dg)) * (largest / length);
}

}  // namespace sinew
