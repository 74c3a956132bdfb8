#include "sinew/constraints/contact/box_contact.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "sinew/constraints/contact/contact_rates.hpp"

namespace sinew {
namespace {

/// Ties (equal separations on several axes, corners exactly on the outline of a face) are common in
/// stacks. Rounding must not decide them anew at every step, so an axis must win, and a point must
/// be outside, by this fraction of the smaller box.
constexpr double kTie = 1e-6;
/// cos 1.15°. Where the best edge axis is that close to the best face, the clipped face holds the
/// crossing of the edges too, to second order in the angle, and the other points that are about to
/// touch: a box that rocks on another keeps its contacts.
constexpr double kAligned = 0.9998;

struct Box {
  Vec3 half;
  Pose E;  ///< E_WS
  Vec3 axis(int i) const { return E.R.col(i); }
  /// Reach from the centre along the unit vector n.
  double reach(const Vec3& n) const { return (E.R.transpose() * n).cwiseAbs().dot(half); }
};

double tie(const Box& a, const Box& b) {
  return kTie * std::min(a.half.minCoeff(), b.half.minCoeff());
}

/// Face 2i is at −half on axis i, face 2i + 1 at +half.
Vec3 face_normal(const Box& box, int face) { return (face & 1 ? 1 : -1) * box.axis(face / 2); }

/// An axis on which the boxes are apart by `separation` (if negative, they overlap).
struct Axis {
  double separation = -std::numeric_limits<double>::infinity();
  Vec3 n = Vec3::Zero();  ///< unit, from B to A; zero: no such axis
  int i = -1, j = -1;     ///< faces: side of the box (0 A, 1 B) and axis; edges: axes of A and B
};

Axis axis_along(const Box& A, const Box& B, const Vec3& direction, int i, int j) {
  const double apart = direction.dot(A.E.p - B.E.p);
  const Vec3 n = apart < 0 ? Vec3(-direction) : direction;
  return {std::abs(apart) - A.reach(n) - B.reach(n), n, i, j};
}

struct Axes {
  Axis face, edge;
  double largest = -std::numeric_limits<double>::infinity();  ///< separation among all 15
};

double face_area(const Box& box, int axis) {
  return box.half[(axis + 1) % 3] * box.half[(axis + 2) % 3];
}

/// The better of the best faces of A and of B. If they lie flat against each other, either would
/// do: the larger is chosen, so that the corners of the smaller make contacts however the two
/// wobble.
Axis better_face(const Box& A, const Box& B, const Axis& of_A, const Axis& of_B) {
  const bool flat = std::abs(of_A.n.dot(of_B.n)) > kAligned;
  const bool take_B = flat ? face_area(B, of_B.j) > (1 + kTie) * face_area(A, of_A.j)
                           : of_B.separation > of_A.separation + tie(A, B);
  return take_B ? of_B : of_A;
}

Axes separating_axes(const Box& A, const Box& B) {
  Axes best;
  Axis faces[2];
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < 3; ++i) {
      const Axis axis = axis_along(A, B, (side == 0 ? A : B).axis(i), side, i);
      best.largest = std::max(best.largest, axis.separation);
      if (axis.separation > faces[side].separation + tie(A, B)) faces[side] = axis;
    }
  best.face = better_face(A, B, faces[0], faces[1]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vec3 across = A.axis(i).cross(B.axis(j));
      const double length = across.norm();
      if (length < 1e-5) continue;  // parallel, as for nearest_points: a face does the same
      const Axis axis = axis_along(A, B, across / length, i, j);
      best.largest = std::max(best.largest, axis.separation);
      if (axis.separation > best.edge.separation) best.edge = axis;
    }
  return best;
}

// Edges. Feature: kEdges + ((3 i + j) 4 + corner of A) 4 + corner of B, a corner being the signs of
// the two coordinates in which the edge is fixed.

constexpr int kEdges = 2 * 6 * 6 * 8 * 8;  // after all the features of faces

/// Midpoint of the edge of `box` along axis i whose other two coordinates have the signs of
/// `corner`.
Vec3 edge_midpoint(const Box& box, int i, int corner) {
  const int u = (i + 1) % 3, v = (i + 2) % 3;
  return box.E.p + (corner & 1 ? 1 : -1) * box.half[u] * box.axis(u) +
         (corner & 2 ? 1 : -1) * box.half[v] * box.axis(v);
}

/// The corner, as above, that is farthest along m.
int farthest_corner(const Box& box, int i, const Vec3& m) {
  return (box.axis((i + 1) % 3).dot(m) >= 0 ? 1 : 0) + (box.axis((i + 2) % 3).dot(m) >= 0 ? 2 : 0);
}

LinePair edge_lines(const Box& A, const Box& B, int feature) {
  const int corners = (feature - kEdges) % 16, ij = (feature - kEdges) / 16;
  return nearest_points(edge_midpoint(A, ij / 3, corners / 4), A.axis(ij / 3),
                        edge_midpoint(B, ij % 3, corners % 4), B.axis(ij % 3));
}

/// Whether the edges cross: the nearest points lie on them.
bool add_edge_contact(const Box& A, const Box& B, const Axis& axis,
                      std::vector<Contact>& contacts) {
  const int feature = kEdges +
                      ((3 * axis.i + axis.j) * 4 + farthest_corner(A, axis.i, -axis.n)) * 4 +
                      farthest_corner(B, axis.j, axis.n);
  const LinePair l = edge_lines(A, B, feature);
  if (l.parallel || std::abs(l.s) > A.half[axis.i] + tie(A, B) ||
      std::abs(l.t) > B.half[axis.j] + tie(A, B))
    return false;
  const Vec3 x_A = l.p + l.s * l.a, x_B = l.q + l.t * l.b;
  contacts.push_back({x_A, x_B, axis.n, axis.n.dot(x_A - x_B), feature});
  return true;
}

// Faces. The reference face gives the normal m; the incident one, of the other box, faces it most
// squarely. The incident face is clipped by the four planes through the sides of the reference
// face. A corner of what is left lies between two lines, each an edge of the incident face (0 to 3)
// or a plane (4 to 7).

struct FaceFeature {
  int side;       ///< reference box: 0 A, 1 B
  int reference;  ///< face of the reference box
  int incident;   ///< face of the other
  int arriving, leaving;

