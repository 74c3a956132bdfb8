#include "sinew/muscles/hill/hill_description.hpp"

#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {

void validate(const HillDescription& description, const Skeleton& skeleton,
              const std::string& element) {
  check_hill_muscle(description.muscle, element);
  check_activation(description.activation, element);
  if (!(description.initial_activation >= 0 && description.initial_activation <= 1))
    throw Error(element, "starts with activation " + std::to_string(description.initial_activation),
                "give a number from 0 to 1");
  if (description.initial_fibre_length)
    check_fibre_length(description.muscle, *description.initial_fibre_length, element);
  if (const std::string defect = description.excitation.defect(); !defect.empty())
    throw Error(element, "its excitation " + defect, "give numbers that are finite");
  if (const auto& feedback = description.feedback) {
    if (feedback->dof.value < 0 || feedback->dof.value >= skeleton.dof_count())
      throw Error(element, "its feedback is of a coordinate that does not exist",
                  "name one of the skeleton's");
    if (!std::isfinite(feedback->gain) || !std::isfinite(feedback->target))
      throw Error(element, "its feedback is not finite", "give numbers that are finite");
  }
}

}  // namespace sinew
