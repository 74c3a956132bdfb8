#pragma once

#include "sinew/analysis/inertia_verdict.hpp"
#include "sinew/io/studies/motion_model.hpp"
#include "sinew/io/studies/motion_study.hpp"

namespace sinew {

/// A study of the effect of muscle mass on the moments of a motion.
struct InertiaQuestion : MotionStudy {
  MuscleMassOptions mass;
  std::vector<double> more_shares = {};  ///< further values of mass.share, for comparison
};

/// The moments with another share of the mass in the muscles.
struct SharedMoments {
  double share;
  MatX moments;
};

/// The result. Rows that are too near to the ends of the motion are left out.
struct InertiaStudy {
  LoadedModel model;
  MotionReading reading;
  BonesModel bones;  ///< all mass on the bones
  InertiaComparison comparison;
  std::vector<SharedMoments> more_shares;
  InertiaUncertainty uncertainty;
  std::string range;                       ///< of the assumptions, in words
  std::vector<std::string> doubts;         ///< about motion and curves, in words
  std::optional<MuscleMasses> by_rule;     ///< what the masses are, where a rule says them
  std::vector<std::string> load_warnings;  ///< from the file of external loads
};

InertiaStudy study_inertia(const InertiaQuestion& question);

}  // namespace sinew
