#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "model_source.hpp"
#include "result_folder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/external_loads.hpp"
#include "sinew/io/motion_reader.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

/// What a setup file of OpenSim's tool says, in place of the command line.
IdOptions from_setup(const IdOptions& given) {
  const InverseDynamicsSetup setup = read_inverse_dynamics_setup(given.model);
  print_warnings(setup.warnings);
  IdOptions out = given;
  if (setup.model_file.empty())
    throw Error(given.model, "names no model_file", "add one, or give MODEL and MOTION");
  out.model = setup.model_file.string();
  out.motion = setup.coordinates_file.string();
  out.loads = setup.external_loads_file.string();
  out.smoothing = {std::max(setup.cutoff, 0.0), true, setup.start, setup.end};
  return out;
}

System make_system(const ModelSource& model, const IdOptions& options) {
  SystemBuilder builder(model.skeleton);
  builder.set_gravity(model.gravity);
  for (const auto& force : model.forces) builder.add_force(force);
  for (const Muscle& muscle : model.muscles) builder.add_muscle(muscle);
  if (!options.loads.empty()) {
    const ExternalLoads loads = read_external_loads(options.loads);
    print_warnings(loads.warnings);
    for (const auto& force : external_forces(loads, model.skeleton)) builder.add_force(force);
  }
  return builder.build();
}

/// Largest and smallest value of each, with their times.
ordered_json summary(const Motion& motion, const std::vector<std::string>& labels,
                     const MatX& tau) {
  ordered_json out = ordered_json::array();
  for (size_t k = 0; k < labels.size(); ++k) {
    const auto row = tau.row(static_cast<Eigen::Index>(k));
    Eigen::Index high = 0, low = 0;
    const double highest = row.maxCoeff(&high), lowest = row.minCoeff(&low);
    out.push_back({{"name", labels[k]},
                   {"highest", highest},
                   {"highest_at", motion[static_cast<size_t>(high)].t},
                   {"lowest", lowest},
                   {"lowest_at", motion[static_cast<size_t>(low)].t}});
  }
  return out;
}

}  // namespace

int run_id(const IdOptions& given) {
  const auto begin = std::chrono::steady_clock::now();
  const IdOptions options = given.motion.empty() ? from_setup(given) : given;
  const ModelSource model = load_model(options.model, options.set);
  print_warnings(model.warnings);
  const std::vector<Coordinate>& coordinates = model.skeleton.coordinates();
  const MotionReading reading = read_motion(options.motion, coordinates, options.smoothing);
  print_warnings(reading.warnings);
  const MatX tau = inverse_dynamics(make_system(model, options), reading.motion);
  const std::vector<std::string> labels = moment_labels(coordinates);

  ordered_json record = {
      {"model", model.name},
      {"command", options.command},
      {"motion", options.motion},
      {"samples", reading.motion.size()},
      {"start", reading.motion.front().t},
      {"end", reading.motion.back().t},
      {"moments", summary(reading.motion, labels, tau)},
      {"wall_seconds",
       std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()},
      {"model_file",
       {{"path", model.path.string()}, {"fnv1a", fmt::format("{:016x}", model.content_hash)}}},
      {"options",
       {{"loads", options.loads},
        {"cutoff", options.smoothing.cutoff},
        {"opensim_filter", options.smoothing.opensim_filter},
        {"set", options.set}}}};
  if (!options.out.empty()) {
    const std::string stem = std::filesystem::path(options.motion).stem().string();
    ResultFolder folder(options.out, options.format);
    TableWriter& table = folder.add(stem + "_InverseDynamics", "Inverse Dynamics", labels);
    for (size_t k = 0; k < reading.motion.size(); ++k) {
      const VecX column = tau.col(static_cast<Eigen::Index>(k));
      table.add_row(reading.motion[k].t, {{column.data(), labels.size()}});
    }
    folder.finish(record);
  }
  std::string page;
  if (options.report) page = write_report({options.out, "", ""}).string();
  if (options.json) {
    fmt::print("{}\n", record.dump(2));
    return kOk;
  }
  fmt::print("{}: inverse dynamics of {} samples, {:.6g} to {:.6g} s\n\n", model.name,
             reading.motion.size(), reading.motion.front().t, reading.motion.back().t);
  fmt::print("  {:<32} {:>12} {:>9} {:>12} {:>9}\n", "[N m, N]", "highest", "at [s]", "lowest",
             "at [s]");
  for (const ordered_json& m : record["moments"])
    fmt::print("  {:<32} {:>12.5g} {:>9.4g} {:>12.5g} {:>9.4g}\n", m["name"].get<std::string>(),
               m["highest"].get<double>(), m["highest_at"].get<double>(), m["lowest"].get<double>(),
               m["lowest_at"].get<double>());
  if (!options.out.empty()) fmt::print("\n  output  {}\n", options.out);
  if (!page.empty()) fmt::print("  report  {}: open it in a browser\n", page);
  return kOk;
}

}  // namespace sinew::cli
