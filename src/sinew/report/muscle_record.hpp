#pragma once

#include "sinew/io/studies/muscle_study.hpp"
#include "sinew/report/result_folder.hpp"

/// The results of a MuscleStudy in a folder.

namespace sinew {

/// OpenSim's tables, <motion>_MuscleAnalysis_<quantity>; `stem` is the motion's name.
void write_muscle_tables(const MuscleSource& source, const MuscleStudy& study,
                         const std::string& stem, ResultFolder& folder);

/// The extreme values of each muscle, and whether it ever lacks an equilibrium.
nlohmann::ordered_json describe_muscle_study(const MuscleSource& source, const MuscleStudy& motion);

}  // namespace sinew
