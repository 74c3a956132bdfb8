#pragma once

#include "sinew/analysis/inertia_comparison.hpp"
#include "sinew/io/studies/motion_model.hpp"
#include "sinew/io/studies/motion_study.hpp"

namespace sinew {

/// What muscle mass changes in the moments of a motion.
struct InertiaQuestion : MotionStudy {
  std::string muscles;                ///< table of masses and bellies; empty: none
  std::vector<std::string> segments;  ///< body:share:muscle,muscle,…
  std::optional<double> share;        ///< of the muscles' masses, taken where they lie
  double specific_tension = 0.25;     ///< from which masses of OpenSim's muscles follow [MPa]
};

/// The answer.
struct InertiaStudy {
  LoadedModel model;
  MotionReading reading;
  BonesModel bones;  ///< all mass on the bones
  InertiaComparison comparison;
  std::vector<std::string> load_warnings;  ///< of the file of external loads
};

InertiaStudy study_inertia(const InertiaQuestion& question);

}  // namespace sinew
