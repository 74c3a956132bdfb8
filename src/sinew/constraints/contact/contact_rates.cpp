#include "sinew/constraints/contact/contact_rates.hpp"

#include <cmath>
#include <utility>

namespace sinew {
namespace {

/// sin² of the angle below which lines count as parallel. Lines of length L at distance d part by
/// L² sin²/8d over their length: the error is 1e-11 of the size of ordinary shapes.
constexpr double kParallel = 1e-10;

int first_column(Side side) { return side == Side::a ? 0 : 6; }

}  // namespace

Row12 contact_jacobian(const Pose& E_WA, const Pose& E_WB, const Contact& contact) {
  return contact.n.transpose() *
         (point_rates(Side::a, E_WA, contact.x_A) - point_rates(Side::b, E_WB, contact.x_B));
}

Row12 gap_gradient(const Contact& contact, const ContactDerivatives& derivatives) {
  return contact.n.transpose() * (derivatives.dx_A - derivatives.dx_B);
}

// ẋ_W = R (v + ω × x_S), R x_S = x_W − p.
Mat3x12 point_rates(Side side, const Pose& E, const Vec3& x_W) {
  Mat3x12 rates = Mat3x12::Zero();
  rates.middleCols<3>(first_column(side)) = -skew(x_W - E.p) * E.R;
  rates.middleCols<3>(first_column(side) + 3) = E.R;
  return rates;
}

Mat3x12 vector_rates(Side side, const Pose& E, const Vec3& v_W) {
  Mat3x12 rates = Mat3x12::Zero();
  rates.middleCols<3>(first_column(side)) = -skew(v_W) * E.R;
  return rates;
}

Contact exchanged(const Contact& c) { return {c.x_B, c.x_A, -c.n, c.gap, c.feature}; }

ContactDerivatives exchanged(const ContactDerivatives& d) {
  const auto sides_swapped = [](const Mat3x12& m) {
    Mat3x12 out;
    out << m.rightCols<6>(), m.leftCols<6>();
    return out;
  };
  return {-sides_swapped(d.dn), sides_swapped(d.dx_B), sides_swapped(d.dx_A)};
}

// In the frame of B the normal is n(p) at p = E_WB⁻¹ c, so it turns with B and by H dp; in world
// axes, R_B dp is the velocity of c against B. x_A = c − r n, x_B = c − s n with s = gap + r.
ContactDerivatives round_point_derivatives(const Pose& E_WA, const Vec3& c_W, const Pose& E_WB,
                                           const Mat3& H_B, const Contact& contact) {
  const Vec3& n = contact.n;
  const double r = n.dot(c_W - contact.x_A), s = n.dot(c_W - contact.x_B);
  const Mat3x12 c_rate = point_rates(Side::a, E_WA, c_W);
  const Mat3x12 relative = c_rate - point_rates(Side::b, E_WB, c_W);
  ContactDerivatives d;
  d.dn = vector_rates(Side::b, E_WB, n) + E_WB.R * H_B * E_WB.R.transpose() * relative;
  d.dx_A = c_rate - r * d.dn;
  d.dx_B = c_rate - n * (n.transpose() * relative) - s * d.dn;
  return d;
}

// d = p + s a − q − t b is orthogonal to a and to b: with k = a·b and w = p − q,
//     s − k t = −a·w,   k s − t = −b·w,   determinant k² − 1 = −|a×b|².
LinePair nearest_points(const Vec3& p, const Vec3& a, const Vec3& q, const Vec3& b) {
  LinePair lines{.p = p, .a = a, .q = q, .b = b};
  const Vec3 across = a.cross(b), w = p - q;
  const double sin2 = across.squaredNorm();
  lines.parallel = !(sin2 > kParallel);
  if (lines.parallel) return lines;
  const double k = a.dot(b), aw = a.dot(w), bw = b.dot(w);
  lines.s = (k * bw - aw) / sin2;
  lines.t = (bw - k * aw) / sin2;
  lines.n = across / (across.dot(w) < 0 ? -std::sqrt(sin2) : std::sqrt(sin2));
  return lines;
}

// The two conditions above, differentiated along ξ with the lines fixed to their shapes: u the
// velocities of the material points at the nearest points y_A, y_B,
//     ds − k dt = −(a·(u_A − u_B) + da·d),   k ds − dt = −(b·(u_A − u_B) + db·d).
ContactDerivatives line_derivatives(const Pose& E_WA, const Pose& E_WB, const LinePair& lines,
                                    const Contact& contact) {
  const Vec3 &a = lines.a, &b = lines.b, &n = contact.n;
  const Vec3 y_A = lines.p + lines.s * a, y_B = lines.q + lines.t * b, across = a.cross(b);
  const Mat3x12 u_A = point_rates(Side::a, E_WA, y_A), u_B = point_rates(Side::b, E_WB, y_B);
  const Mat3x12 da = vector_rates(Side::a, E_WA, a), db = vector_rates(Side::b, E_WB, b);
  const double k = a.dot(b), sin2 = across.squaredNorm();
  const Row12 A = -(a.transpose() * (u_A - u_B) + (y_A - y_B).transpose() * da);
  const Row12 B = -(b.transpose() * (u_A - u_B) + (y_A - y_B).transpose() * db);
  const Row12 ds = (A - k * B) / sin2, dt = (k * A - B) / sin2;
  // n = ± a×b/|a×b|; the sign is that of contact.n.
  const Mat3x12 d_across = skew(a) * db - skew(b) * da;
  ContactDerivatives d;
  d.dn = (d_across - n * (n.transpose() * d_across)) / n.dot(across);
  d.dx_A = u_A + a * ds + n.dot(contact.x_A - y_A) * d.dn;
  d.dx_B = u_B + b * dt + n.dot(contact.x_B - y_B) * d.dn;
  return d;
}

}  // namespace sinew
