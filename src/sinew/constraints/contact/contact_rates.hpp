#pragma once

#include "sinew/constraints/contact/contact.hpp"

/// Building blocks of the derivatives of contacts. Every rate is a 3×12 matrix in world axes, to be
/// multiplied by (ξ_A; ξ_B).

namespace sinew {

enum class Side { a, b };

/// Γ: velocity of the point of the shape on `side`, posed at E_WS, that is at x_W now.
Mat3x12 point_rates(Side side, const Pose& E_WS, const Vec3& x_W);
/// Rate of a vector v_W fixed to that shape: ω × v.
Mat3x12 vector_rates(Side side, const Pose& E_WS, const Vec3& v_W);

/// The contact seen with the roles of A and B exchanged.
Contact exchanged(const Contact& contact);
ContactDerivatives exchanged(const ContactDerivatives& derivatives);

/// For a contact between a round point of A (fixed to A, now at c_W; its surface lies `radius`
/// around it, which may be 0) and a surface of B with distance Hessian H_B at c, in B's frame.
ContactDerivatives round_point_derivatives(const Pose& E_WA, const Vec3& c_W, const Pose& E_WB,
                                           const Mat3& H_B, const Contact& contact);

/// Nearest points p + s a and q + t b of two straight lines, a fixed to A and b to B. Directions
/// are unit; world.
struct LinePair {
  Vec3 p, a, q, b;
  double s = 0, t = 0;    ///< [m]; meaningful unless parallel
  Vec3 n = Vec3::Zero();  ///< ±a×b/|a×b|, from the line of B to A's; a×b if they meet
  bool parallel = true;   ///< to 1e-5 rad
};
LinePair nearest_points(const Vec3& p, const Vec3& a, const Vec3& q, const Vec3& b);

/// For a contact whose points lie on, or a constant distance along n from, two lines that are not
/// parallel. The sign of contact.n may differ from that of lines.n.
ContactDerivatives line_derivatives(const Pose& E_WA, const Pose& E_WB, const LinePair& lines,
                                    const Contact& contact);

}  // namespace sinew
