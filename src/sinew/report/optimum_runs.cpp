#include "sinew/report/optimum_runs.hpp"

#include <fmt/format.h>

#include "sinew/report/simulation_record.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;

void add_table(const std::string& name, const std::string& title, const MotionTable& table,
               ResultFolder& folder) {
  TableWriter& writer = folder.add(name, title, table.labels);
  for (size_t row = 0; row < table.times.size(); ++row) {
    const VecX values = table.values.row(static_cast<Eigen::Index>(row));
    writer.add_row(table.times[row], {{values.data(), static_cast<size_t>(values.size())}});
  }
}

std::string name_of(TimeFunction::Interpolation interpolation) {
  switch (interpolation) {
    case TimeFunction::Interpolation::step:
      return "step";
    case TimeFunction::Interpolation::linear:
      return "linear";
    case TimeFunction::Interpolation::cubic:
      return "cubic";
  }
  return "";
}

bool has_controls(const TaskProblem& problem) {
  for (const TaskParameter& parameter : problem.task().parameters)
    if (parameter.kind == TaskParameter::Kind::control) return true;
  return false;
}

/// In quotes where a shell would take it apart.
std::string in_shell(const std::string& word) {
  return word.find_first_of(" \"[]{}*&|;<>()$`\\!?#~") == word.npos ? word : "'" + word + "'";
}

}  // namespace

bool add_drive_tables(const TaskProblem& problem, const VecX& p, const std::string& prefix,
                      ResultFolder& folder) {
  add_table(prefix + "initial", "initial", initial_table(problem, p), folder);
  const std::optional<ControlTable> controls = control_table(problem, p);
  if (!controls) return true;
  // The header's own key; linear is what every reader takes it for.
  const bool linear = controls->interpolation == TimeFunction::Interpolation::linear;
  add_table(prefix + "controls",
            linear ? "controls" : "controls\ninterpolation=" + name_of(controls->interpolation),
            controls->table, folder);
  return controls->exact;
}

LoadOptions drive_options(const TaskProblem& problem, const VecX& p, const fs::path& folder,
                          const std::string& prefix) {
  LoadOptions out = problem.options(p);
  // What gradients ask of the run, as far as a scene can say it.
  if (problem.model().scene && problem.system().has_energy_variables())
    out.set.push_back("simulation.variables=rates");
  if (problem.model().scene && problem.task().newton_tolerance)
    out.set.push_back(
        fmt::format("simulation.newton_tolerance={}", *problem.task().newton_tolerance));
  out.run.initial = {(folder / (prefix + "initial.sto")).string()};
  if (has_controls(problem)) out.run.controls = (folder / (prefix + "controls.sto")).string();
  return out;
}

std::string drive_command(const TaskProblem& problem, const VecX& p, const fs::path& folder,
                          const std::string& prefix) {
  const LoadOptions options = drive_options(problem, p, folder, prefix);
  const RunSettings& run = problem.settings();
  std::string out = "sinew simulate " + in_shell(problem.task().model);
  for (const std::string& set : options.set) out += " --set " + in_shell(set);
  if (options.smooth_paths) out += " --smooth-paths";
  if (options.blended_activation) out += " --blended-activation";
  out += fmt::format(" --integrator {} --dt {} --until {}", to_string(run.step.integrator),
                     problem.step(p), problem.step(p) * run.steps);
  for (const std::string& excitation : options.run.excitations)
    out += " --excitation " + in_shell(excitation);
  if (!options.run.controls.empty()) out += " --controls " + in_shell(options.run.controls);
  return out + " --initial " + in_shell(options.run.initial[0]);
}

RecordedRun record_drive(const TaskProblem& problem, const VecX& p, const fs::path& folder,
                         const std::string& prefix, const fs::path& into) {
  const LoadOptions options = drive_options(problem, p, folder, prefix);
  const LoadedModel model = load_model(problem.task().model, options);
  const System system = model.system();
  const SimulationSettings settings = problem.simulation(p);
  const SimulationOrigin origin{model, system, settings, options,
                                drive_command(problem, p, folder, prefix)};
  RunFolder run(into, TableFormat::sto, model.name, system, model.state_names);
  run.describe(record_simulation(origin, describe_unfinished(origin)));
  RecordedRun out = run_and_record(system, settings, system.controls(),
                                   initial_state(system, settings.step), &run, {}, nullptr);
  run.finish(record_simulation(origin, describe_simulation(origin, out)));
  return out;
}

}  // namespace sinew
