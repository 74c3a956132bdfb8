#include "sinew/sweep/study_runner.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "sinew/integrate/integrator_table.hpp"
#include "sinew/report/column_units.hpp"
#include "sinew/report/simulation_record.hpp"
#include "sinew/sweep/run_measures.hpp"

namespace sinew {
namespace {

using Clock = std::chrono::steady_clock;

std::string unit_of(const StudyParameter& parameter, const System& system) {
  switch (parameter.kind) {
    case StudyParameter::Kind::initial:
      return unit_of_state(system, parameter.target);
    case StudyParameter::Kind::duration:
      return "s";
    case StudyParameter::Kind::model:
    case StudyParameter::Kind::excitation:
      break;  // the model knows
  }
  return "";
}

/// What hears of a run that is kept whole: its folder and its results.
class Both final : public RunSink {
 public:
  Both(RunSink& first, RunSink& second) : first_(first), second_(second) {}
  void add_row(const State& state, const Snapshot& snapshot, std::span<const double> reactions,
               Workspace& ws) override {
    first_.add_row(state, snapshot, reactions, ws);
    second_.add_row(state, snapshot, reactions, ws);
  }
  void add_step(const State& state, const StepReport& report) override {
    first_.add_step(state, report);
    second_.add_step(state, report);
  }
  void flush() override {
    first_.flush();
    second_.flush();
  }

