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

namespace {

/// From the middle of the surface to where the chord is nearest to it, in units of the radius; zero
/// if that is one of its ends.
template <class Level>
Vec3 chord_beside(const Level& level, const Vec3& o, const Vec3& i) {
  const ChordMinimum nearest = level.chord(o, i);
  if (!nearest.found) return Vec3::Zero();
  const Vec3 p = o + nearest.s * (i - o);
  return (1 + level.value(p) / level.size()) * level.gradient(p).normalized();
}

Vec3 chord_beside(const SphereWrap& sphere, const Vec3& o, const Vec3& i) {
  const Vec3 d = i - o;
  const double s = -o.dot(d) / d.squaredNorm();
  if (!(s > 0 && s < 1)) return Vec3::Zero();
  return (o + s * d) / sphere.radius;
}

Vec3 chord_beside(const Wrap& wrap, const Vec3& o, const Vec3& i) {
  if (const auto* sphere = std::get_if<SphereWrap>(&wrap)) return chord_beside(*sphere, o, i);
  if (const auto* torus = std::get_if<TorusWrap>(&wrap))
    return chord_beside(TorusLevel(*torus), o, i);
  if (const auto* ellipsoid = std::get_if<EllipsoidWrap>(&wrap))
    return chord_beside(EllipsoidLevel(*ellipsoid), o, i);
  if (const auto* capped = std::get_if<CappedCylinderWrap>(&wrap))
    return chord_beside(CappedCylinderLevel(*capped), o, i);
  return Vec3::Zero();
}

}  // namespace

Vec3 side_of(const Wrap& wrap, const SpanSolution& solution, const Vec3& o, const Vec3& i) {
  if (solution.status == SpanStatus::free) return chord_beside(wrap, o, i);
  if (solution.status != SpanStatus::wrapped) return Vec3::Zero();
  SpanShape<double> path;
  shape<double>(wrap, solution, o, i, path);
  const int middle = path.pieces / 2;
  const Vec3 at = path.at(middle, 0.5 * path.piece[static_cast<size_t>(middle)].length) - o;
  const Vec3 along = (i - o).normalized();
  return (at - at.dot(along) * along).normalized();
}

bool passes_over(const Vec3& side, const Vec3& next) {
  if (!(side.dot(next) < 0)) return false;
  const Vec3 way = next - side;
  return (side - side.dot(way) / way.squaredNorm() * way).norm() < 1;
}

}  // namespace sinew
