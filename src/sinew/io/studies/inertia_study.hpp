#pragma once

#include "sinew/analysis/inertia_comparison.hpp"
#include "sinew/io/studies/motion_model.hpp"
#include "sinew/io/studies/motion_study.hpp"

namespace sinew {

/// A study of the effect of muscle mass on the moments of a motion.
struct InertiaQuestion : MotionStudy {
  std::string muscles;                ///< table of masses and bellies; empty: none
  std::vector<std::string> segments;  ///< body:share:muscle,muscle,…
  std::optional<double> share;        ///< share of the muscles' masses, taken where they lie
  double specific_tension = 0.25;     ///< gives the masses of OpenSim's muscles [MPa]
};

/// The result.
struct InertiaStudy {
  LoadedModel model;
  MotionReading reading;
  BonesModel bones;  ///< all mass on the bones
  InertiaComparison comparison;
  std::vector<std::string> load_warnings;  ///< from the file of external loads
};

InertiaStudy study_inertia(const InertiaQuestion& question);

}  // namespace sinew
