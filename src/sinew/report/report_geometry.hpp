#pragma once

#include "sinew/io/osim/osim_geometry.hpp"
#include "sinew/model/shape.hpp"
#include "sinew/report/report_data.hpp"

/// Shapes for a report.

namespace sinew {

nlohmann::ordered_json numbers(const Vec3& x);
/// {"position": …, "quaternion": …}.
nlohmann::ordered_json place(const Pose& E);

/// In its own frame.
nlohmann::ordered_json describe_mesh(const TriangleMesh& mesh, ReportData& data);
/// A solid of a scene, in the frame of its body.
nlohmann::ordered_json describe_shape(const ShapePart& part, ReportData& data);

/// The drawn shapes of an OpenSim model, with the meshes that were found. All together have at most
/// some 80 000 triangles: larger ones are thinned. Shapes that cannot be drawn are added to
/// `notes`, in words.
class DrawnGeometry {
 public:
  DrawnGeometry(const std::vector<OsimGeometry>& geometry, ReportData& data,
                std::vector<std::string>& notes);
  /// The array of shapes of a body by its name, or of "ground".
  nlohmann::ordered_json of(const std::string& body) const;

 private:
  struct Drawn {
    std::string body;
    nlohmann::ordered_json shape;
  };
  std::vector<Drawn> shapes_;
};

}  // namespace sinew
