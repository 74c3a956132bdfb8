#include "sinew/report/point_tables.hpp"

#include <fmt/format.h>

namespace sinew {
namespace {

using nlohmann::ordered_json;

void add_axes(const std::string& stem, std::vector<std::string>& labels) {
  for (const char* axis : {"_x", "_y", "_z"}) labels.push_back(stem + axis);
}

void append_point(const Vec3& x, std::vector<double>& row) {
  row.insert(row.end(), {x.x(), x.y(), x.z()});
}

const std::string& name_of(const std::vector<Coordinate>& coordinates, int dof) {
  return coordinates[static_cast<size_t>(dof)].name;
}

ordered_json to_json(const Vec3& x) { return {x.x(), x.y(), x.z()}; }

}  // namespace

PointTables::PointTables(const std::vector<MusclePoints>& muscles,
                         const std::vector<Coordinate>& coordinates, const std::string& stem,
                         ResultFolder& folder) {
  std::vector<std::string> points, columns;
  for (const MusclePoints& muscle : muscles)
    for (int p = 0; p < muscle.count(); ++p) {
      const std::string point = fmt::format("{}_{}", muscle.name(), p + 1);
      add_axes(point, points);
      for (const int dof : muscle.dofs())
        add_axes(point + "_" + name_of(coordinates, dof), columns);
    }
  const auto table = [&](const std::string& quantity, const std::vector<std::string>& labels) {
    return &folder.add(stem + "_MusclePoints_" + quantity, quantity, labels);
  };
  position_ = table("Position", points);
  velocity_ = table("Velocity", points);
  jacobian_ = table("Jacobian", columns);
}

void PointTables::add(double t, const std::vector<std::vector<MaterialPoint>>& points) {
  std::vector<double> x, v, J;
  for (const std::vector<MaterialPoint>& muscle : points)
    for (const MaterialPoint& point : muscle) {
      append_point(point.x, x);
      append_point(point.v, v);
      for (Eigen::Index k = 0; k < point.J.cols(); ++k) append_point(point.J.col(k), J);
    }
  position_->add_row(t, {x});
  velocity_->add_row(t, {v});
  jacobian_->add_row(t, {J});
}

void PointTables::close() {
  for (TableWriter* table : {position_, velocity_, jacobian_}) table->close();
}

ordered_json describe_points(const MusclePoints& muscle, const std::vector<Coordinate>& coordinates,
                             const std::vector<MaterialPoint>& points) {
  ordered_json list = ordered_json::array();
  for (size_t p = 0; p < points.size(); ++p) {
    ordered_json jacobian = ordered_json::object();
    for (size_t l = 0; l < muscle.dofs().size(); ++l)
      jacobian[name_of(coordinates, muscle.dofs()[l])] =
          to_json(points[p].J.col(static_cast<Eigen::Index>(l)));
    list.push_back({{"material", muscle.beta(static_cast<int>(p))},
                    {"position", to_json(points[p].x)},
                    {"velocity", to_json(points[p].v)},
                    {"jacobian", jacobian}});
  }
  return {{"name", muscle.name()}, {"points", list}};
}

}  // namespace sinew
