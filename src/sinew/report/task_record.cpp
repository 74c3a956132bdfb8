#include "sinew/report/task_record.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sinew {

using nlohmann::ordered_json;

namespace {

ordered_json describe_file(const std::filesystem::path& path, std::uint64_t content_hash) {
  return {{"path", std::filesystem::absolute(path).string()},
          {"fnv1a", fmt::format("{:016x}", content_hash)}};
}

}  // namespace

ordered_json describe_task(const TaskProblem& problem) {
  const Task& task = problem.task();
  const RunSettings& run = problem.settings();
  ordered_json data = ordered_json::array();
  for (const TaskProblem::DataFile& file : problem.data_files())
    data.push_back(describe_file(file.path, file.content_hash));
  return {{"task", task.name},
          {"title", task.title},
          {"description", task.description},
          {"task_file", describe_file(task.path, task.content_hash)},
          {"model", problem.model().name},
          {"model_file", describe_file(problem.model().path, problem.model().content_hash)},
          {"data_files", data},
          {"integrator", to_string(run.step.integrator)},
          {"dt", run.dt},
          {"until", run.dt * run.steps},
          {"steps", run.steps}};
}

ordered_json describe_terms(const std::vector<TaskProblem::TermValue>& terms) {
  ordered_json out = ordered_json::array();
  for (const TaskProblem::TermValue& term : terms) {
    out.push_back({{"name", term.name}, {"value", term.value}});
    if (!term.miss) continue;
    out.back()["miss"] = *term.miss;
    out.back()["unit"] = term.unit;
  }
  return out;
}

ordered_json describe_parameters(const TaskProblem& problem, const VecX& p, const VecX& gradient) {
  ordered_json out = ordered_json::array();
  const VecX values = problem.values(p);
  for (Eigen::Index k = 0; k < p.size(); ++k) {
    const TaskProblem::Unknown& u = problem.unknowns()[static_cast<size_t>(k)];
    ordered_json added = {{"name", u.name}, {"value", values[k]}, {"scale", u.scale}};
    if (std::isfinite(u.lower)) added["lower"] = u.lower;
    if (std::isfinite(u.upper)) added["upper"] = u.upper;
    if (gradient.size() > 0) added["gradient"] = gradient[k] / u.scale;
    // A limit is multiplied and divided by the scale on its way.
    const double hair = 1e-12 * u.scale;
    if (values[k] <= u.lower + hair) added["at"] = "lower";
    if (values[k] >= u.upper - hair) added["at"] = "upper";
    out.push_back(std::move(added));
  }
  return out;
}

ordered_json describe_kinks(const std::vector<RunDerivatives::Kinks>& kinks) {
  ordered_json out = ordered_json::array();
  for (const RunDerivatives::Kinks& kink : kinks)
    if (kink.count > 0) out.push_back({{"element", kink.element}, {"count", kink.count}});
  return out;
}

ordered_json describe_check(const GradientCheck& check) {
  ordered_json directions = ordered_json::array();
  for (const GradientCheck::Direction& d : check.directions)
    directions.push_back({{"name", d.name},
                          {"slope", d.slope_of_value},
                          {"best_error", d.best_error},
                          {"best_step", d.best_step},
                          {"order", d.order},
                          {"exact", d.exact},
                          {"bent", d.bent},
                          {"corner", d.corner},
                          {"passed", d.passed},
                          {"errors", d.errors}});
  return {{"passed", check.passed},
          {"worst_error", check.worst_error},
          {"corner", check.corner},
          {"accepted_error", kPassingError},
          {"accepted_order", kPassingOrder},
          {"runs", check.runs},
          {"failed_runs", check.failed_runs},
          {"failure", check.failure},
          {"steps", check.steps},
          {"directions", std::move(directions)}};
}

ordered_json describe_identification(const TaskProblem& problem, const Identification& told) {
  ordered_json deviations = ordered_json::object(), correlations = ordered_json::array();
  for (Eigen::Index k = 0; k < told.deviations.size(); ++k) {
    const double deviation = told.deviations[k];
    deviations[problem.unknowns()[static_cast<size_t>(k)].name] =
        std::isfinite(deviation) ? ordered_json(deviation) : ordered_json(nullptr);
    const VecX row = told.correlations.row(k);
    correlations.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return {{"data", told.data},
          {"noise", told.noise},
          {"deviations", std::move(deviations)},
          {"unresolved", told.unresolved},
          {"correlations", std::move(correlations)}};
}

}  // namespace sinew
