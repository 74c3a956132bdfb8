#pragma once

#include "sinew/io/models/loaded_model.hpp"
#include "sinew/model/shape.hpp"
#include "sinew/report/report_data.hpp"

/// Shapes for pictures.

namespace sinew {

nlohmann::ordered_json numbers(const Vec3& x);
/// {"position": …, "quaternion": …}.
nlohmann::ordered_json place(const Pose& E);

/// Around z.
struct DrawnTorus {
  double radius, tube;  ///< [m]
};
using DrawnForm =
    std::variant<Cuboid, Sphere, Cylinder, Capsule, Ellipsoid, TriangleMesh, DrawnTorus>;

/// A solid as it is drawn, in the frame of its body.
struct DrawnShape {
  DrawnForm form;
  Pose E_BS;
  Appearance appearance = {};
};

/// What is drawn of a model's bodies.
struct DrawnShapes {
  std::vector<std::vector<DrawnShape>> bodies;  ///< empty where there is nothing
  std::vector<DrawnShape> fixed;                ///< on the world
};

/// The shapes of a scene, or those of an OpenSim model with the meshes that were found. All meshes
/// of a model together have at most some 80 000 triangles: larger ones are thinned. Shapes that
/// cannot be drawn are added to `notes`, in words.
DrawnShapes drawn_shapes(const Skeleton& skeleton, const ModelLook& look,
                         std::vector<std::string>& notes);

/// Lines that stand for a body without shapes: from its joint to the joints of its children, or
/// through its centre of mass. Body frame.
std::vector<std::pair<Vec3, Vec3>> sticks(const Skeleton& skeleton, int body);

/// In its own frame.
nlohmann::ordered_json describe_mesh(const TriangleMesh& mesh, ReportData& data);
nlohmann::ordered_json describe_shape(const DrawnShape& shape, ReportData& data);

}  // namespace sinew
