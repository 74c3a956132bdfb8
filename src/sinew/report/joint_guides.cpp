#include "sinew/report/joint_guides.hpp"

#include <algorithm>

#include "sinew/report/report_frame.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;

constexpr int kPerSpan = 8;       // pieces of a curve
constexpr int kAxesPerSpan = 2;   // axes along it
constexpr int kSheetPieces = 24;  // of a surface, each way
const Vec3 kSheetColor(0.55, 0.68, 0.8);
constexpr double kSheetOpacity = 0.35;

JointMotion motion_at(const Joint& joint, const double* q) {
  constexpr std::array<double, kMaxJointDofs> still{};
  const auto n = static_cast<size_t>(joint.dof());
  JointMotion out;
  joint.evaluate({q, n}, {still.data(), n}, out);
  return out;
}

JointMotion motion_at(const SplineCurve& curve, double q) {
  const double unit = 1;
  JointMotion out;
  curve.evaluate({&q, 1}, {&unit, 1}, out);
  return out;
}

/// A joint as the parts that it is made of, one after the other.
void append_parts(const Joint& joint, std::vector<const Joint*>& out) {
  if (const auto* composite = std::get_if<Composite>(&joint.variant()))
    for (const Joint& part : composite->parts) append_parts(part, out);
  else
    out.push_back(&joint);
}

/// A part of a body's joint that is a curve or a surface, between the others.
template <class T>
struct Guide {
  const Body& body;
  const T& shape;
  std::vector<const Joint*> before, after;

  int first_dof() const { return body.first_dof.value + dof_of(before); }
  /// Whether it is fixed to the parent, or to the body.
  bool stays_on_parent() const { return dof_of(before) == 0; }
  bool stays_on_body() const { return dof_of(after) == 0; }
  /// Where it begins and ends, in the parent's and in the body's frame; q of the skeleton.
  Pose begin(const double* q) const {
    return body.E_PJ * pose_of(before, q + body.first_dof.value);
  }
  Pose end(const double* q) const {
    return (pose_of(after, q + first_dof() + shape.dof()) * body.E_JB).inverse();
  }

 private:
  static int dof_of(const std::vector<const Joint*>& parts) {
    int out = 0;
    for (const Joint* part : parts) out += part->dof();
    return out;
  }
  static Pose pose_of(const std::vector<const Joint*>& parts, const double* q) {
    Pose out;
    for (const Joint* part : parts) {
      out = out * motion_at(*part, q).Q;
      q += part->dof();
    }
    return out;
  }
};

template <class T, class F>
void for_each_guide(const Skeleton& skeleton, F&& f) {
  std::vector<const Joint*> parts;
  for (const Body& body : skeleton.bodies()) {
    parts.clear();
    append_parts(body.joint, parts);
    for (auto part = parts.begin(); part != parts.end(); ++part)
      if (const auto* shape = std::get_if<T>(&(*part)->variant()))
        f(Guide<T>{body, *shape, {parts.begin(), part}, {part + 1, parts.end()}});
  }
}

/// The ends of the axis about which the body turns, of that length, its middle the point nearest to
/// the body's origin; nothing where it hardly turns, and the axis is ten lengths off.
void append_axis(const Pose& E, const Vec6& S, double length, std::vector<double>& out) {
  const Vec3 w = S.head<3>(), v = S.tail<3>();
  const double rate = w.norm();
  if (!(rate > 1e-9) || v.norm() > 10 * length * rate) return;
  const Vec3 foot = w.cross(v) / (rate * rate);
  for (const double end : {-0.5, 0.5}) {
    const Vec3 x = E * Vec3(foot + end * length / rate * w);
    out.insert(out.end(), x.begin(), x.end());
  }
}

/// The curve itself: of a reversed one, what the parent slides along.
SplineCurve forward(const SplineCurve& curve) {
  return curve.is_reversed() ? curve.reversed() : curve;
}

bool moves(const Guide<SplineCurve>& guide) {
  return guide.shape.is_reversed() ? !guide.stays_on_body() : !guide.stays_on_parent();
}
bool moves(const Guide<SplineSurface>& guide) {
  return !guide.shape.changes().empty() || !guide.stays_on_parent();
}

/// Points of a curve that begins in the frame E.
void append_curve(const SplineCurve& curve, const Pose& E, std::vector<double>& out) {
  const CubicBSpline& spline = curve.spline();
  const int pieces = kPerSpan * spline.spans();
  for (int k = 0; k <= pieces; ++k) {
    const double q = spline.begin() + k * (spline.end() - spline.begin()) / pieces;
    const Vec3 x = E * motion_at(curve, q).Q.p;
    out.insert(out.end(), x.begin(), x.end());
  }
}

ordered_json describe_wire(const SplineCurve& curve, int body, const Pose& E, ReportData& data) {
  const CubicBSpline& spline = curve.spline();
  std::vector<double> points, frames, axes;
  append_curve(curve, E, points);
  const Eigen::Map<const Eigen::Matrix3Xd> x(points.data(), 3,
                                             static_cast<Eigen::Index>(points.size() / 3));
  for (const Pose& frame : curve.frames()) append_pose(E * frame, frames);
  // As long as the curve is wide; of one that hardly moves the origin, as a hand is.
  const double length = std::max((x.rowwise().maxCoeff() - x.rowwise().minCoeff()).norm(), 0.05);
  const int pieces = kAxesPerSpan * spline.spans();
  for (int k = 0; k <= pieces; ++k) {
    const JointMotion motion =
        motion_at(curve, spline.begin() + k * (spline.end() - spline.begin()) / pieces);
    append_axis(E * motion.Q, motion.S.col(0), length, axes);
  }
  return {{"body", body},
          {"points", data.quantized(points)},
          {"frames", data.quantized(frames)},
          {"axes", data.quantized(axes)}};
}

