#include "sinew/io/osim/pose_evaluation.hpp"

#include "sinew/analysis/moment_arms.hpp"
#include "sinew/analysis/muscle_analysis.hpp"
#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/momentum.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/io/osim/pose_file.hpp"
#include "sinew/io/tables/motion_checks.hpp"
#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"

namespace sinew {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json to_json(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

ordered_json rows_of(const Mat3& R) {
  ordered_json out = ordered_json::array();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.push_back(R(i, j));
  return out;
}

/// Keys are in the order of the reference; an infinite stiffness becomes null.
ordered_json numbers(const HillValues<double>& v) {
  return {v.activation,
          v.fibre_length,
          v.norm_fibre_length,
          v.pennation,
          v.tendon_length,
          v.tendon_strain,
          v.fibre_velocity,
          v.norm_fibre_velocity,
          v.active_force_length,
          v.passive_force_length,
          v.force_velocity,
          v.active_fibre_force,
          v.passive_fibre_force,
          v.fibre_force,
          v.fibre_force_along_tendon,
          v.tendon_force,
          v.fibre_stiffness,
          v.tendon_stiffness,
          v.actuation};
}

ordered_json transforms(const Skeleton& skeleton, const SkeletonWorkspace& ws) {
  ordered_json out = ordered_json::array();
  for (int b = 0; b < skeleton.body_count(); ++b) {
    const Pose E_WB = body_pose(skeleton, ws, BodyIndex(b));
    const Vec6 phi = body_twist(skeleton, ws, BodyIndex(b));
    out.push_back({{"body", skeleton.body(BodyIndex(b)).name},
                   {"R", rows_of(E_WB.R)},
                   {"p", to_json(E_WB.p)},
                   {"omega", to_json(Vec3(E_WB.R * phi.head<3>()))},
                   {"v", to_json(Vec3(E_WB.R * phi.tail<3>()))}});
  }
  return out;
}

/// Values of coordinates in the order of `places`.
ordered_json ordered(const VecX& v, const std::vector<int>& places) {
  ordered_json out = ordered_json::array();
  for (const int k : places) out.push_back(v[k]);
  return out;
}
ordered_json ordered(const MatX& M, const std::vector<int>& places) {
  ordered_json out = ordered_json::array();
  for (const int k : places) out.push_back(ordered(VecX(M.col(k)), places));
  return out;
}

/// A Hill muscle in equilibrium.
ordered_json hill_entry(const std::string& name, const HillMuscle& muscle, double activation,
                        double length, double rate) {
  ordered_json entry = {{"m", name}};
  const HillInstant instant = hill_instant(muscle, activation, length, rate);
  if (instant.status == HillStatus::equilibrated || instant.status == HillStatus::clamped)
    entry["v"] = numbers(instant.values);
  else
    entry["error"] = name_of(instant.status);
  return entry;
}

/// Evaluates poses one by one, results in the file's order of coordinates.
class PoseEvaluator {
 public:
  PoseEvaluator(const OsimModel& model, const std::vector<int>& places)
      : model_(model),
        places_(places),
        ws_(model.skeleton),
        none_(model.skeleton),
        n_(model.skeleton.dof_count()) {}

  ordered_json evaluate(const VecX& q, const VecX& u, const VecX& udot,
                        const std::vector<double>& activations) {
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
    out["body_transforms"] = transforms(skeleton, ws_);
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
    for (const double activation : activations)
      out["hill"].push_back(
          {{"activation", activation}, {"muscles", hill(out["paths"], activation)}});
    return out;
  }

 private:
  VecX inverse_dynamics_of(const VecX& udot) {
    VecX tau(n_);
    inverse_dynamics(model_.skeleton, model_.gravity, none_, udot, ws_, tau);
    return tau;
  }

  template <class T>
  ordered_json ordered(const T& values) const {
    return sinew::ordered(values, places_);
  }

  ordered_json paths(const VecX& q, const VecX& u) {
    const Skeleton& skeleton = model_.skeleton;
    const MatX coupling = coupled_speeds(skeleton, model_.constraints, ws_, q);
    ordered_json out = ordered_json::array();
    const ConstVecRef q_ref = q, u_ref = u;
    const SkeletonAt in{skeleton, 0, q_ref, u_ref, ws_};
    for (const OsimPath& path : model_.paths) {
      if (!path.muscle) continue;
      const OpenSimPathOnSkeleton route(skeleton, path.path);
      OpenSimPathWorkspace course;
      route.update(in, course);
      route.update_length_gradient(in, course);
      VecX tau = VecX::Zero(n_);
      for (size_t k = 0; k < route.dofs().size(); ++k) tau[route.dofs()[k]] = -course.dL[k];
      ordered_json points = ordered_json::array();
      for (const OpenSimPathNode& node : course.nodes) {
        const BodyIndex body = route.body_of(node);
        const Pose E_WB = body_pose(skeleton, ws_, body);
        ordered_json point = {body == kWorld ? "ground" : skeleton.body(body).name,
                              to_json(Vec3(E_WB.inverse() * node.x)), to_json(node.x)};
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

  /// The Hill muscles at one activation, in equilibrium at the lengths and rates of `paths`.
  ordered_json hill(const ordered_json& paths, double activation) const {
    ordered_json out = ordered_json::array();
    size_t i = 0;
    for (const OsimPath& path : model_.paths) {
      if (!path.muscle) continue;
      const ordered_json& course = paths[i++];
      if (path.hill)
        out.push_back(
            hill_entry(path.path.name, path.hill->muscle, activation, course["L"], course["Ldot"]));
      else
        out.push_back(
            {{"m", path.path.name}, {"error", "forces of " + path.type + " are not known"}});
    }
    return out;
  }

  const OsimModel& model_;
  const std::vector<int>& places_;
  SkeletonWorkspace ws_;
  AppliedForces none_;
  int n_;
};

/// The same for a scene.
class ScenePoseEvaluator {
 public:
  ScenePoseEvaluator(const Scene& scene, const std::vector<int>& places)
      : system_(scene.system), places_(places), state_(system_.default_state()), ws_(system_) {}

  ordered_json evaluate(const VecX& q, const VecX& u, const VecX& udot,
                        const std::vector<double>& activations) {
    const VecX zero = VecX::Zero(q.size());
    ordered_json out;
    out["q"] = ordered(q, places_);
    out["u"] = ordered(u, places_);
    out["udot"] = ordered(udot, places_);
    update_kinematics(system_, {0, q, u}, ws_);
    out["body_transforms"] = transforms(system_.skeleton(), ws_.skeleton);
    MatX M(q.size(), q.size());
    mass_matrix(system_, {0, q, u}, ws_, M);
    out["M"] = ordered(M, places_);
    out["id_tau"] = forces(q, u, udot);
    out["id_tau_udot0"] = forces(q, u, zero);
    out["id_tau_u0_udot0"] = forces(q, zero, zero);
    const Energy stored = energy(system_, {0, q, u}, ws_);
    out["kinetic_energy"] = stored.kinetic;
    out["potential_energy"] = stored.potential();
    out["paths"] = paths(q, u);
    for (const double activation : activations)
      out["hill"].push_back({{"activation", activation}, {"muscles", hill(activation)}});
    return out;
  }

 private:
  ordered_json forces(const VecX& q, const VecX& u, const VecX& udot) {
    VecX tau(q.size());
    state_.q = q;
    state_.qdot = u;
    inverse_dynamics(system_, state_, udot, ws_, tau);
    return ordered(tau, places_);
  }

  ordered_json paths(const VecX& q, const VecX& u) {
    update_muscle_paths(system_, {0, q, u}, ws_, paths_);
    ordered_json out = ordered_json::array();
    for (size_t i = 0; i < paths_.size(); ++i) {
      ordered_json points = ordered_json::array();
      for (const Vec3& x : paths_[i].nodes) points.push_back(to_json(x));
      out.push_back({{"m", system_.muscles()[i]->name()},
                     {"L", paths_[i].length},
                     {"Ldot", paths_[i].rate},
                     {"unit_tension_genforce", ordered(paths_[i].moment_arms, places_)},
                     {"points", points}});
    }
    return out;
  }

  /// Uses the paths of the last pose.
  ordered_json hill(double activation) const {
    ordered_json out = ordered_json::array();
    for (const size_t i : system_.hill_muscles()) {
      const Muscle& muscle = system_.muscles()[i]->muscle();
      out.push_back(hill_entry(muscle.name, muscle.hill->muscle, activation, paths_[i].length,
                               paths_[i].rate));
    }
    return out;
  }

  const System& system_;
  const std::vector<int>& places_;
  State state_;  // its internal state is the initial one
  Workspace ws_;
  std::vector<MusclePath> paths_;
};

/// All poses of the file, by an evaluator.
template <class Evaluator>
std::string evaluate_all(const std::string& name, const VecX& q0, const PoseFile& file,
                         CoordinateTable& table, Evaluator&& evaluator) {
  const VecX zero = VecX::Zero(q0.size());
  ordered_json out;
  out["model"] = name;
  out["coordinates"] = file.names();
  out["poses"] = ordered_json::array();
  table.q.resize(static_cast<Eigen::Index>(file.poses().size()), table.q.cols());
  size_t number = 0;
  for (const json& pose : file.poses()) {
    VecX q = file.read(pose, "q", q0, number);
    VecX u = file.read(pose, "u", zero, number);
    VecX udot = file.read(pose, "udot", zero, number);
    file.follow_couplers(pose, q, u, udot);
    table.q.row(static_cast<Eigen::Index>(number)) = q.head(table.q.cols()).transpose();
    out["poses"].push_back(evaluator.evaluate(q, u, udot, file.activations(pose, number)));
    ++number;
  }
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace);
}

/// Without rows. Coordinates of deformable bodies and other parts come behind those of the target.
CoordinateTable table_of_poses(const std::string& source, const MotionTarget& target) {
  CoordinateTable out;
  out.source = source;
  out.poses = true;
  out.units = "poses are in radians";
  out.q.resize(0, static_cast<Eigen::Index>(target.coordinates.size()));
  return out;
}

}  // namespace

std::string evaluate_poses(const OsimModel& model, std::string_view poses,
                           const std::string& source, std::vector<std::string>* doubts) {
  const MotionTarget target = motion_target(model);
  const PoseFile file(target, poses, source);
  VecX q0(static_cast<Eigen::Index>(model.coordinates.size()));
  for (Eigen::Index k = 0; k < q0.size(); ++k)
    q0[k] = model.coordinates[static_cast<size_t>(k)].default_value;
  CoordinateTable table = table_of_poses(source, target);
  std::string out = evaluate_all(model.name, q0, file, table, PoseEvaluator(model, file.places()));
  if (doubts != nullptr) *doubts = doubts_of(table, target);
  return out;
}

std::string evaluate_poses(const Scene& scene, std::string_view poses, const std::string& source,
                           std::vector<std::string>* doubts) {
  const MotionTarget target = motion_target(scene);
  const PoseFile file(target, poses, source);
  CoordinateTable table = table_of_poses(source, target);
  std::string out = evaluate_all(scene.name, scene.system.default_state().q, file, table,
                                 ScenePoseEvaluator(scene, file.places()));
  if (doubts != nullptr) *doubts = doubts_of(table, target);
  return out;
}

}  // namespace sinew