  int code() const {
    return (((side * 6 + reference) * 6 + incident) * 8 + arriving) * 8 + leaving;
  }
  static FaceFeature decoded(int code) {
    return {code / (6 * 6 * 64), code / (6 * 64) % 6, code / 64 % 6, code / 8 % 8, code % 8};
  }
};

struct Corner {
  Vec3 x;       ///< reference box frame
  int leaving;  ///< the line from this corner to the next
};
/// Four clips of a quadrilateral leave eight corners at most; rounding may add some.
struct Polygon {
  std::array<Corner, 16> corners;
  int count = 0;
  void add(const Vec3& x, int leaving) {
    if (count < static_cast<int>(corners.size()))
      corners[static_cast<std::size_t>(count++)] = {x, leaving};
  }
  const Corner& operator[](int i) const { return corners[static_cast<std::size_t>(i % count)]; }
};

/// Incident edge e runs along this axis of its box.
int incident_edge_axis(int face, int e) { return (face / 2 + 1 + e % 2) % 3; }

Polygon face_polygon(const Box& box, int face, const Pose& E_WR) {
  const int k = face / 2, u = (k + 1) % 3, v = (k + 2) % 3;
  const int signs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
  Polygon polygon;
  for (int e = 0; e < 4; ++e) {
    Vec3 x;
    x[k] = (face & 1 ? 1 : -1) * box.half[k];
    x[u] = signs[e][0] * box.half[u];
    x[v] = signs[e][1] * box.half[v];
    polygon.add(E_WR.R.transpose() * (box.E * x - E_WR.p), e);
  }
  return polygon;
}

/// Clipping plane c (0 to 3) of a reference face: sign x[axis] ≤ half[axis].
struct SidePlane {
  int axis, sign;
};
SidePlane side_plane(int face, int c) { return {(face / 2 + 1 + c / 2) % 3, c % 2 == 0 ? 1 : -1}; }

/// Sutherland and Hodgman's step.
Polygon clipped(const Polygon& in, const SidePlane& plane, double limit, int line) {
  Polygon out;
  for (int i = 0; i < in.count; ++i) {
    const Corner &from = in[i], &to = in[i + 1];
    const double d0 = plane.sign * from.x[plane.axis] - limit;
    const double d1 = plane.sign * to.x[plane.axis] - limit;
    if (d0 <= 0) out.add(from.x, from.leaving);
    if ((d0 <= 0) != (d1 <= 0))
      out.add(from.x + d0 / (d0 - d1) * (to.x - from.x), d0 <= 0 ? line : from.leaving);
  }
  return out;
}

void add_face_contacts(const Box& A, const Box& B, const Axis& axis, double margin,
                       std::vector<Contact>& contacts) {
  const Box &R = axis.i == 0 ? A : B, &I = axis.i == 0 ? B : A;  // reference, incident
  const Vec3 m = axis.i == 0 ? Vec3(-axis.n) : axis.n;           // outward from the reference face
  const int reference = 2 * axis.j + (m.dot(R.axis(axis.j)) > 0 ? 1 : 0);
  int k = 0;
  const Vec3 along = I.E.R.transpose() * m;
  along.cwiseAbs().maxCoeff(&k);
  const int incident = 2 * k + (along[k] > 0 ? 0 : 1);

  Polygon polygon = face_polygon(I, incident, R.E);
  for (int c = 0; c < 4; ++c) {
    const SidePlane plane = side_plane(reference, c);
    polygon = clipped(polygon, plane, R.half[plane.axis] + tie(A, B), 4 + c);
  }
  for (int i = 0; i < polygon.count; ++i) {
    const Vec3 x = R.E * polygon[i].x;
    const double gap = m.dot(x - R.E.p) - R.half[axis.j];
    if (gap > margin) continue;
    const FaceFeature feature{axis.i, reference, incident, polygon[i + polygon.count - 1].leaving,
                              polygon[i].leaving};
    const Contact on_reference_b{x, x - gap * m, m, gap, feature.code()};
    contacts.push_back(axis.i == 1 ? on_reference_b : exchanged(on_reference_b));
  }
}

/// The reference box has the role of B. The incident point moves with its box (an incident corner),
/// with that box and along an incident edge so as to stay in a side plane, or with the reference
/// box along m so as to stay in the incident face (a corner of the reference face).
ContactDerivatives face_derivatives(const Box& I, const Box& R, const FaceFeature& f,
                                    const Contact& contact) {
  const Vec3 &x = contact.x_A, &m = contact.n;
  const Mat3x12 u_I = point_rates(Side::a, I.E, x), u_R = point_rates(Side::b, R.E, x);
  ContactDerivatives d;
  d.dn = vector_rates(Side::b, R.E, m);
  if (f.arriving < 4 && f.leaving < 4) {
    d.dx_A = u_I;
  } else if (f.arriving < 4 || f.leaving < 4) {
    const Vec3 e = I.axis(incident_edge_axis(f.incident, std::min(f.arriving, f.leaving)));
    const Vec3 k = R.axis(side_plane(f.reference, std::max(f.arriving, f.leaving) - 4).axis);
    const double slope = k.dot(e);
    // An edge that lies in the side plane up to rounding does not run along it.
    const Vec3 slide = std::abs(slope) > 1e-12 ? Vec3(e / slope) : Vec3(Vec3::Zero());
    d.dx_A = u_I - slide * (k.transpose() * (u_I - u_R));
  } else {
    const Vec3 k = face_normal(I, f.incident);  // k·m ≤ −1/√3: the face most against m
    d.dx_A = u_R + m / k.dot(m) * (k.transpose() * (u_I - u_R));
  }
  const Row12 dgap = m.transpose() * (d.dx_A - u_R);
  d.dx_B = d.dx_A - m * dgap - contact.gap * d.dn;
  return d;
}

}  // namespace

