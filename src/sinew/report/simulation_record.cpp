#include "sinew/report/simulation_record.hpp"

#include <fmt/format.h>

#include "sinew/report/mass_record.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;

const char* status_of(SimulationEnd end) {
  switch (end) {
    case SimulationEnd::finished:
      return "finished";
    case SimulationEnd::failed:
      return "failed";
    case SimulationEnd::interrupted:
      return "interrupted";
  }
  return "";
}

/// An object of so many members: looking for one by its name takes as long as there are members.
ordered_json final_values(const System& system, const VecX& values) {
  ordered_json::object_t out;
  const auto& coordinates = system.all_coordinates();
  for (size_t k = 0; k < coordinates.size(); ++k)
    out.emplace_back(coordinates[k].name, values[static_cast<Eigen::Index>(k)]);
  return out;
}

/// What drives it, with files that are found from anywhere.
ordered_json describe_drive(const RunOptions& run) {
  const auto absolute = [](const std::string& file) {
    return file.empty() ? file : std::filesystem::absolute(file).string();
  };
  std::error_code code;
  ordered_json initial = ordered_json::array();
  for (const std::string& start : run.initial)
    initial.push_back(std::filesystem::is_regular_file(start, code) ? absolute(start) : start);
  return {{"excitation", run.excitations},
          {"controls", absolute(run.controls)},
          {"initial", std::move(initial)}};
}

}  // namespace

ordered_json describe_simulation(const SimulationOrigin& run, const RecordedRun& out) {
  const SimulationSettings& settings = run.settings;
  ordered_json report = {{"scene", run.model.name},
                         {"integrator", to_string(settings.step.integrator)},
                         {"dt", settings.dt},
                         {"accuracy", settings.step.accuracy},
                         {"until", settings.until},
                         {"status", status_of(out.result.end)},
                         {"time", out.state.t},
                         {"steps", out.result.steps},
                         {"rejected_steps", out.result.rejected},
                         {"newton_iterations", out.result.newton_iterations},
                         {"linearizations", out.result.linearizations},
                         {"inaccurate_steps", out.result.inaccurate},
                         {"largest_excess", out.result.largest_excess},
                         {"wall_seconds", out.wall_seconds},
                         {"final", final_values(run.system, out.q)},
                         {"final_speeds", final_values(run.system, out.qdot)},
                         {"final_hash", fmt::format("{:016x}", hash(out.state))},
                         {"energy",
                          {{"kinetic", out.energy.kinetic},
                           {"potential_change", out.potential_change()},
                           {"total", out.energy.kinetic + out.potential_change()},
                           {"work", out.work}}},
                         {"audit",
                          {{"energy_error", out.audit.energy_error},
                           {"energy_gain", out.audit.energy_gain},
                           {"accepted_energy_gain", out.accepted_gain},
                           {"energy_loss", out.audit.energy_loss},
                           {"constraint_error", out.audit.constraint_error},
                           {"newton_residual", out.audit.newton_residual},
                           {"contact_residual", out.audit.contact_residual},
                           {"steps_without_path", out.audit.steps_without_path},
                           {"path_jumps", out.audit.path_jumps},
                           {"passed", out.audit.passed},
                           {"verdict", out.audit.verdict}}}};
  if (out.audit.steps_without_path > 0)
    report["audit"]["lost_path"] = {{"muscle", out.audit.lost_muscle},
                                    {"time", out.audit.lost_time},
                                    {"status", name_of(out.audit.lost_status)}};
  if (out.audit.path_jumps > 0)
    report["audit"]["largest_jump"] = {{"muscle", out.audit.jumped_muscle},
                                       {"time", out.audit.jump_time},
                                       {"change", out.audit.jump}};
  if (!out.audit.passed) report["audit"]["remedy"] = out.audit.remedy;
  if (!out.failure.empty()) report["failure"] = out.failure;
  if (const PartEvent& event = out.result.event; !event.kind.empty())
    report["event"] = {{"kind", event.kind}, {"element", event.element}, {"node", event.node},
                       {"at", event.at},     {"time", event.time},       {"text", event.text}};
  if (const auto& mass = run.model.muscle_mass) report["muscle_mass"] = describe_placement(*mass);
  report["warnings"] = run.system.redundancies();
  return report;
}

ordered_json describe_unfinished(const SimulationOrigin& run) {
  RecordedRun nothing;
  nothing.q = nothing.qdot =
      VecX::Zero(static_cast<Eigen::Index>(run.system.all_coordinates().size()));
  nothing.audit.passed = false;
  nothing.audit.verdict = "the run did not come to its end";
  nothing.audit.remedy = "run it again";
  ordered_json report = describe_simulation(run, nothing);
  report["status"] = "running";
  return report;
}

ordered_json record_simulation(const SimulationOrigin& run, const ordered_json& report) {
  const LoadOptions& options = run.options;
  const SimulationSettings& settings = run.settings;
  const StepOptions& step = settings.step;
  ordered_json record = report;
  record["command"] = run.command;
  record["scene_file"] = {{"path", std::filesystem::absolute(run.model.path).string()},
                          {"fnv1a", fmt::format("{:016x}", run.model.content_hash)},
                          {"set", options.set}};
  if (!options.loads.empty()) record["loads"] = std::filesystem::absolute(options.loads).string();
  if (options.smooth_paths) record["smooth_paths"] = true;
  if (options.blended_activation) record["blended_activation"] = true;
  if (!options.run.empty()) record["drive"] = describe_drive(options.run);
  if (options.mass.says()) record["muscle_mass"]["options"] = describe_options(options.mass);
  record["options"] = {{"jacobian", to_string(step.jacobian)},
                       {"solver", to_string(step.solver)},
                       {"solver_tolerance", step.conjugate_gradient.tolerance},
                       {"solver_iterations", step.conjugate_gradient.iterations},
                       {"accuracy", step.accuracy},
                       {"audit_every", settings.audit_every},
                       {"relative_tolerance", step.relative_tolerance},
                       {"absolute_tolerance", step.absolute_tolerance},
                       {"ode45_rules", step.ode45_rules},
                       {"largest_step", step.largest_step},
                       {"least_step", step.least_step},
                       {"newton_tolerance", step.newton_tolerance},
                       {"newton_iterations", step.newton_iterations},
                       {"newton_residual", step.newton_residual},
                       {"newton_halvings", step.newton_halvings},
                       {"variables", to_string(step.variables)},
                       {"most_steps", settings.most_steps},
                       {"projection", step.projection},
                       {"baumgarte",
                        {{"rate", step.baumgarte.rate},
                         {"position", step.baumgarte.position},
                         {"implicit", step.baumgarte.implicit}}},
                       {"output_interval", settings.output_interval}};
  const Skeleton& skeleton = run.system.skeleton();
  ordered_json::object_t parents;
  for (const Body& body : skeleton.bodies())
    parents.emplace_back(body.name,
                         body.parent == kWorld ? "world" : skeleton.body(body.parent).name);
  record["parents"] = std::move(parents);
  return record;
}

}  // namespace sinew
