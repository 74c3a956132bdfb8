#pragma once

#include <nlohmann/json.hpp>

#include "sinew/io/studies/inertia_study.hpp"

/// What run.json tells of an InertiaStudy.

namespace sinew {

/// Of every coordinate: what the muscles change in its moment, and which of them the most.
nlohmann::ordered_json describe_moments(const InertiaStudy& study);

/// Question and answer in words and numbers: run.json. `typed` is the command line.
nlohmann::ordered_json describe_study(const InertiaQuestion& question, const InertiaStudy& study,
                                      const std::string& typed);

/// The question that a record answers.
InertiaQuestion question_of(const nlohmann::ordered_json& record);

}  // namespace sinew