void add_box_contacts(const Cuboid& a, const Pose& E_WA, const Cuboid& b, const Pose& E_WB,
                      double margin, std::vector<Contact>& contacts) {
  const Box A{0.5 * a.sides, E_WA}, B{0.5 * b.sides, E_WB};
  const Axes axes = separating_axes(A, B);
  if (!(axes.largest <= margin)) return;
  const bool by_edges = axes.edge.separation > axes.face.separation + tie(A, B) &&
                        std::abs(axes.edge.n.dot(axes.face.n)) < kAligned;
  if (by_edges && add_edge_contact(A, B, axes.edge, contacts)) return;
  add_face_contacts(A, B, axes.face, margin, contacts);
}

ContactDerivatives box_contact_derivatives(const Cuboid& a, const Pose& E_WA, const Cuboid& b,
                                           const Pose& E_WB, const Contact& contact) {
  const Box A{0.5 * a.sides, E_WA}, B{0.5 * b.sides, E_WB};
  if (contact.feature >= kEdges)
    return line_derivatives(E_WA, E_WB, edge_lines(A, B, contact.feature), contact);
  const FaceFeature f = FaceFeature::decoded(contact.feature);
  if (f.side == 1) return face_derivatives(A, B, f, contact);
  return exchanged(face_derivatives(B, A, f, exchanged(contact)));
}

}  // namespace sinew
