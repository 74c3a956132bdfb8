#pragma once

#include <nlohmann/json.hpp>

#include "sinew/io/studies/inertia_study.hpp"

/// The contents of run.json for an InertiaStudy.

namespace sinew {

/// For every coordinate, the change of its moment by the muscles, and the muscle with the largest
/// effect.
nlohmann::ordered_json describe_moments(const InertiaStudy& study);

/// Question and answer in words and numbers: run.json. `typed` is the command line.
nlohmann::ordered_json describe_study(const InertiaQuestion& question, const InertiaStudy& study,
                                      const std::string& typed);

/// The question that a record answers.
InertiaQuestion question_of(const nlohmann::ordered_json& record);

}  // namespace sinew