/// Origins of what moves along the surface over the range of the coordinates, at a time, in the
/// frame E.
void append_sheet(const SplineSurface& surface, double t, const Pose& E, std::vector<double>& out) {
  const auto& splines = surface.splines();
  JointMotion motion;
  for (int i = 0; i <= kSheetPieces; ++i)
    for (int j = 0; j <= kSheetPieces; ++j) {
      std::array<double, 3> q{0, 0, t}, still{};
      for (size_t k = 0; k < 2; ++k)
        q[k] = splines[k].begin() +
               (splines[k].end() - splines[k].begin()) * (k == 0 ? j : i) / kSheetPieces;
      const auto n = static_cast<size_t>(surface.dof());
      surface.evaluate({q.data(), n}, {still.data(), n}, motion);
      const Vec3 x = E * motion.Q.p;
      out.insert(out.end(), x.begin(), x.end());
    }
}

std::vector<std::array<int, 3>> sheet_triangles() {
  std::vector<std::array<int, 3>> out;
  constexpr int n = kSheetPieces + 1;
  for (int i = 0; i < kSheetPieces; ++i)
    for (int j = 0; j < kSheetPieces; ++j) {
      const int a = n * i + j, b = a + 1, c = a + n, d = c + 1;
      out.insert(out.end(), {{a, b, d}, {a, d, c}});
    }
  return out;
}

/// Solids are seen from outside: the other side of an open mesh has points of its own.
void add_other_side(TriangleMesh& mesh) {
  const auto count = static_cast<int>(mesh.vertices.size());
  const std::vector<Vec3> vertices = mesh.vertices;
  const std::vector<std::array<int, 3>> triangles = mesh.triangles;
  mesh.vertices.insert(mesh.vertices.end(), vertices.begin(), vertices.end());
  for (const auto& [a, b, c] : triangles)
    mesh.triangles.push_back({count + a, count + c, count + b});
}

}  // namespace

ordered_json describe_wires(const Skeleton& skeleton, ReportData& data) {
  ordered_json out = ordered_json::array();
  const std::vector<double> q(static_cast<size_t>(skeleton.dof_count()));
  for_each_guide<SplineCurve>(skeleton, [&](const Guide<SplineCurve>& guide) {
    if (moves(guide)) return;
    const bool reversed = guide.shape.is_reversed();
    const int body = reversed ? skeleton.find_body(guide.body.name).value : guide.body.parent.value;
    const Pose E = reversed ? guide.end(q.data()) : guide.begin(q.data());
    const ordered_json one = describe_wire(forward(guide.shape), body, E, data);
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
  });
  return out;
}

void add_sheets(const Skeleton& skeleton, DrawnShapes& out) {
  const std::vector<double> q(static_cast<size_t>(skeleton.dof_count()));
  for_each_guide<SplineSurface>(skeleton, [&](const Guide<SplineSurface>& guide) {
    if (moves(guide)) return;
    std::vector<double> flat;
    append_sheet(guide.shape, 0, guide.begin(q.data()), flat);
    TriangleMesh mesh;
    for (size_t k = 0; k < flat.size(); k += 3)
      mesh.vertices.emplace_back(flat[k], flat[k + 1], flat[k + 2]);
    mesh.triangles = sheet_triangles();
    add_other_side(mesh);
    const BodyIndex parent = guide.body.parent;
    auto& shapes = parent < 0 ? out.fixed : out.bodies[static_cast<size_t>(parent.value)];
    shapes.push_back({std::move(mesh), Pose(), {"", kSheetColor, kSheetOpacity}});
  });
}

std::vector<MovingShape> moving_guides(const Skeleton& skeleton) {
  std::vector<MovingShape> out;
  for_each_guide<SplineCurve>(skeleton, [&](const Guide<SplineCurve>& guide) {
    if (moves(guide))
      out.push_back({guide.body.joint_name, "wire", kPerSpan * guide.shape.spline().spans() + 1});
  });
  for_each_guide<SplineSurface>(skeleton, [&](const Guide<SplineSurface>& guide) {
    if (!moves(guide)) return;
    out.push_back({guide.body.joint_name, "sheet", (kSheetPieces + 1) * (kSheetPieces + 1)});
    for (const auto& triangle : sheet_triangles())
      out.back().triangles.insert(out.back().triangles.end(), triangle.begin(), triangle.end());
  });
  return out;
}

void draw_moving_guides(const SkeletonAt& in, std::vector<double>& points) {
  const double* q = in.q.data();
  const auto pose = [&](BodyIndex body) {
    return body < 0 ? Pose() : body_pose(in.skeleton, in.ws, body);
  };
  for_each_guide<SplineCurve>(in.skeleton, [&](const Guide<SplineCurve>& guide) {
    if (!moves(guide)) return;
    const Pose E = guide.shape.is_reversed()
                       ? pose(in.skeleton.find_body(guide.body.name)) * guide.end(q)
                       : pose(guide.body.parent) * guide.begin(q);
    append_curve(forward(guide.shape), E, points);
  });
  for_each_guide<SplineSurface>(in.skeleton, [&](const Guide<SplineSurface>& guide) {
    if (!moves(guide)) return;
    const double t = guide.shape.changes().empty() ? 0 : q[guide.first_dof() + 2];
    append_sheet(guide.shape, t, pose(guide.body.parent) * guide.begin(q), points);
  });
}

}  // namespace sinew
