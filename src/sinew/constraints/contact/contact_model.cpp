#include "sinew/constraints/contact/contact_model.hpp"

#include <cmath>
#include <set>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

void validate(const ContactSurface& surface, const Skeleton& skeleton) {
  const std::string element = "contact '" + surface.name + "'";
  const auto require = [&](bool condition, const char* problem, const char* remedy) {
    if (!condition) throw Error(element, problem, remedy);
  };
  require(surface.body == kWorld || (surface.body >= 0 && surface.body < skeleton.body_count()),
          "is on a body that does not exist", "use an index of this skeleton");
  require(std::isfinite(surface.material.friction) && surface.material.friction >= 0,
          "its friction is negative or not finite", "give zero or more");
  require(surface.material.restitution >= 0 && surface.material.restitution <= 1,
          "its restitution is not between 0 and 1",
          "give the speed after an impact over that before");
  require(surface.E_BS.R.allFinite() && surface.E_BS.p.allFinite(), "its place is not finite",
          "give finite numbers");
  validate(surface.shape, element);
}

}  // namespace

ContactModel::ContactModel(const Skeleton& skeleton, std::vector<ContactSurface> surfaces,
                           std::span<const std::pair<BodyIndex, BodyIndex>> excluded)
    : surfaces_(std::move(surfaces)) {
  std::set<std::string> names;
  std::vector<BodyIndex> bodies;
  for (const ContactSurface& surface : surfaces_) {
    validate(surface, skeleton);
    if (!names.insert(surface.name).second)
      throw Error("contact '" + surface.name + "'", "is defined twice",
                  "give each contact a unique name");
    bodies.push_back(surface.body);
    const Aabb box = bounds(surface.shape, Pose{}, 0);
    const double radius = box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs()).norm();
    radius_.push_back(std::isfinite(radius) ? radius : 0);
  }
  filter_.emplace(skeleton, bodies, excluded);
  for (int i = 0; i < static_cast<int>(surfaces_.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(surfaces_.size()); ++j) {
      const ContactSurface &a = surfaces_[static_cast<size_t>(i)],
                           &b = surfaces_[static_cast<size_t>(j)];
      if (filter_->allows(i, j) && !can_touch(a.shape, b.shape))
        throw Error("contact '" + a.name + "'",
                    "is a " + type_name(a.shape) + " that may meet the " + type_name(b.shape) +
                        " '" + b.name + "', and there is no closed form for that pair",
                    "exclude the pair of bodies, or use other shapes");
    }
}

ContactMaterial ContactModel::material(const ShapePair& pair) const {
  const ContactMaterial& a = surfaces_[static_cast<size_t>(pair.a)].material;
  const ContactMaterial& b = surfaces_[static_cast<size_t>(pair.b)].material;
  return {std::sqrt(a.friction * b.friction), std::max(a.restitution, b.restitution)};
}

}  // namespace sinew
