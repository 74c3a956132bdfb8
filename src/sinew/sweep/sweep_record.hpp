#pragma once

#include <nlohmann/json.hpp>

#include "sinew/sweep/sweep.hpp"

/// What --json and run.json tell of studies.

namespace sinew {

/// A run with the values of its parameters, its results by name, and the command that computes it.
nlohmann::ordered_json describe_row(const StudyRunner& runner, const StudyRow& row);
/// The row that this describes.
StudyRow row_from(const nlohmann::ordered_json& described, const Study& study);

/// What is varied and kept, and the commands of its runs, `sweep` that of `sinew sweep` but for the
/// number of the run: what a report needs beside describe_sweep and the table.
nlohmann::ordered_json describe_study(const StudyRunner& runner, const CommandTemplate& sweep);

/// Numbers of runs by their end, of each result its spread, and how much of that each parameter
/// explains: indices of Saltelli designs, correlations of ranks of others. `most_samples`: of the
/// bootstrap.
nlohmann::ordered_json describe_sweep(const StudyRunner& runner, const StudyRows& rows,
                                      int most_samples = 1000);

}  // namespace sinew
