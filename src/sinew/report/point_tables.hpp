#pragma once

#include "sinew/analysis/muscle_points.hpp"
#include "sinew/report/result_folder.hpp"

namespace sinew {

/// Tables of material points of muscles in a folder, row by row: <stem>_MusclePoints_Position,
/// _Velocity and _Jacobian. Point 2 of "soleus_r" is soleus_r_2; its columns are
/// soleus_r_2_x, …_y, …_z, and soleus_r_2_ankle_angle_r_x, … for ∂x/∂q.
class PointTables {
 public:
  PointTables(const std::vector<MusclePoints>& muscles, const std::vector<Coordinate>& coordinates,
              const std::string& stem, ResultFolder& folder);

  void add(double t, const std::vector<std::vector<MaterialPoint>>& points);
  void close();

 private:
  TableWriter *position_, *velocity_, *jacobian_;
};

/// Points of one muscle, with position, velocity and Jacobian by name of coordinate.
nlohmann::ordered_json describe_points(const MusclePoints& muscle,
                                       const std::vector<Coordinate>& coordinates,
                                       const std::vector<MaterialPoint>& points);

}  // namespace sinew
