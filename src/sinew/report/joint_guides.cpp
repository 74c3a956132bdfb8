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

JointMotion motion_at(const SplineCurve& curve, double q) {
  const double unit = 1;
  JointMotion out;
  curve.evaluate({&q, 1}, {&unit, 1}, out);
  return out;
}

/// The ends of the axis about which the body turns, of that length, its middle the point nearest to
/// the body's origin; nothing where it hardly turns.
void append_axis(const Pose& E, const Vec6& S, double length, std::vector<double>& out) {
  const Vec3 w = S.head<3>(), v = S.tail<3>();
  const double rate = w.norm();
  if (!(rate > 1e-9) || v.norm() > 1e3 * rate) return;
  const Vec3 foot = w.cross(v) / (rate * rate);
  for (const double end : {-0.5, 0.5}) {
    const Vec3 x = E * Vec3(foot + end * length / rate * w);
    out.insert(out.end(), x.begin(), x.end());
  }
}

ordered_json describe_wire(const Body& body, const SplineCurve& curve, ReportData& data) {
  const CubicBSpline& spline = curve.spline();
  const auto at = [&](int k, int per_span) {
    return motion_at(
        curve, spline.begin() + k * (spline.end() - spline.begin()) / (per_span * spline.spans()));
  };
  std::vector<double> points, frames, axes;
  Vec3 low = Vec3::Constant(1e9), high = -low;
  for (int k = 0; k <= kPerSpan * spline.spans(); ++k) {
    const Vec3 x_P = body.E_PJ * at(k, kPerSpan).Q.p;
    points.insert(points.end(), x_P.begin(), x_P.end());
    low = low.cwiseMin(x_P);
    high = high.cwiseMax(x_P);
  }
  for (const Pose& frame : curve.frames())
    append_pose(body.E_PJ * (curve.is_reversed() ? frame.inverse() : frame), frames);
  // As long as the curve is wide; of one that hardly moves the origin, as a hand is.
  const double length = std::max((high - low).norm(), 0.05);
  for (int k = 0; k <= kAxesPerSpan * spline.spans(); ++k) {
    const JointMotion motion = at(k, kAxesPerSpan);
    append_axis(body.E_PJ * motion.Q, motion.S.col(0), length, axes);
  }
  return {{"body", body.parent.value},
          {"points", data.quantized(points)},
          {"frames", data.quantized(frames)},
          {"axes", data.quantized(axes)}};
}

/// Origins of the body over the range of the coordinates, at a time; in the parent's frame.
void append_sheet(const Body& body, const SplineSurface& surface, double t, const Pose& E,
                  std::vector<double>& out) {
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
      const Vec3 x = E * (body.E_PJ * motion.Q.p);
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

template <class F>
void for_each_surface(const Skeleton& skeleton, bool deforming, F&& f) {
  for (const Body& body : skeleton.bodies()) {
    const auto* surface = std::get_if<SplineSurface>(&body.joint.variant());
    if (surface != nullptr && surface->changes().empty() != deforming) f(body, *surface);
  }
}

}  // namespace

ordered_json describe_wires(const Skeleton& skeleton, ReportData& data) {
  ordered_json out = ordered_json::array();
  for (const Body& body : skeleton.bodies()) {
    const auto* curve = std::get_if<SplineCurve>(&body.joint.variant());
    if (curve == nullptr) continue;
    const ordered_json one = describe_wire(body, *curve, data);
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
  }
  return out;
}

void add_sheets(const Skeleton& skeleton, DrawnShapes& out) {
  for_each_surface(skeleton, false, [&](const Body& body, const SplineSurface& surface) {
    std::vector<double> flat;
    append_sheet(body, surface, 0, Pose(), flat);
    TriangleMesh mesh;
    for (size_t k = 0; k < flat.size(); k += 3)
      mesh.vertices.emplace_back(flat[k], flat[k + 1], flat[k + 2]);
    mesh.triangles = sheet_triangles();
    add_other_side(mesh);
    auto& shapes = body.parent < 0 ? out.fixed : out.bodies[static_cast<size_t>(body.parent.value)];
    shapes.push_back({std::move(mesh), Pose(), {"", kSheetColor, kSheetOpacity}});
  });
}

std::vector<MovingShape> deforming_sheets(const Skeleton& skeleton) {
  std::vector<MovingShape> out;
  for_each_surface(skeleton, true, [&](const Body& body, const SplineSurface&) {
    MovingShape shape{body.joint_name, "sheet", (kSheetPieces + 1) * (kSheetPieces + 1), {}};
    for (const auto& triangle : sheet_triangles())
      shape.triangles.insert(shape.triangles.end(), triangle.begin(), triangle.end());
    out.push_back(std::move(shape));
  });
  return out;
}

void draw_sheets(const SkeletonAt& in, std::vector<double>& points) {
  for_each_surface(in.skeleton, true, [&](const Body& body, const SplineSurface& surface) {
    const Pose E_WP =
        body.parent < 0 ? Pose() : body_pose(in.skeleton, in.ws, BodyIndex(body.parent));
    append_sheet(body, surface, in.q[body.first_dof + 2], E_WP, points);
  });
}

}  // namespace sinew
