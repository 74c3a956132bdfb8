#include "sinew/io/osim/pose_evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sinew/constraints/coupling.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/momentum.hpp"
#include "sinew/dynamics/rnea.hpp"

namespace sinew {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& source, const std::string& element,
                       const std::string& problem, const std::string& remedy) {
  throw Error(element, problem, remedy).with_location(source, 0);
}

ordered_json to_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

ordered_json rows_of(const Mat3& R) {
  ordered_json out = ordered_json::array();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.push_back(R(i, j));
  return out;
}

/// The file's coordinates: for each its place in the skeleton.
class PoseFile {
 public:
  PoseFile(const OsimModel& model, std::string_view text, const std::string& source)
      : model_(model), source_(source) {
    root_ = json::parse(text, nullptr, false);
    if (root_.is_discarded() || !root_.is_object())
      fail(source, "poses", "the file is no JSON object", "give \"coordinates\" and \"poses\"");
    if (!root_.contains("poses") || !root_["poses"].is_array())
      fail(source, "poses", "there is no list \"poses\"", "give one pose at least");
    read_coordinates();
  }

  const json& poses() const { return root_["poses"]; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<int>& places() const { return places_; }

  /// Values of a pose for all coordinates of the skeleton; `otherwise` where there are none.
  VecX read(const json& pose, const char* key, VecX otherwise, size_t number) const {
    const std::string element = "pose " + std::to_string(number);
    if (!pose.is_object()) fail(source_, element, "is no object", "give it \"q\"");
    if (!pose.contains(key)) return otherwise;
    const json& list = pose[key];
    if (!list.is_array() || list.size() != places_.size())
      fail(source_, element,
           "its \"" + std::string(key) + "\" is no list of " + std::to_string(places_.size()) +
               " numbers",
           "give one per coordinate");
    for (size_t k = 0; k < list.size(); ++k) {
      if (!list[k].is_number() || !std::isfinite(list[k].get<double>()))
        fail(source_, element, "its \"" + std::string(key) + "\" has an entry that is no number",
             "give finite numbers");
      otherwise[places_[k]] = list[k].get<double>();
    }
    return otherwise;
  }

 private:
  void read_coordinates() {
    std::vector<std::string> known;
    for (const OsimCoordinate& c : model_.coordinates) known.push_back(c.name);
    if (!root_.contains("coordinates")) {
      names_ = known;
      for (size_t k = 0; k < known.size(); ++k) places_.push_back(static_cast<int>(k));
      return;
    }
    for (const json& entry : root_["coordinates"]) {
      const json& name = entry.is_object() && entry.contains("name") ? entry["name"] : entry;
      if (!name.is_string())
        fail(source_, "coordinates", "an entry is no name",
             "give names, or objects with a \"name\"");
      names_.push_back(name.get<std::string>());
      const auto found = std::find(known.begin(), known.end(), names_.back());
      if (found == known.end())
        fail(source_, "coordinate '" + names_.back() + "'", "is none of the model's",
             suggest(names_.back(), known));
      places_.push_back(static_cast<int>(found - known.begin()));
      if (std::count(places_.begin(), places_.end(), places_.back()) > 1)
        fail(source_, "coordinate '" + names_.back() + "'", "is named twice", "name it once");
    }
  }

  const OsimModel& model_;
  const std::string& source_;
  json root_;
  std::vector<std::string> names_;
  std::vector<int> places_;
};

/// Evaluates poses one by one, results in the file's order of coordinates.
class PoseEvaluator {
 public:
  PoseEvaluator(const OsimModel& model, const std::vector<int>& places)
      : model_(model),
        places_(places),
        ws_(model.skeleton),
        none_(model.skeleton),
        n_(model.skeleton.dof_count()) {}

  ordered_json evaluate(const VecX& q, const VecX& u, const VecX& udot) {
    const Skeleton& skeleton = model_.skeleton;
    const VecX zero = VecX::Zero(n_);
    update_kinematics(skeleton, q, zero, ws_);
    update_inertias(skeleton, ws_);
    const VecX at_rest = inverse_dynamics_of(zero);
    update_kinematics(skeleton, q, u, ws_);
    update_inertias(skeleton, ws_);
    MatX M(n_, n_);
    mass_matrix(skeleton, ws_, M);
    ordered_json out;
    out["q"] = ordered(q);
    out["u"] = ordered(u);
    out["udot"] = ordered(udot);
    out["body_transforms"] = transforms();
    out["M"] = ordered(M);
    out["id_tau"] = ordered(inverse_dynamics_of(udot));
    out["id_tau_udot0"] = ordered(inverse_dynamics_of(zero));
    out["id_tau_gravity"] = ordered(at_rest);
    out["kinetic_energy"] = kinetic_energy(skeleton, ws_);
    double mass = 0;
    Vec3 moment = Vec3::Zero();
    for (int b = 0; b < skeleton.body_count(); ++b) {
      const SpatialInertia& M_B = skeleton.body(BodyIndex(b)).M_B;
      const Pose E_WB = body_pose(skeleton, ws_, BodyIndex(b));
      mass += M_B.mass;
      moment += E_WB.R * M_B.h + M_B.mass * E_WB.p;
    }
    out["potential_energy_gravity"] = -model_.gravity.dot(moment);
    out["com"] = to_json(Vec3(moment / mass));
    out["paths"] = paths(q, u);
    return out;
  }

