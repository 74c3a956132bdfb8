#include "sinew/sweep/study_runner.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/core/shell_word.hpp"

namespace sinew {

StudyRunner::StudyRunner(Study study)
    : study_(std::make_unique<const Study>(std::move(study))),
      design_(study_->make_design()),
      base_(study_->task.empty() ? study_of_model(*study_) : study_of_task(*study_)) {
  check_ends();
}

/// A value that no model can have is found before hours of computing.
void StudyRunner::check_ends() const {
  const std::vector<StudyParameter>& parameters = study_->parameters;
  if (study_->design.kind == DesignOptions::Kind::list) return;
  std::vector<double> middle;
  for (const StudyParameter& parameter : parameters)
    middle.push_back(quantile(parameter.distribution, 0.5));
  for (size_t j = 0; j < parameters.size(); ++j) {
    const Distribution& distribution = parameters[j].distribution;
    for (const double end : {lowest(distribution), highest(distribution)}) {
      std::vector<double> point = middle;
      point[j] = end;
      try {
        base_->check(point);
      } catch (const Error& error) {
        throw study_->located(Error(fmt::format("parameter '{}'", parameters[j].name),
                                    fmt::format("{:.6g} is not possible: {}", end, error.what()),
                                    "change the distribution"),
                              parameters[j].line);
      }
    }
  }
}

std::optional<StudyRow> StudyRunner::run(std::uint64_t i, const std::atomic<bool>* stop,
                                         const std::filesystem::path& keep) const {
  const auto begin = std::chrono::steady_clock::now();
  StudyRow row{.run = i};
  row.results.assign(study_->results.size(), std::numeric_limits<double>::quiet_NaN());
  if (!base_->compute(design_.point(i), command(i), stop, keep, row)) return std::nullopt;
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return row;
}

std::string StudyRunner::command(std::uint64_t i) const {
  if (const auto own = base_->command()) return own->with(design_.point(i));
  return fmt::format("sinew sweep {} --run {}", shell_word(study_->path.string()), i);
}

}  // namespace sinew
