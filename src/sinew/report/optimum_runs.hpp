#pragma once

#include "sinew/io/tasks/task_files.hpp"
#include "sinew/report/recorded_run.hpp"
#include "sinew/report/result_folder.hpp"

/// What `sinew optimize` leaves behind, so that `sinew simulate` can repeat it.

namespace sinew {

/// Adds the tables `controls` and `initial` of the parameters p, their names after `prefix`.
/// Returns false if controls are sampled, and not exact.
bool add_drive_tables(const TaskProblem& problem, const VecX& p, const std::string& prefix,
                      ResultFolder& folder);

/// How such tables are simulated: the task's options, with the files in place of what the
/// parameters replace.
LoadOptions drive_options(const TaskProblem& problem, const VecX& p,
                          const std::filesystem::path& folder, const std::string& prefix);
/// The same as a command line.
std::string drive_command(const TaskProblem& problem, const VecX& p,
                          const std::filesystem::path& folder, const std::string& prefix);

/// Simulates them as `sinew simulate` would, into the folder `into`.
RecordedRun record_drive(const TaskProblem& problem, const VecX& p,
                         const std::filesystem::path& folder, const std::string& prefix,
                         const std::filesystem::path& into);

}  // namespace sinew