 private:
  VecX inverse_dynamics_of(const VecX& udot) {
    VecX tau(n_);
    inverse_dynamics(model_.skeleton, model_.gravity, none_, udot, ws_, tau);
    return tau;
  }

  ordered_json ordered(const VecX& v) const {
    ordered_json out = ordered_json::array();
    for (const int k : places_) out.push_back(v[k]);
    return out;
  }
  ordered_json ordered(const MatX& M) const {
    ordered_json out = ordered_json::array();
    for (const int k : places_) out.push_back(ordered(VecX(M.col(k))));
    return out;
  }

  /// Row k: the speeds that coordinate k alone would have with speed one, the constraints
  /// satisfied with the least change of speeds, over its own: what a moment arm counts.
  MatX couplings(const VecX& q) {
    ConstraintList position;
    int rows = 0;
    for (const auto& constraint : model_.constraints)
      if (dynamic_cast<const CoordinateCoupling*>(constraint.get()) != nullptr) {
        position.push_back(constraint);
        rows += constraint->rows();
      }
    MatX out = MatX::Identity(n_, n_);
    if (rows == 0) return out;
    const VecX zero = VecX::Zero(n_);
    ConstraintRows constraint_rows(model_.skeleton, rows);
    update_constraint_rows(position, {model_.skeleton, 0, q, zero, ws_}, constraint_rows);
    const MatX Gt = constraint_rows.Gt;
    const MatX free =
        MatX::Identity(n_, n_) -
        Gt * (Gt.transpose() * Gt).completeOrthogonalDecomposition().solve(MatX(Gt.transpose()));
    for (int k = 0; k < n_; ++k)
      if (free(k, k) > 1e-12) out.row(k) = free.row(k) / free(k, k);
    return out;
  }

  ordered_json paths(const VecX& q, const VecX& u) {
    const Skeleton& skeleton = model_.skeleton;
    const MatX coupling = couplings(q);
    ordered_json out = ordered_json::array();
    PathCourse course;
    for (const OsimPath& path : model_.paths) {
      if (!path.muscle) continue;
      update_course(path.path, skeleton, ws_, q, course);
      VecX tau = VecX::Zero(n_);
      add_unit_tension(path.path, skeleton, ws_, q, course, tau);
      ordered_json points = ordered_json::array();
      for (const PathNode& node : course.nodes) {
        ordered_json point = {node.body == kWorld ? "ground" : skeleton.body(node.body).name,
                              to_json(node.x_B), to_json(node.x_W)};
        if (node.surface >= 0) {
          point.push_back(path.path.surfaces[static_cast<size_t>(node.surface)].surface->name);
          point.push_back(node.arc);
        }
        points.push_back(point);
      }
      out.push_back({{"m", path.path.name},
                     {"L", course.length},
                     {"Ldot", -tau.dot(u)},
                     {"unit_tension_genforce", ordered(tau)},
                     {"points", points},
                     {"moment_arms", ordered(VecX(coupling * tau))}});
    }
    return out;
  }

  ordered_json transforms() const {
    const Skeleton& skeleton = model_.skeleton;
    ordered_json out = ordered_json::array();
    for (int b = 0; b < skeleton.body_count(); ++b) {
      const Pose E_WB = body_pose(skeleton, ws_, BodyIndex(b));
      const Vec6 phi = body_twist(skeleton, ws_, BodyIndex(b));
      out.push_back({{"body", skeleton.body(BodyIndex(b)).name},
                     {"R", rows_of(E_WB.R)},
                     {"p", to_json(E_WB.p)},
                     {"omega", to_json(Vec3(E_WB.R * phi.head<3>()))},
                     {"v", to_json(Vec3(E_WB.R * phi.tail<3>()))}});
    }
    return out;
  }

  const OsimModel& model_;
  const std::vector<int>& places_;
  SkeletonWorkspace ws_;
  AppliedForces none_;
  int n_;
};

}  // namespace

std::string evaluate_poses(const OsimModel& model, std::string_view poses,
                           const std::string& source) {
  const PoseFile file(model, poses, source);
  PoseEvaluator evaluator(model, file.places());
  const auto n = static_cast<Eigen::Index>(model.coordinates.size());
  VecX q0(n);
  for (Eigen::Index k = 0; k < n; ++k)
    q0[k] = model.coordinates[static_cast<size_t>(k)].default_value;
  const VecX zero = VecX::Zero(n);
  ordered_json out;
  out["model"] = model.name;
  out["coordinates"] = file.names();
  out["poses"] = ordered_json::array();
  size_t number = 0;
  for (const json& pose : file.poses()) {
    const VecX q = file.read(pose, "q", q0, number);
    const VecX u = file.read(pose, "u", zero, number);
    const VecX udot = file.read(pose, "udot", zero, number);
    out["poses"].push_back(evaluator.evaluate(q, u, udot));
    ++number;
  }
  // Names may hold bytes that are no UTF-8.
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace sinew
