#pragma once

#include "sinew/analysis/inertia_comparison.hpp"
#include "sinew/io/studies/motion_model.hpp"
#include "sinew/io/studies/motion_study.hpp"

namespace sinew {

/// A study of the effect of muscle mass on the moments of a motion.
struct InertiaQuestion : MotionStudy {
  MuscleMassOptions mass;
};

/// The result.
struct InertiaStudy {
  LoadedModel model;
  MotionReading reading;
  BonesModel bones;  ///< all mass on the bones
  InertiaComparison comparison;
  std::optional<MuscleMasses> by_rule;     ///< what the masses are, where a rule says them
  std::vector<std::string> load_warnings;  ///< from the file of external loads
};

InertiaStudy study_inertia(const InertiaQuestion& question);

}  // namespace sinew
