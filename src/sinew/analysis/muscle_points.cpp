#include "sinew/analysis/muscle_points.hpp"

#include <fmt/format.h>

#include "sinew/core/error.hpp"
#include "sinew/muscles/path/material_column.hpp"

namespace sinew {
namespace {

/// The same material with lumps at the points: they are what its path then places.
Muscle with_lumps(Muscle muscle, int count) {
  if (!muscle.has_mass())
    throw Error("muscle '" + muscle.name + "'", "has no mass", "give it some, or leave it out");
  muscle.mass_model = MassModel::points;
  muscle.regions.clear();
  muscle.lumps = count;
  muscle.lumps_at_ends = false;
  muscle.hill.reset();
  return muscle;
}

}  // namespace

MusclePoints::MusclePoints(const Skeleton& skeleton, Muscle muscle, int count)
    : path_(skeleton, with_lumps(std::move(muscle), count)) {}

std::vector<MaterialPoint> MusclePoints::at(const SkeletonAt& in, SpanPathWorkspace& ws) const {
  path_.update(in, nullptr, MuscleView::inertia, ws);
  if (const SpanStatus status = path_.status(ws); failed(status))
    throw Error("muscle '" + name() + "'",
                fmt::format("has no path at t = {:.6g} s: {}", in.t, name_of(status)),
                "change the surface it wraps around, or leave it without mass");
  path_.update_length_gradient(ws);
  std::vector<MaterialPoint> out;
  for (int p = 0; p < count(); ++p) {
    const PathSample<double>& at = ws.kernel.group(p).sample[0];
    const SpanPathWorkspace::SpanColumns& S = ws.spans[static_cast<size_t>(at.span)];
    MaterialPoint& point = out.emplace_back();
    point.x = S.p + S.R * at.y;
    point.v.setZero();
    point.J.resize(3, static_cast<Eigen::Index>(dofs().size()));
    for (size_t l = 0; l < dofs().size(); ++l) {
      const Vec3 column = S.R * material_column(ws, at, l);
      point.J.col(static_cast<Eigen::Index>(l)) = column;
      point.v += column * in.qdot[dofs()[l]];
    }
  }
  return out;
}

}  // namespace sinew
