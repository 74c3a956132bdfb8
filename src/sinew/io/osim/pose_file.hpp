#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "sinew/io/tables/motion_target.hpp"

namespace sinew {

/// Poses of a model or scene as JSON: see evaluate_poses. `source` stands for the file in messages.
class PoseFile {
 public:
  /// Throws an Error if the text is not a pose file.
  PoseFile(const MotionTarget& target, std::string_view text, std::string source);

  const nlohmann::json& poses() const { return root_["poses"]; }
  const std::vector<std::string>& names() const { return names_; }
  /// For each of the file's coordinates, its index in the target.
  const std::vector<int>& places() const { return places_; }

  /// Values of a pose for all coordinates of the target; `otherwise` for missing ones.
  VecX read(const nlohmann::json& pose, const char* key, VecX otherwise, size_t number) const;
  /// Coupled coordinates that the pose does not give follow the others.
  void follow_couplers(const nlohmann::json& pose, VecX& q, VecX& u, VecX& udot) const;
  /// Activations from the entries of "hill", otherwise from "activation": one number or several.
  std::vector<double> activations(const nlohmann::json& pose, size_t number) const;

 private:
  void read_coordinates(const std::vector<Coordinate>& coordinates);

  std::string source_;
  nlohmann::json root_;
  std::vector<std::string> names_;
  std::vector<int> places_;
  CoupledCoordinates coupled_;
};

}  // namespace sinew
