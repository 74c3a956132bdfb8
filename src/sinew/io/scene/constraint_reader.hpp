#pragma once

#include <memory>

#include "sinew/dynamics/constraint.hpp"
#include "sinew/io/json/object_reader.hpp"

namespace sinew {

/// Rows couple everything with everything: their matrices are dense, and this number takes about a
/// second to solve.
inline constexpr int kMostRows = 1000;
inline constexpr int kMostRowEntries = 1000000;  ///< rows × coordinates

/// An element of the scene's list "constraints", and its type in the file.
struct ConstraintReading {
  std::shared_ptr<const Constraint> constraint;
  std::string type;
};
/// `number` (from 1) names it if the file does not: "constraint-3".
ConstraintReading read_constraint(const SceneContext& context, const JsonNode& node, int number,
                                  const Skeleton& skeleton);

}  // namespace sinew
