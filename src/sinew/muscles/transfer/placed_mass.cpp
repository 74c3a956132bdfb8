#include "sinew/muscles/transfer/placed_mass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/kinematics.hpp"

namespace sinew {

SpatialInertia MassStretch::inertia(const Pose& E_WB) const {
  const Pose E_BW = E_WB.inverse();
  const Vec3 a = E_BW * x0, b = E_BW * x1;
  const Mat3 ab = a * b.transpose();
  // ∫x xᵀdm, symmetric to the bit
  const Mat3 P =
      m.m00 * (a * a.transpose()) + m.m01 * (ab + ab.transpose()) + m.m11 * (b * b.transpose());
  return {mass(), (m.m00 + m.m01) * a + (m.m01 + m.m11) * b, P.trace() * Mat3::Identity() - P};
}

std::optional<MassStretch> MassStretch::between(double lo, double hi) const {
  if (s0 >= lo && s1 < hi) return *this;
  if (s1 <= lo || s0 >= hi) return std::nullopt;
  const double from = std::max(0.0, (lo - s0) / (s1 - s0));
  const double to = std::min(1.0, (hi - s0) / (s1 - s0));
  // The three moments are those of one quadratic density. Its coefficients are the inverse of the
  // 3×3 Hilbert matrix times ∫dm, ∫ξdm, ∫ξ²dm.
  const double u0 = mass(), u1 = m.m01 + m.m11, u2 = m.m11;
  const MassRegion density{0, 1, 9 * u0 - 36 * u1 + 30 * u2, -36 * u0 + 192 * u1 - 180 * u2,
                           30 * u0 - 180 * u1 + 180 * u2};
  return MassStretch{x0 + from * (x1 - x0), x0 + to * (x1 - x0), s0 + from * (s1 - s0),
                     s0 + to * (s1 - s0), piece_moments(density, from, to)};
}

SpatialInertia PlacedMass::inertia(const Pose& E_WB) const {
  SpatialInertia sum;
  for (const MassStretch& stretch : stretches) sum = sum + stretch.inertia(E_WB);
  return sum;
}

PlacedBodies::PlacedBodies(const Skeleton& skeleton, const VecX& q)
    : skeleton_(skeleton), q_(q), ws_(skeleton) {
  update_kinematics(skeleton, q_, VecX::Zero(q_.size()), ws_);
}

Pose PlacedBodies::pose(BodyIndex body) const { return body_pose(skeleton_, ws_, body); }

/// The body of the term with the largest weight.
BodyIndex PlacedBodies::holder(const PathPoint& point) const {
  BodyIndex body = kWorld;
  double largest = -std::numeric_limits<double>::infinity();
  for (const PathTerm& term : point.terms) {
    if (term.direction) continue;
    const double weight = weight_of(term, q_);
    if (weight > largest) body = term.body;
    largest = std::max(largest, weight);
  }
  return body;
}

/// Borders are midway between neighbouring path points on different bodies.
std::vector<PathCell> PlacedBodies::cells(const Muscle& muscle, Ground ground) const {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::vector<PathCell> out;
  double here = 0, last = 0;  // arc length of this path point, and of the last one on a body
  for (size_t k = 0; k < muscle.points.size(); ++k) {
    if (k > 0) here += muscle_ws_.kernel.shape(static_cast<int>(k - 1)).length.v;
    const BodyIndex body = holder(muscle.points[k]);
    if (body == kWorld && ground == Ground::does_not_count) continue;
    if (out.empty()) {
      out.push_back({-kFar, kFar, body});
    } else if (body != out.back().body) {
      const double border = 0.5 * (last + here);
      out.back().hi = border;
      out.push_back({border, kFar, body});
    }
    last = here;
  }
  return out;
}

PlacedMass PlacedBodies::place(const Muscle& description) {
  const SpanPath element(skeleton_, description);
  const Muscle& muscle = element.muscle();
  const VecX rest = VecX::Zero(q_.size());
  const ConstVecRef q(q_), qdot(rest);
  element.update({skeleton_, 0, q, qdot, ws_}, nullptr, MuscleView::inertia, muscle_ws_);

  const PathDynamics<double>& kernel = muscle_ws_.kernel;
  const auto position = [&](const PathSample<double>& at) {
    const SpanPathWorkspace::SpanColumns& S = muscle_ws_.spans[static_cast<size_t>(at.span)];
    return Vec3(S.p + S.R * at.y);
  };
  const auto arc_length = [&](const PathSample<double>& at) {
    const MaterialMap& map = muscle.material;
    const double beta = (at.by_length - map.A1) / map.B1;
    return map.A(kernel.length()) + beta * map.B(kernel.length());
  };
  PlacedMass out{{},
                 cells(muscle, Ground::does_not_count),
                 cells(muscle, Ground::counts),
                 element.status(muscle_ws_)};
  double mass = 0;
  const auto add = [&](const PathSample<double>& a, const PathSample<double>& b,
                       const PieceMoments<double>& m) {
    out.stretches.push_back({position(a), position(b), arc_length(a), arc_length(b), m});
    mass += out.stretches.back().mass();
  };
  for (int g = 0; g < kernel.group_count(); ++g) {
    const MassGroup<double>& group = kernel.group(g);
    const auto& sample = group.sample;
    if (group.linear)
      add(sample[0], sample[1], {group.weight[0], group.weight[1], group.weight[2]});
    else
      for (size_t a = 0; a < static_cast<size_t>(group.count); ++a)
        add(sample[a], sample[a], {group.weight[a], 0, 0});
  }
  // 1e-9: numbers from a file may be rounded; a larger difference is a mistake.
  if (std::abs(mass - muscle.mass) > 1e-9 * muscle.mass)
    throw Error("muscle '" + muscle.name + "'",
                fmt::format("has {:g} kg on its path in the reference pose instead of {:g} kg",
                            mass, muscle.mass),
                "give tendons shorter than the path, and a profile that adds up to the mass");
  return out;
}

}  // namespace sinew
