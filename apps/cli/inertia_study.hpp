#pragma once

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "model_source.hpp"
#include "sinew/analysis/inertia_comparison.hpp"
#include "sinew/io/tables/motion_reader.hpp"

namespace sinew::cli {

/// What `compare-inertia` asks and finds.
struct InertiaStudy {
  ModelSource model;
  MotionReading reading;
  BonesModel bones;  ///< all mass on the bones
  InertiaComparison comparison;
  nlohmann::ordered_json record;  ///< the same in words and numbers: run.json
};

InertiaStudy study_inertia(const CompareOptions& options);

/// The options that a record was made with.
CompareOptions options_of(const nlohmann::ordered_json& record);

}  // namespace sinew::cli
