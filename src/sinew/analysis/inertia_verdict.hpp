#pragma once

#include "sinew/analysis/inertia_comparison.hpp"

/// Whether muscle mass matters for a joint: what it does to the moment, beside what else is not
/// known well. Definitions: docs/motion_studies.md.

namespace sinew {

/// Cut-offs between which filters of coordinates are usually chosen [Hz].
constexpr double kLowCutoff = 6, kHighCutoff = 20;
/// How wrong masses and inertias of segments usually are.
constexpr double kInertiaError = 0.1;

/// Moments of a motion under other assumptions: a row for each coordinate, a column for each sample
/// [N m, N].
struct InertiaUncertainty {
  std::vector<MatX> assumptions;  ///< mass in the muscles: other masses, other bellies
  MatX low_cutoff, high_cutoff;   ///< all mass on the bones, coordinates filtered
  MatX inertia;                   ///< error_of_inertias
};

enum class Verdict {
  no_effect,     ///< muscle mass does nothing to this moment
  small_moment,  ///< the moment itself is too small to be judged in per cent
  below,         ///< it changes less than the filter or the inertias of segments may
  may_matter,    ///< more, under some of the assumptions
  matters,       ///< more, under all of them
};
std::string_view name_of(Verdict verdict);

/// The largest |change| of a moment over the motion, relative to the largest |moment|.
struct JointAnswer {
  double moment = 0;           ///< the largest with all mass on the bones [N m, N]
  double change = 0;           ///< by muscle mass
  double least = 0, most = 0;  ///< the same, over all assumptions
  double filter = 0;           ///< from the low to the high cut-off
  double inertia = 0;          ///< by errors of the inertias of segments
  Verdict verdict = Verdict::no_effect;
};

/// `scale`: the largest moment of any joint [N m, N].
JointAnswer judge_joint(const InertiaComparison& comparison, const InertiaUncertainty& uncertainty,
                        Eigen::Index coordinate, double scale);

/// A sample at which the second moment jumps away from the first, which does not jump.
struct MomentSpike {
  Eigen::Index coordinate, sample;
  double size;  ///< [N m, N]
};
/// The largest of each coordinate that has any. The motion must be smooth: noise jumps too.
std::vector<MomentSpike> find_spikes(const MatX& first, const MatX& second);

}  // namespace sinew
