#include <fmt/format.h>

#include "sinew/core/shell_word.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/report/column_units.hpp"
#include "sinew/report/simulation_record.hpp"
#include "sinew/sweep/run_measures.hpp"
#include "sinew/sweep/study_base.hpp"

// Studies of runs of a scene or an .osim model.

namespace sinew {
namespace {

std::string unit_of(const StudyParameter& parameter, const System& system) {
  switch (parameter.kind) {
    case StudyParameter::Kind::initial:
      return unit_of_state(system, parameter.target);
    case StudyParameter::Kind::duration:
      return "s";
    default:
      return "";  // the model knows
  }
}

class ModelStudy final : public StudyBase {
 public:
  explicit ModelStudy(const Study& study) : study_(study), base_(model()) {
    // As the user gave it: a point of the design may be none of a model, which is that row's
    // reason.
    const System system = base_.system();
    const std::vector<double> first = study_.make_design().point(0);
    const SimulationSettings run = settings(base_, {study_.options, variant(first).until});
    require_supported(system, run.step, run.dt);
    result_units_ = RunMeasures(study_, base_, system).units();
    for (const StudyParameter& parameter : study_.parameters)
      parameter_units_.push_back(unit_of(parameter, system));
  }

  LoadedModel model() const override { return load_model(study_.model, study_.options); }
  std::uint64_t hash() const override { return base_.content_hash; }

  void check(const std::vector<double>& point) const override {
    load_model(study_.model, variant(point).options).system();
  }

  bool compute(const std::vector<double>& point, const std::string& command,
               const std::atomic<bool>* stop, const std::filesystem::path& keep,
               StudyRow& row) const override {
    std::optional<LoadedModel> model;
    std::optional<System> system;
    const Variant variant = this->variant(point);
    try {
      model = load_model(study_.model, variant.options);
      system = model->system();
    } catch (const Error& error) {
      row.status = RowStatus::refused;
      row.reason = error.what();
      return true;
    }
    const SimulationSettings settings = this->settings(*model, variant);
    return simulate_row({study_, *model, *system, settings, variant.options, command}, stop, keep,
                        row);
  }

  std::optional<CommandTemplate> command() const override;
  std::vector<std::string> parameter_units() const override { return parameter_units_; }
  std::vector<std::string> result_units() const override { return result_units_; }

 private:
  struct Variant {
    LoadOptions options;
    std::optional<double> until;
  };
  Variant variant(const std::vector<double>& point) const;
  SimulationSettings settings(const LoadedModel& model, const Variant& variant) const;

  const Study& study_;
  const LoadedModel base_;
  std::vector<std::string> parameter_units_, result_units_;
};

ModelStudy::Variant ModelStudy::variant(const std::vector<double>& point) const {
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
        break;
      case Kind::task:  // require_base
        break;
    }
  }
  return out;
}

SimulationSettings ModelStudy::settings(const LoadedModel& model, const Variant& variant) const {
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

std::optional<CommandTemplate> ModelStudy::command() const {
  using Kind = StudyParameter::Kind;
  CommandTemplate out;
  out.add("sinew simulate " + shell_word(study_.model));
  const auto add = [&](const char* option, const std::string& value) {
    out.add(std::string(" ") + option + " " + shell_word(value));
  };
  // The study's own, then those of the parameters of one kind, as variant() has them.
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

}  // namespace

std::unique_ptr<StudyBase> study_of_model(const Study& study) {
  return std::make_unique<ModelStudy>(study);
}

}  // namespace sinew
