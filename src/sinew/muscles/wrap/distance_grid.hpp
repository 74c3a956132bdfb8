#pragma once

#include <functional>
#include <string>

#include "sinew/model/triangle_mesh.hpp"
#include "sinew/muscles/wrap/level_function.hpp"

namespace sinew {

/// A signed distance sampled on a regular grid and interpolated by quintic B-splines: four
/// continuous derivatives (docs/theory/wrapping_general.md, distance grids). Made once, immutable.
///
/// The grid reaches far enough beyond the surface for the barrier of ImplicitWrap to vanish;
/// outside it the function is a constant.
class DistanceGrid final : public LevelFunction {
 public:
  /// Covers the box from `low` to `high`. `size` is ImplicitWrap's, the radius of curvature to
  /// resolve; cells are size/`fineness` wide.
  static std::shared_ptr<const DistanceGrid> FromFunction(
      const std::function<double(const Vec3&)>& distance, const Vec3& low, const Vec3& high,
      double size, int fineness = 8);
  /// Throws Error naming `element` unless the mesh is closed and faces outward, and unless the grid
  /// stays below 16 million nodes.
  static std::shared_ptr<const DistanceGrid> FromMesh(const TriangleMesh& mesh, double size,
                                                      const std::string& element, int fineness = 8);

  void evaluate(const Vec3& x, int order, LevelTaylor& out) const override;
  size_t node_count() const { return coefficients_.size(); }
  /// The mesh that it was made from, to look at; null: a function.
  const TriangleMesh* mesh() const { return mesh_.get(); }

 private:
  Vec3 corner_;     ///< position of node (0, 0, 0)
  double spacing_;  ///< between nodes [m]
  double far_;      ///< the value outside
  std::array<int, 3> count_;
  std::vector<double> coefficients_;  ///< for splines centred on the nodes; x runs fastest
  std::shared_ptr<const TriangleMesh> mesh_;

  DistanceGrid() = default;
  static std::shared_ptr<DistanceGrid> Sampled(const std::function<double(const Vec3&)>& distance,
                                               const Vec3& low, const Vec3& high, double size,
                                               int fineness);
  size_t index(int i, int j, int k) const {
    return static_cast<size_t>(i) +
           static_cast<size_t>(count_[0]) *
               (static_cast<size_t>(j) + static_cast<size_t>(count_[1]) * static_cast<size_t>(k));
  }
  void interpolate();  ///< values at nodes to coefficients
};

}  // namespace sinew
