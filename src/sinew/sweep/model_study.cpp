#include <fmt/format.h>

#include "sinew/core/shell_word.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/report/simulation_record.hpp"
#include "sinew/sweep/run_measures.hpp"
#include "sinew/sweep/study_base.hpp"

// Studies of runs of a scene or an .osim model.

namespace sinew {
namespace {

class ModelStudy final : public StudyBase {
 public:
  explicit ModelStudy(const Study& study) : study_(study), base_(model()) {
    // As the user gave it: a point of the design may be none of a model, which is that row's
    // reason.
    const System system = base_.system();
    const std::vector<double> first = study_.make_design().point(0);
    const SimulationSettings run = settings(base_, {study_.options, variant(first).until});
    require_supported(system, run.step, run.dt);
    RunMeasures(study_, base_, system);
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

  std::string command(const std::vector<double>& point) const override;

 private:
  struct Variant {
    LoadOptions options;
    std::optional<double> until;
  };
  Variant variant(const std::vector<double>& point) const;
  SimulationSettings settings(const LoadedModel& model, const Variant& variant) const;

  const Study& study_;
  const LoadedModel base_;
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

std::string ModelStudy::command(const std::vector<double>& point) const {
  const Variant v = variant(point);
  std::string out = "sinew simulate " + shell_word(study_.model);
  const auto add = [&](const char* option, const std::string& value) {
    out += std::string(" ") + option + " " + shell_word(value);
  };
  for (const std::string& one : v.options.set) add("--set", one);
  for (const std::string& one : v.options.run.excitations) add("--excitation", one);
  for (const std::string& one : v.options.run.initial) add("--initial", one);
  if (v.options.mass.says()) add("--muscle-mass", v.options.mass.source);
  if (study_.integrator) add("--integrator", to_string(*study_.integrator));
  const auto number = [&](const char* option, const std::optional<double>& value) {
    if (value) add(option, fmt::format("{}", *value));
  };
  number("--dt", study_.dt);
  number("--accuracy", study_.accuracy);
  number("--output-interval", study_.output_interval);
  number("--until", v.until);
  return out;
}

}  // namespace

std::unique_ptr<StudyBase> study_of_model(const Study& study) {
  return std::make_unique<ModelStudy>(study);
}

}  // namespace sinew
