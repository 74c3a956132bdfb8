#pragma once

#include <optional>
#include <span>
#include <utility>

#include "sinew/constraints/contact/broad_phase.hpp"
#include "sinew/constraints/contact/contact_pairs.hpp"

namespace sinew {

/// The material of a surface. A pair has the friction √(μ_A μ_B) and the larger restitution: a ball
/// bounces on any ground.
struct ContactMaterial {
  double friction = 0.5;   ///< Coulomb's μ, sticking and sliding
  double restitution = 0;  ///< speed after over speed before an impact, 0 to 1
};

/// A shape on a body (kWorld: fixed ground) that others touch.
struct ContactSurface {
  std::string name;
  BodyIndex body;
  Pose E_BS;
  ContactShape shape;
  ContactMaterial material;
};

/// All surfaces of a system, and the pairs of them that may meet. Immutable.
class ContactModel {
 public:
  ContactModel() = default;
  /// `excluded` pairs of bodies never meet (see PairFilter for others that never do). Throws an
  /// Error naming the surface, or the two whose contacts have no closed form.
  ContactModel(const Skeleton& skeleton, std::vector<ContactSurface> surfaces,
               std::span<const std::pair<BodyIndex, BodyIndex>> excluded);

  const std::vector<ContactSurface>& surfaces() const { return surfaces_; }
  bool empty() const { return surfaces_.empty(); }
  const PairFilter& filter() const { return *filter_; }
  ContactMaterial material(const ShapePair& pair) const;
  /// No point of the surface is further than this from its frame's origin; 0 for planes [m].
  double radius(int surface) const { return radius_[static_cast<size_t>(surface)]; }

 private:
  std::vector<ContactSurface> surfaces_;
  std::vector<double> radius_;
  std::optional<PairFilter> filter_;
};

}  // namespace sinew
