#include "sinew/muscles/muscle_element.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/muscles/fast/muscle_block.hpp"

namespace sinew {
namespace {

double rate_of(const std::vector<int>& dofs, const std::vector<double>& dL, const SkeletonAt& in) {
  double rate = 0;
  for (size_t k = 0; k < dofs.size(); ++k) rate += dL[k] * in.qdot[dofs[k]];
  return rate;
}

/// Whether it may do so in some pose.
bool loses_path(const Muscle& muscle) {
  return (muscle.has_mass() && muscle.material.B0 < 0) ||
         std::any_of(muscle.spans.begin(), muscle.spans.end(), [](const PathSpan& span) {
           return !std::holds_alternative<Straight>(span.wrap);
         });
}

/// Whether it has surfaces that it may leave, or points that it may lose.
bool jumps(const OpenSimPath& path) {
  return !path.surfaces.empty() ||
         std::any_of(path.points.begin(), path.points.end(),
                     [](const OpenSimPathPoint& point) { return point.condition.valid(); });
}

}  // namespace

MuscleElement::MuscleElement(const Skeleton& skeleton, Muscle muscle) : muscle_(std::move(muscle)) {
  const std::string element = "muscle '" + name() + "'";
  if (muscle_.opensim_path)
    opensim_path_ = std::make_shared<const OpenSimPathOnSkeleton>(skeleton, *muscle_.opensim_path);
  if (!opensim_path_ || muscle_.has_mass()) {
    spans_ = std::make_shared<const SpanPath>(skeleton, muscle_);
    muscle_ = spans_->muscle();
  }
  if (!opensim_path_) block_ = spans_->spanned();
  pulls_with_mass_ = !opensim_path_ && muscle_.has_mass();
  may_lose_path_ = spans_ && loses_path(muscle_);
  may_jump_ = opensim_path_ && jumps(opensim_path_->path());
  if (!muscle_.hill) return;
  validate(*muscle_.hill, skeleton, element);
  if (muscle_.tension.derivatives(0)[0] != 0 || muscle_.tension.breakpoints().size() > 1)
    throw Error(element, "has its own tension", "leave it out: the Hill muscle has one");
}

PathState MuscleElement::measure(const SkeletonAt& in, PathWorkspace& ws) const {
  if (!block_) return update_path(in, ws);
  const PathLength path = block_->measure(muscle_, in, ws.dL);
  return {path.length, path.rate, block_->dofs(), ws.dL};
}

PathState MuscleElement::update_path(const SkeletonAt& in, PathWorkspace& ws) const {
  if (opensim_path_)
    opensim_path_->update(in, ws.opensim);
  else
    spans_->update(in, nullptr, MuscleView::path, ws.spans);
  return path_state(in, ws);
}

PathState MuscleElement::path_state(const SkeletonAt& in, PathWorkspace& ws) const {
  if (opensim_path_) {
    opensim_path_->update_length_gradient(in, ws.opensim);
    return {ws.opensim.length, rate_of(opensim_path_->dofs(), ws.opensim.dL, in),
            opensim_path_->dofs(), ws.opensim.dL};
  }
  spans_->update_length_gradient(ws.spans);
  return {spans_->length(ws.spans), rate_of(spans_->dofs(), ws.spans.dL, in), spans_->dofs(),
          ws.spans.dL};
}

void MuscleElement::add_pull(const SkeletonAt& in, double tension, PathWorkspace& ws,
                             std::vector<Vec6>& wrench, VecRef tau) const {
  if (opensim_path_)
    opensim_path_->add_forces(in, tension, ws.opensim, wrench, tau);
  else
    spans_->add_forces(in, tension, ws.spans, wrench, tau);
}

void MuscleElement::add_pull_derivatives(const SkeletonAt& in, double tension, const double* qddot,
                                         const DerivativeWorkspace& dws, PathWorkspace& ws,
                                         MatRef dg_dq, MatRef dg_dqdot) const {
  if (opensim_path_)
    opensim_path_->add_derivatives(in, tension, ws.opensim, dg_dq);
  else
    spans_->add_derivatives(in, tension, qddot, dws, ws.spans, dg_dq, dg_dqdot);
}

}  // namespace sinew
