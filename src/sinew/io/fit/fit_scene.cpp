#include "sinew/io/fit/fit_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "sinew/io/fit/joint_writer.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostPoses = 120;
const Vec3 kResidual(0.85, 0.2, 0.15);
const std::array<Vec3, 3> kAxes = {Vec3(0.8, 0.35, 0.3), Vec3(0.35, 0.65, 0.35),
                                   Vec3(0.3, 0.45, 0.8)};

ordered_json vector_json(const Vec3& x) { return {x.x(), x.y(), x.z()}; }

/// A thin rod; nothing where it has no length.
void add_rod(const Vec3& from, const Vec3& to, double radius, const Vec3& color,
             ordered_json& shapes) {
  const Vec3 way = to - from;
  if (way.norm() < 1e-9) return;
  const Mat3 R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), way).toRotationMatrix();
  ordered_json rows = ordered_json::array();
  for (int i = 0; i < 3; ++i) rows.push_back(vector_json(R.row(i)));
  shapes.push_back(
      {{"type", "capsule"},
       {"radius", radius},
       {"height", way.norm()},
       {"placement", {{"position", vector_json(0.5 * (from + to))}, {"rotation", rows}}},
       {"color", vector_json(color)}});
}

/// A rod that ends in a thicker one: its last quarter.
void add_arrow(const Vec3& from, const Vec3& way, double radius, ordered_json& shapes) {
  add_rod(from, from + way, radius, kResidual, shapes);
  add_rod(from + 0.75 * way, from + way, 2 * radius, kResidual, shapes);
}

void add_axes(const Pose& E, double length, double radius, ordered_json& shapes) {
  for (int i = 0; i < 3; ++i)
    add_rod(E.p, E.p + length * E.R.col(i), radius, kAxes[static_cast<size_t>(i)], shapes);
}

Pose fitted_pose(const JointFit& fit, Eigen::Index k) {
  const VecX q = fit.q.col(k), still = VecX::Zero(q.size());
  const auto span = [](const VecX& x) {
    return Coordinates(x.data(), static_cast<size_t>(x.size()));
  };
  JointMotion motion;
  fit.joint.evaluate(span(q), span(still), motion);
  return fit.E_PJ * motion.Q * fit.E_JB;
}

/// The largest power of ten, at least 1, that makes nothing longer than that.
double magnification(double largest, double length) {
  if (!(largest > 0)) return 1;
  return std::pow(10, std::max(0.0, std::floor(std::log10(length / largest))));
}

}  // namespace

std::string fit_scene(const JointFit& fit, const std::vector<Pose>& poses) {
  Vec3 low = poses[0].p, high = low;
  double largest = 0;
  for (size_t k = 0; k < poses.size(); ++k) {
    const Pose on_joint = fitted_pose(fit, static_cast<Eigen::Index>(k));
    low = low.cwiseMin(poses[k].p);
    high = high.cwiseMax(poses[k].p);
    largest = std::max(largest, (on_joint.p - poses[k].p).norm());
  }
  // A hinge may hardly move the child's origin.
  const double size = std::max((high - low).norm(), 0.05);
  const double factor = magnification(largest, 0.3 * size);

  ordered_json measured = ordered_json::array();
  const size_t stride = (poses.size() + kMostPoses - 1) / kMostPoses;
  for (size_t k = 0; k < poses.size(); k += stride) {
    add_axes(poses[k], 0.05 * size, 0.002 * size, measured);
    const Vec3 off = fitted_pose(fit, static_cast<Eigen::Index>(k)).p - poses[k].p;
    add_arrow(poses[k].p, factor * off, 0.004 * size, measured);
  }
  ordered_json axes = ordered_json::array();
  add_axes({}, 0.25 * size, 0.008 * size, axes);
  for (ordered_json& rod : axes) rod["density"] = 1000;

  ordered_json child = {{"name", "child"}, {"parent", "parent"}};
  child.update(ordered_json::parse(scene_joint(fit)));
  child["shapes"] = axes;
  ordered_json names = ordered_json::array(), start = names, drives = names;
  for (Eigen::Index k = 0; k < fit.q.rows(); ++k) {
    const std::string name = fmt::format("q{}", k + 1);
    const double begin = fit.q.row(k).minCoeff(), end = fit.q.row(k).maxCoeff();
    names.push_back(name);
    start.push_back(0.5 * (begin + end));
    drives.push_back({{"type", "prescribed-coordinate"},
                      {"name", name},
                      {"coordinate", name},
                      {"function",
                       {{"type", "sine"},
                        {"amplitude", 0.5 * (end - begin)},
                        {"frequency", static_cast<double>(k + 1) * std::numbers::pi / 2},
                        {"offset", 0.5 * (begin + end)}}}});
  }
  child["joint"]["coordinates"] = names;
  child["joint"]["q0"] = start;
  return ordered_json{
      {"sinew_scene", 1},
      {"title", fmt::format("A {} fitted to {} poses", name_of(fit.type), poses.size())},
      {"description",
       fmt::format(
           "Axes: measured poses. Red arrows: from each to its pose on the joint, {:g} times as "
           "long as it is; the largest is {:.3g} mm.",
           factor, 1e3 * largest)},
      {"gravity", {0, 0, 0}},
      {"bodies",
       {{{"name", "parent"},
         {"parent", "world"},
         {"joint", {{"type", "fixed"}}},
         {"inertia", {{"mass", 1}, {"moments", {1, 1, 1}}}},
         {"shapes", measured}},
        child}},
      {"constraints", drives},
      {"simulation",
       {{"integrator", "rk4"}, {"dt", 0.001}, {"until", 8}, {"output_interval", 0.02}}}}
      .dump(1);
}

}  // namespace sinew
