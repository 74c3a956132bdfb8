#pragma once

#include <nlohmann/json.hpp>

#include "model_source.hpp"
#include "motion_study.hpp"
#include "sinew/analysis/inertia_comparison.hpp"

namespace sinew::cli {

/// What `compare-inertia` asks.
struct InertiaQuestion : MotionStudy {
  std::string muscles;                ///< table of masses and bellies; empty: none
  std::vector<std::string> segments;  ///< body:share:muscle,muscle,…
  std::optional<double> share;        ///< of the muscles' masses, taken where they lie
  double specific_tension = 0.25;     ///< from which masses of OpenSim's muscles follow [MPa]
};

/// What it finds.
struct InertiaStudy {
  ModelSource model;
  MotionReading reading;
  BonesModel bones;  ///< all mass on the bones
  InertiaComparison comparison;
};

InertiaStudy study_inertia(const InertiaQuestion& question);

/// Of every coordinate: what the muscles change in its moment, and which of them the most.
nlohmann::ordered_json describe_moments(const InertiaStudy& study);

/// Question and answer in words and numbers: run.json. `typed` is the command line.
nlohmann::ordered_json describe_study(const InertiaQuestion& question, const InertiaStudy& study,
                                      const std::string& typed);

/// The question that a record answers.
InertiaQuestion question_of(const nlohmann::ordered_json& record);

}  // namespace sinew::cli
