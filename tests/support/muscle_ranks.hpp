#pragma once

#include <map>
#include <string>

#include "sinew/io/studies/muscle_study.hpp"

/// Ranks of the muscles of models, by name.

namespace sinew::test {

/// A model of the reference data ("opensim/models/<name>.osim"), muscles weighed by volumes.
RankedModel ranked_reference(const std::string& name);

/// Percentiles with a seed; poses 0: as many as the order needs.
std::map<std::string, double> ranks_of(const RankedModel& model, std::uint64_t seed, int poses = 0);

/// The largest relative difference between two muscles that are in one order with one of three
/// seeds and in the other with another one.
double largest_disagreement(const RankedModel& model);

}  // namespace sinew::test
