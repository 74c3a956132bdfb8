#pragma once

#include <nlohmann/json.hpp>
#include <string>

/// How `sinew gradient` and `sinew optimize` print what they found.

namespace sinew::cli {

/// "reach: A hand …" and the run below it.
void print_task(const nlohmann::ordered_json& record);
void print_terms(const nlohmann::ordered_json& terms);
/// The first rows of them, with derivatives where there are any.
void print_parameters(const nlohmann::ordered_json& parameters);

/// How well data tell the parameters.
void print_identification(const nlohmann::ordered_json& told);

/// Elements whose law bends on the way of the run.
void print_kinks(const nlohmann::ordered_json& kinks);

}  // namespace sinew::cli
