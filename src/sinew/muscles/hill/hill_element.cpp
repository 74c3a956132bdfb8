#include "sinew/muscles/hill/hill_element.hpp"

#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

void check(const Skeleton& skeleton, const HillDescription& description,
           const std::string& element) {
  check_hill_muscle(description.muscle, element);
  check_activation(description.activation, element);
  if (!(description.initial_activation >= 0 && description.initial_activation <= 1))
    throw Error(element, "starts with activation " + std::to_string(description.initial_activation),
                "give a number from 0 to 1");
  if (description.initial_fibre_length)
    check_fibre_length(description.muscle, *description.initial_fibre_length, element);
  if (const std::string defect = description.excitation.defect(); !defect.empty())
    throw Error(element, "its excitation " + defect, "give numbers that are finite");
  if (const auto& feedback = description.feedback) {
    if (feedback->dof.value < 0 || feedback->dof.value >= skeleton.dof_count())
      throw Error(element, "its feedback is of a coordinate that does not exist",
                  "name one of the skeleton's");
    if (!std::isfinite(feedback->gain) || !std::isfinite(feedback->target))
      throw Error(element, "its feedback is not finite", "give numbers that are finite");
  }
}

}  // namespace

const std::string& HillElement::name() const {
  return std::visit([](const auto& p) -> const std::string& { return p->name(); }, path);
}

const OpenSimPathOnSkeleton* HillElement::route() const {
  const auto* route = std::get_if<std::shared_ptr<const OpenSimPathOnSkeleton>>(&path);
  return route ? route->get() : nullptr;
}

std::shared_ptr<const HillElement> make_hill_element(const Skeleton& skeleton, int muscle,
                                                     const Muscle& path,
                                                     const HillDescription& description) {
  const std::string element = "muscle '" + path.name + "'";
  check(skeleton, description, element);
  if (path.tension.derivatives(0)[0] != 0 || path.tension.breakpoints().size() > 1)
    throw Error(element, "has a tension of its own", "leave it out: the Hill muscle has one");
  Muscle pull = path;
  pull.mass = 0;
  pull.regions.clear();
  auto out = std::make_shared<HillElement>();
  out->muscle = muscle;
  out->description = description;
  out->path = std::make_shared<const MuscleElement>(skeleton, pull);
  return out;
}

std::shared_ptr<const HillElement> make_hill_element(const Skeleton& skeleton,
                                                     const OpenSimPath& path,
                                                     const HillDescription& description) {
  check(skeleton, description, "muscle '" + path.name + "'");
  auto out = std::make_shared<HillElement>();
  out->description = description;
  out->path = std::make_shared<const OpenSimPathOnSkeleton>(skeleton, path);
  return out;
}

namespace {

template <class Path, class PathWorkspace>
PathState state_of(const Path& path, double length, const SkeletonAt& in, const PathWorkspace& ws) {
  double rate = 0;
  for (size_t k = 0; k < path.dofs().size(); ++k) rate += ws.dL[k] * in.qdot[path.dofs()[k]];
  return {length, rate, path.dofs(), ws.dL};
}

}  // namespace

PathState update_path(const HillElement& element, const SkeletonAt& in, HillPathScratch ws) {
  if (const OpenSimPathOnSkeleton* route = element.route()) {
    route->update(in, ws.route);
    route->update_length_gradient(in, ws.route);
    return state_of(*route, ws.route.length, in, ws.route);
  }
  const MuscleElement& pull = *std::get<0>(element.path);
  pull.update(in, nullptr, MuscleView::path, ws.muscle);
  pull.update_length_gradient(ws.muscle);
  return state_of(pull, pull.length(ws.muscle), in, ws.muscle);
}

}  // namespace sinew
