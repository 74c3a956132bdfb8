#include "sinew/constraints/rows/prescribed_motion.hpp"

#include <cmath>

#include "sinew/constraints/rows/row_primitives.hpp"

namespace sinew {
namespace {

/// Writes rate and bias of a velocity or acceleration row whose target is f.
void set_target(const TimeFunction& f, double t, ConstraintLevel level, int row,
                ConstraintRows& out) {
  const std::array<double, 3> target = f.derivatives(t);
  out.value[row] = 0;
  out.rate[row] = -target[0];
  out.bias[row] = level == ConstraintLevel::velocity ? -target[1] : -target[0];
}

void require_function(const TimeFunction& f, const Constraint& constraint) {
  const std::string defect = f.defect();
  require_constraint(defect.empty(), constraint,
                     "has a function of time that cannot be used: " + defect,
                     "correct the function");
}

}  // namespace

PrescribedCoordinate::PrescribedCoordinate(std::string name, DofIndex dof, ConstraintLevel level,
                                           TimeFunction f)
    : Constraint(std::move(name)), dof_(dof), level_(level), f_(std::move(f)) {}

void PrescribedCoordinate::evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const {
  if (level_ == ConstraintLevel::position) {
    const std::array<double, 3> target = f_.derivatives(in.t);
    out.value[row] = in.q[dof_] - target[0];
    out.rate[row] = -target[1];
    out.bias[row] = -target[2];
  } else {
    set_target(f_, in.t, level_, row, out);
  }
  out.add_coordinate(row, dof_, 1, 0);
}

std::vector<Measurement> PrescribedCoordinate::measure(const SkeletonAt&,
                                                       std::span<const double> lambda) const {
  return {{"torque", -lambda[0]}};
}

void PrescribedCoordinate::validate(const Skeleton& skeleton) const {
  require_dof(skeleton, dof_, *this);
  require_function(f_, *this);
}

PrescribedTwist::PrescribedTwist(std::string name, BodyIndex body, const Vec3& x_B,
                                 ConstraintLevel level, std::vector<Row> rows)
    : Constraint(std::move(name)), body_(body), x_(x_B), level_(level), rows_(std::move(rows)) {}

PrescribedTwist::Row PrescribedTwist::BodyRow(int k, TimeFunction f) {
  return {k < 3 ? Part::angular : Part::linear, Vec3::Unit(k % 3), Frame::body, std::move(f)};
}

PrescribedTwist::Row PrescribedTwist::WorldRow(int k, TimeFunction f) {
  return {k < 3 ? Part::angular : Part::linear, Vec3::Unit(k % 3), Frame::world, std::move(f)};
}

Vec3 PrescribedTwist::world_direction(const SkeletonAt& in, const Row& row) const {
  return row.frame == Frame::world ? row.direction : direction(in, body_, row.direction);
}

void PrescribedTwist::evaluate(const SkeletonAt& in, int row, ConstraintRows& out) const {
  const AttachedPoint p = attach(in, body_, x_);
  const Vec3& w = in.ws.link[static_cast<size_t>(p.link)].w;
  for (const Row& r : rows_) {
    const bool turns = r.frame == Frame::body, linear = r.part == Part::linear;
    const Vec3 e = world_direction(in, r), edot = turns ? Vec3(w.cross(e)) : Vec3::Zero();
    Vec6 c = Vec6::Zero(), cdot = Vec6::Zero(), x = Vec6::Zero();
    if (linear) {
      c << p.offset.cross(e), e;
      cdot << w.cross(p.offset).cross(e) + p.offset.cross(edot), edot;
    } else {
      c << e, Vec3::Zero();
      cdot << edot, Vec3::Zero();
    }
    // A direction that stays behind as the body turns by δθ turns by −δθ against it.
    if (!turns) x.head<3>() = (linear ? p.velocity : w).cross(e);
    out.add_nonholonomic(row, p.link, c, cdot, x);
    set_target(r.f, in.t, level_, row++, out);
  }
}

void PrescribedTwist::add_reaction_derivatives(const SkeletonAt& in, std::span<const double> lambda,
                                               ForceDerivatives& out) const {
  // Wrenches with body-fixed directions move along; the others turn by −δθ as seen from the body.
  const AttachedPoint p = attach(in, body_, x_);
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  for (size_t k = 0; k < rows_.size(); ++k) {
    if (rows_[k].frame == Frame::body) continue;
    (rows_[k].part == Part::linear ? force : moment) -= lambda[k] * rows_[k].direction;
  }
  Mat6 K = p.jacobian().transpose() * on_rotation(skew(force));
  K.topLeftCorner<3, 3>() += skew(moment);
  out.add(p.link, p.link, K, Mat6::Zero());
}

std::vector<Measurement> PrescribedTwist::measure(const SkeletonAt& in,
                                                  std::span<const double> lambda) const {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  for (size_t k = 0; k < rows_.size(); ++k)
    (rows_[k].part == Part::linear ? force : moment) -= lambda[k] * world_direction(in, rows_[k]);
  std::vector<Measurement> out;
  add_measurements("force", force, out);
  add_measurements("moment", moment, out);
  return out;
}

std::vector<double> PrescribedTwist::breakpoints() const {
  std::vector<double> out;
  for (const Row& row : rows_)
    out.insert(out.end(), row.f.breakpoints().begin(), row.f.breakpoints().end());
  return out;
}

void PrescribedTwist::validate(const Skeleton& skeleton) const {
  require_body(skeleton, body_, *this);
  require_constraint(link_of(skeleton, body_) != 0, *this, "is on a body that cannot move",
                     "name a body that some joint moves");
  require_constraint(level_ != ConstraintLevel::position, *this,
                     "prescribes a twist on position level",
                     "prescribe its velocity or acceleration, or close a loop with the ground");
  require_constraint(!rows_.empty(), *this, "prescribes no row", "give at least one");
  require_constraint(x_.allFinite(), *this, "has a point that is not finite",
                     "give finite numbers");
  for (const Row& row : rows_) {
    require_constraint(row.direction.allFinite() && row.direction.norm() > 0, *this,
                       "has a direction that is zero or not finite", "give another direction");
    require_function(row.f, *this);
  }
}

}  // namespace sinew
