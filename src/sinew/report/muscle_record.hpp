#pragma once

#include "sinew/io/studies/muscle_study.hpp"
#include "sinew/report/result_folder.hpp"

/// The results of a MuscleStudy in a folder.

namespace sinew {

/// OpenSim's tables, <motion>_MuscleAnalysis_<quantity>; `stem` is the motion's name.
void write_muscle_tables(const StudiedMuscles& source, const MuscleStudy& study,
                         const std::string& stem, ResultFolder& folder);

/// What each muscle does at most, and whether it ever lacks an equilibrium.
nlohmann::ordered_json describe_muscle_study(const StudiedMuscles& source,
                                             const MuscleStudy& motion);

}  // namespace sinew
