#include "sinew/dynamics/bushing.hpp"

#include <cmath>

#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/force_checks.hpp"
#include "sinew/math/dual.hpp"

// Relative to F: the angular velocity of M is W θ̇ with the axes of the three turns for columns,
//     W = (e_x, R_x e_y, R_x R_y e_z),
// so that θ̇ = W⁻¹ω, and by virtual work the moment about M's origin is W⁻ᵀ f_θ. The force acts at
// M's origin on both bodies. Derivatives come from dual numbers through the same code.

namespace sinew {
namespace {

double angle_of(double y, double x) { return std::atan2(y, x); }
template <int N>
Dual<double, N> angle_of(const Dual<double, N>& y, const Dual<double, N>& x) {
  Dual<double, N> out;
  out.v = std::atan2(y.v, x.v);
  const double r2 = x.v * x.v + y.v * y.v;
  for (size_t k = 0; k < N; ++k) out.d[k] = (x.v * y.d[k] - y.v * x.d[k]) / r2;
  return out;
}

}  // namespace

/// Pose and motion of the two links, world axes; frames F and M in them.
template <class T>
struct Bushing::Ends {
  using V = Eigen::Matrix<T, 3, 1>;
  using M = Eigen::Matrix<T, 3, 3>;
  struct Link {
    M R;        ///< axes of the frame on it
    V p;        ///< origin of the frame from the origin of the link
    V x, w, v;  ///< origin of the link; angular velocity; velocity of the origin
  };
  Link a, b;
};

/// Wrenches on both links about their origins, world axes.
template <class T>
struct Bushing::Result {
  Eigen::Matrix<T, 6, 1> on_a, on_b;
  T energy, power;  ///< stored energy; power of the dampers
};

Bushing::Bushing(std::string name, BodyIndex a, const Pose& E_AF, BodyIndex b, const Pose& E_BM,
                 const Law& law)
    : Force(std::move(name)), a_(a), b_(b), E_AF_(E_AF), E_BM_(E_BM), law_(law) {}

template <class T>
Bushing::Ends<T> Bushing::ends(const SkeletonAt& in) const {
  const auto end = [&](BodyIndex body, const Pose& E_BF) {
    const LinkMotion& l = in.ws.link[static_cast<size_t>(link_of(in.skeleton, body))];
    const Pose E_WF = body_pose(in.skeleton, in.ws, body) * E_BF;
    typename Ends<T>::Link out;
    out.R = E_WF.R.cast<T>();
    out.p = Vec3(E_WF.p - l.p).cast<T>();
    out.x = l.p.cast<T>();
    out.w = l.w.cast<T>();
    out.v = l.v.cast<T>();
    return out;
  };
  return {end(a_, E_AF_), end(b_, E_BM_)};
}

template <class T>
Bushing::Result<T> Bushing::evaluate(const Ends<T>& e) const {
  using std::asin, std::cos, std::sin;
  using V = typename Ends<T>::V;
  using M = typename Ends<T>::M;
  const V x_a = e.a.x + e.a.p, x_b = e.b.x + e.b.p;
  const M R = e.a.R.transpose() * e.b.R;
  const V r = e.a.R.transpose() * (x_b - x_a);
  const V angle(angle_of(T(-R(1, 2)), R(2, 2)), asin(R(0, 2)), angle_of(T(-R(0, 1)), R(0, 0)));
  const T c1 = cos(angle[0]), s1 = sin(angle[0]), c2 = cos(angle[1]), s2 = sin(angle[1]);
  M W;
  W << T(1), T(0), s2, T(0), c1, -s1 * c2, T(0), s1, c1 * c2;
  const M W_inverse = W.inverse();
  const V turning = e.a.R.transpose() * (e.b.w - e.a.w);
  // M's origin as seen from F, which turns.
  const V moving =
      e.a.R.transpose() * (e.b.v + e.b.w.cross(e.b.p) - e.a.v - e.a.w.cross(x_b - e.a.x));
  const V rate = W_inverse * turning;
  const auto times = [](const Vec3& k, const V& y) -> V { return k.cast<T>().cwiseProduct(y); };
  const V drag = -times(law_.rotational_damping, rate);
  const V drag_along = -times(law_.translational_damping, moving);
  const V conjugate = drag - times(law_.rotational_stiffness, angle);
  const V along = drag_along - times(law_.translational_stiffness, r);
  const V moment = e.a.R * (W_inverse.transpose() * conjugate);
  const V force = e.a.R * along;
  Result<T> out;
  out.on_b << moment + e.b.p.cross(force), force;
  out.on_a << -moment - (x_b - e.a.x).cross(force), -force;
  out.energy = T(0.5) * (angle.dot(times(law_.rotational_stiffness, angle)) +
                         r.dot(times(law_.translational_stiffness, r)));
  out.power = drag.dot(rate) + drag_along.dot(moving);
  return out;
}

void Bushing::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const Result<double> result = evaluate(ends<double>(in));
  out.wrench[static_cast<size_t>(link_of(in.skeleton, a_))] += result.on_a;
  out.wrench[static_cast<size_t>(link_of(in.skeleton, b_))] += result.on_b;
  out.power += result.power;
}