 private:
  RunSink &first_, &second_;
};

}  // namespace

StudyRunner::StudyRunner(Study study) : study_(std::move(study)), design_(study_.make_design()) {
  const LoadedModel base = load_model(study_.model, study_.options);
  model_hash_ = base.content_hash;
  warnings_ = base.warnings;
  check_ends();
  // As the user gave it: a point of the design may be none of a model, which is that row's reason.
  const System system = base.system();
  const SimulationSettings run = settings(base, {study_.options, variant(design_.point(0)).until});
  require_supported(system, run.step, run.dt);
  const RunMeasures measures(study_, base, system);
  for (size_t k = 0; k < study_.results.size(); ++k) result_units_.push_back(measures.unit(k));
  for (const StudyParameter& parameter : study_.parameters)
    parameter_units_.push_back(unit_of(parameter, system));
}

/// A value that no model can have is found before hours of computing.
void StudyRunner::check_ends() const {
  const size_t k = study_.parameters.size();
  std::vector<double> middle(k);
  for (size_t j = 0; j < k; ++j) middle[j] = quantile(study_.parameters[j].distribution, 0.5);
  if (study_.design.kind == DesignOptions::Kind::list) return;
  for (size_t j = 0; j < k; ++j) {
    const StudyParameter& parameter = study_.parameters[j];
    for (const double end : {lowest(parameter.distribution), highest(parameter.distribution)}) {
      std::vector<double> point = middle;
      point[j] = end;
      try {
        load_model(study_.model, variant(point).options).system();
      } catch (const Error& error) {
        throw study_.located(Error(fmt::format("parameter '{}'", parameter.name),
                                   fmt::format("{:.6g} is not possible: {}", end, error.what()),
                                   "change the distribution"),
                             parameter.line);
      }
    }
  }
}

StudyRunner::Variant StudyRunner::variant(const std::vector<double>& point) const {
  using Kind = StudyParameter::Kind;
  Variant out{study_.options, study_.until};
  for (size_t j = 0; j < point.size(); ++j) {
    const StudyParameter& parameter = study_.parameters[j];
    // As many digits as it takes to read the same number back.
    const std::string assignment = fmt::format("{}={}", parameter.target, point[j]);
    switch (parameter.kind) {
      case Kind::model:
        out.options.set.push_back(assignment);
        break;
      case Kind::initial:
        out.options.run.initial.push_back(assignment);
        break;
      case Kind::excitation:
        out.options.run.excitations.push_back(assignment);
        break;
      case Kind::duration:
        out.until = point[j];
    }
  }
  return out;
}

SimulationSettings StudyRunner::settings(const LoadedModel& model, const Variant& variant) const {
  SimulationSettings out = model.settings;
  if (study_.integrator) {
    out.step.integrator = *study_.integrator;
    if (!info(out.step.integrator).estimates) out.step.accuracy = 0;
  }
  if (study_.dt) {
    out.dt = *study_.dt;
    out.step.accuracy = 0;
  }
  if (study_.accuracy) out.step.accuracy = *study_.accuracy;
  if (study_.output_interval) out.output_interval = *study_.output_interval;
  if (study_.most_steps) out.most_steps = *study_.most_steps;
  if (variant.until) out.until = *variant.until;
  return out;
}

std::optional<StudyRow> StudyRunner::run(std::uint64_t i, const std::atomic<bool>* stop,
                                         const std::filesystem::path& keep) const {
  const Clock::time_point begin = Clock::now();
  StudyRow row{.run = i};
  row.results.assign(study_.results.size(), std::numeric_limits<double>::quiet_NaN());
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::optional<LoadedModel> model;
  std::optional<System> system;
  const Variant variant = this->variant(design_.point(i));
  try {
    model = load_model(study_.model, variant.options);
    system = model->system();
  } catch (const Error& error) {
    row.status = RowStatus::refused;
    row.reason = error.what();
    row.seconds = seconds();
    return row;
  }
  const SimulationSettings settings = this->settings(*model, variant);
  RunMeasures measures(study_, *model, *system);
  std::optional<RunFolder> folder;
  if (!keep.empty())
    folder.emplace(keep, TableFormat::sto, model->name, *system, model->state_names,
                   is_adaptive(settings.step));
  std::optional<Both> both;
  if (folder) both.emplace(*folder, measures);
  RunSink* const sink = both ? static_cast<RunSink*>(&*both) : &measures;
  const SimulationOrigin origin{*model, *system, settings, variant.options, command(i)};
  if (folder) folder->describe(record_simulation(origin, describe_unfinished(origin)));
  const RecordedRun out = run_and_record(*system, settings, system->controls(),
                                         initial_state(*system, settings.step), sink, {}, stop);
  if (folder) folder->finish(record_simulation(origin, describe_simulation(origin, out)));
  if (out.result.end == SimulationEnd::interrupted) return std::nullopt;
  row.time = out.state.t;
  row.results = measures.values();
  row.seconds = seconds();
  if (out.result.end == SimulationEnd::failed) {
    row.status = RowStatus::failed;
    row.reason = out.failure;
  } else if (!out.audit.passed) {
    row.status = RowStatus::audit_failed;
    row.reason = out.audit.verdict;
  } else {
    row.status = RowStatus::passed;
  }
  return row;
}

CommandTemplate StudyRunner::command() const {
  using Kind = StudyParameter::Kind;
  CommandTemplate out;
  out.add("sinew simulate " + shell_word(study_.model));
  const auto add = [&](const char* option, const std::string& value) {
    out.add(std::string(" ") + option + " " + shell_word(value));
  };
  // The study's own, then those of the parameters of one kind.
  const auto add_all = [&](const char* option, const std::vector<std::string>& own, Kind kind) {
    for (const std::string& one : own) add(option, one);
    for (size_t j = 0; j < study_.parameters.size(); ++j) {
      if (study_.parameters[j].kind != kind) continue;
      add(option, study_.parameters[j].target + "=");
      // A number needs no quotes, so that it may stand before the last one.
      const bool quoted = out.text.back().ends_with('\'');
      if (quoted) out.text.back().pop_back();
      out.add_place(j);
      if (quoted) out.add("'");
    }
  };
  add_all("--set", study_.options.set, Kind::model);
  add_all("--excitation", study_.options.run.excitations, Kind::excitation);
  add_all("--initial", study_.options.run.initial, Kind::initial);
  if (study_.options.mass.says()) add("--muscle-mass", study_.options.mass.source);
  if (study_.integrator) add("--integrator", to_string(*study_.integrator));
  const auto number = [&](const char* option, const std::optional<double>& value) {
    if (value) add(option, fmt::format("{}", *value));
  };
  number("--dt", study_.dt);
  number("--accuracy", study_.accuracy);
  number("--output-interval", study_.output_interval);
  std::optional<size_t> duration;
  for (size_t j = 0; j < study_.parameters.size(); ++j)
    if (study_.parameters[j].kind == Kind::duration) duration = j;
  if (!duration) {
    number("--until", study_.until);
  } else {
    out.add(" --until ");
    out.add_place(*duration);
  }
  return out;
}

std::string StudyRunner::command(std::uint64_t i) const { return command().with(design_.point(i)); }

}  // namespace sinew
