#include "sinew/dynamics/workspace.hpp"

#include <algorithm>

namespace sinew {

SkeletonWorkspace::SkeletonWorkspace(const Skeleton& skeleton) {
  const auto links = static_cast<size_t>(skeleton.link_count());
  const bool any_generic = std::any_of(skeleton.links().begin(), skeleton.links().end(),
                                       [](const Link& l) { return l.kind == LinkKind::generic; });
  link.resize(links);
  joint.resize(any_generic ? links : 0);
  s.resize(static_cast<size_t>(skeleton.dof_count()));
  inertia.resize(links);
  a.resize(links);
  F.resize(links);
  articulated.resize(links);
  elimination.resize(any_generic ? links : 0);
  impulse.resize(2 * 6 * links);
  composite.resize(links);

  LinkMotion& world = link[0];
  world.R.setIdentity();
  world.p.setZero();
  world.r.setZero();
  world.w.setZero();
  world.v.setZero();
  world.c_w.setZero();
  world.c_v.setZero();
}

}  // namespace sinew
