#include "sinew/muscles/wrap/chosen_side.hpp"

namespace sinew {

bool chooses_side(const Wrap& wrap) {
  if (const auto* sphere = std::get_if<SphereWrap>(&wrap)) return sphere->model == WrapKind::exact;
  if (const auto* cylinder = std::get_if<CylinderWrap>(&wrap))
    return cylinder->side == WrapSide::nearest;
  if (const auto* torus = std::get_if<TorusWrap>(&wrap)) return torus->side == TorusSide::nearest;
  if (const auto* ellipsoid = std::get_if<EllipsoidWrap>(&wrap)) return ellipsoid->side.isZero();
  if (const auto* capped = std::get_if<CappedCylinderWrap>(&wrap)) return capped->side.isZero();
  const auto* implicit = std::get_if<ImplicitWrap>(&wrap);
  return implicit != nullptr && implicit->side.isZero();
}

Vec3 side_of(const Wrap& wrap, const SpanSolution& solution, const Vec3& o, const Vec3& i) {
  if (solution.status != SpanStatus::wrapped) return Vec3::Zero();
  SpanShape<double> path;
  shape<double>(wrap, solution, o, i, path);
  const int middle = path.pieces / 2;
  const Vec3 at = path.at(middle, 0.5 * path.piece[static_cast<size_t>(middle)].length) - o;
  const Vec3 along = (i - o).normalized();
  return at - at.dot(along) * along;
}

}  // namespace sinew