void Bushing::add_derivatives(const SkeletonAt& in, StiffnessModel, ForceDerivatives& out) const {
  // Link a: displacement 0 to 5, twist 6 to 11; link b: 12 to 23.
  using T = Dual<double, 24>;
  Ends<T> e = ends<T>(in);
  using V = Ends<T>::V;
  const auto variables = [](size_t first) {
    V out_v(T(0.0), T(0.0), T(0.0));
    for (size_t k = 0; k < 3; ++k) out_v[static_cast<Eigen::Index>(k)].d[first + k] = 1;
    return out_v;
  };
  const auto move = [&](Ends<T>::Link& link, size_t first) {
    const V turn = variables(first), shift = variables(first + 3);
    const auto turned = [&](const V& y) -> V { return y + turn.cross(y); };
    for (int k = 0; k < 3; ++k) link.R.col(k) = turned(V(link.R.col(k)));
    link.p = turned(link.p);
    link.x += shift;
    // Twists keep their components in the link, except for their own change.
    link.w = turned(link.w) + variables(first + 6);
    link.v = turned(link.v) + variables(first + 9);
  };
  move(e.a, 0);
  move(e.b, 12);
  const Result<T> result = evaluate(e);
  const int a = link_of(in.skeleton, a_), b = link_of(in.skeleton, b_);
  const auto block = [](const Eigen::Matrix<T, 6, 1>& wrench, size_t first) {
    Mat6 m;
    for (Eigen::Index r = 0; r < 6; ++r)
      for (size_t c = 0; c < 6; ++c) m(r, static_cast<Eigen::Index>(c)) = wrench[r].d[first + c];
    return m;
  };
  const auto add = [&](int link, const Eigen::Matrix<T, 6, 1>& wrench, size_t own) {
    for (const size_t first : {size_t{0}, size_t{12}}) {
      Mat6 K = block(wrench, first);
      if (first == own)  // without turning along with the link
        for (int part = 0; part < 2; ++part) {
          const Vec3 w(wrench[3 * part].v, wrench[3 * part + 1].v, wrench[3 * part + 2].v);
          K.block<3, 3>(3 * part, 0) += skew(w);
        }
      out.add(link, first == 0 ? a : b, K, block(wrench, first + 6));
    }
  };
  add(a, result.on_a, 0);
  add(b, result.on_b, 12);
}

double Bushing::potential_energy(const SkeletonAt& in) const {
  return evaluate(ends<double>(in)).energy;
}

void Bushing::validate(const Skeleton& skeleton) const {
  require_body(skeleton, a_, name());
  require_body(skeleton, b_, name());
  for (const Vec3* v : {&law_.rotational_stiffness, &law_.translational_stiffness,
                        &law_.rotational_damping, &law_.translational_damping})
    require_not_negative(v->minCoeff(), name(), "stiffness or damping");
}

}  // namespace sinew
