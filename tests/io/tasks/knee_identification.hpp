#pragma once

#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "sinew/io/tasks/identification.hpp"
#include "sinew/math/levenberg_marquardt.hpp"
#include "sinew/math/normal_numbers.hpp"
#include "sinew/system/projection.hpp"
#include "support/source_dir.hpp"

namespace sinew::test {

/// The task `identify` with data of its own: what the scene's own numbers make of a run, and noise.
class KneeIdentification {
 public:
  /// `muscles`: those whose numbers are parameters; empty: all. `until` [s]; 0: as the task says.
  explicit KneeIdentification(const std::vector<std::string>& muscles = {}, double until = 0)
      : file_(std::filesystem::temp_directory_path() /
              ("sinew-identify-" + std::to_string(getpid()) + ".sto")),
        task_(nlohmann::json::parse(std::ifstream(source_dir() + "/tasks/identify.json"))) {
    if (until > 0) task_["run"]["until"] = until;
    nlohmann::json kept = nlohmann::json::array();
    for (const nlohmann::json& parameter : task_["parameters"])
      for (const std::string& muscle : muscles)
        if (parameter["path"].get<std::string>().find("." + muscle + ".") != std::string::npos)
          kept.push_back(parameter);
    if (!muscles.empty()) task_["parameters"] = kept;
    task_["objectives"][0]["file"] = file_.string();
    run_with_truth();
  }
  ~KneeIdentification() { std::filesystem::remove(file_); }

  /// Parameters of the scene as it is.
  const VecX& truth() const { return truth_; }
  /// The task with noise of 0.1° in its data.
  TaskProblem problem(unsigned seed) const {
    write(0.1 * kDegree, seed);
    return TaskProblem(parse_task(task_.dump(), "identify", source_dir() + "/tasks"));
  }
  struct Found {
    VecX p;
    Identification told;
  };
  static Found find(TaskProblem& problem, const VecX& start) {
    LeastSquaresOptions options;
    options.evaluations = 60;
    options.gradient_tolerance = 1e-8;
    options.value_tolerance = problem.task().optimizer.value_tolerance;
    const LeastSquaresResult found = levenberg_marquardt(
        [&](const VecX& p, VecX& r, MatX* J) { return problem.evaluate_residuals(p, r, J); }, start,
        problem.bounds(), options);
    return {found.x, identify(problem, found.x).value()};
  }
  /// Errors over predicted deviations, of the parameters that the data tell.
  std::vector<double> errors(const TaskProblem& problem, const Found& found) const {
    const VecX off = problem.values(found.p - truth_);
    std::vector<double> out;
    for (Eigen::Index k = 0; k < off.size(); ++k)
      if (found.told.deviations[k] > 0 && std::isfinite(found.told.deviations[k]))
        out.push_back(off[k] / found.told.deviations[k]);
    return out;
  }

 private:
  static constexpr double kDegree = 0.017453292519943295;
  static constexpr int kStepsOfARow = 2;

  void write(double noise, unsigned seed) const {
    NormalNumbers random(seed);
    std::ofstream out(file_);
    out.precision(17);
    out << "angles\nversion=1\nnRows=" << rows_.size()
        << "\nnColumns=3\ninDegrees=no\nendheader\ntime\tknee_angle\tankle_angle\n";
    for (const Vec3& row : rows_)
      out << row[0] << "\t" << row[1] + noise * random() << "\t" << row[2] + noise * random()
          << "\n";
  }

  void run_with_truth() {
    const nlohmann::json scene =
        nlohmann::json::parse(std::ifstream(source_dir() + "/scenes/knee-spline.json"));
    rows_ = {Vec3(0.01, 0, 0), Vec3(0.02, 0, 0)};  // any data: the task needs some
    write(0, 1);
    const TaskProblem problem(parse_task(task_.dump(), "identify", source_dir() + "/tasks"));
    truth_.resize(static_cast<Eigen::Index>(problem.unknowns().size()));
    for (Eigen::Index k = 0; k < truth_.size(); ++k) {
      const TaskProblem::Unknown& unknown = problem.unknowns()[static_cast<size_t>(k)];
      for (const nlohmann::json& muscle : scene["muscles"]["list"])
        for (const auto& [key, value] : muscle["hill"].items())
          if ("muscles.list." + muscle["name"].get<std::string>() + ".hill." + key == unknown.name)
            truth_[k] = value.get<double>() / unknown.scale;
    }
    rows_.clear();
    const System system = load_model(problem.task().model, problem.options(truth_)).system();
    State state = exact_start(system);
    Workspace ws(system);
    int number = 0;
    SimulationObserver observer;
    observer.on_step = [&](const State& at, const StepReport&) {
      if (++number % kStepsOfARow == 0) rows_.emplace_back(at.t, at.q[0], at.q[1]);
    };
    simulate(system, problem.simulation(truth_), state, ws, observer);
  }

  std::filesystem::path file_;
  nlohmann::json task_;
  VecX truth_;
  std::vector<Vec3> rows_;  // time and angles
};

}  // namespace sinew::test
