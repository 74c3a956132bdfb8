#include "sinew/dynamics/external_load.hpp"

#include "sinew/core/error.hpp"
#include "sinew/dynamics/attached_point.hpp"
#include "sinew/dynamics/force_checks.hpp"

namespace sinew {
namespace {

Mat6 blocks(const Mat3& rotation_to_moment, const Mat3& translation_to_moment,
            const Mat3& rotation_to_force) {
  Mat6 K;
  K << rotation_to_moment, translation_to_moment, rotation_to_force, Mat3::Zero();
  return K;
}

}  // namespace

ExternalLoad::ExternalLoad(std::string name, BodyIndex body, Frames frames, Data data)
    : Force(std::move(name)), body_(body), frames_(frames), data_(std::move(data)) {}

ExternalLoad::Load ExternalLoad::evaluate(const SkeletonAt& in) const {
  const auto at_t = [&](const std::array<TimeFunction, 3>& f) {
    return Vec3(f[0].derivatives(in.t)[0], f[1].derivatives(in.t)[0], f[2].derivatives(in.t)[0]);
  };
  Load load{at_t(data_.force), at_t(data_.torque), at_t(data_.point)};
  if (frames_.force != kWorld) {
    const Mat3 R = body_pose(in.skeleton, in.ws, frames_.force).R;
    load.force = R * load.force;
    load.torque = R * load.torque;
  }
  if (frames_.point != kWorld)
    load.point = attach(in.skeleton, in.ws, frames_.point, load.point).position;
  return load;
}

std::vector<double> ExternalLoad::breakpoints() const {
  std::vector<double> out;
  for (const auto* three : {&data_.force, &data_.point, &data_.torque})
    for (const TimeFunction& f : *three)
      out.insert(out.end(), f.breakpoints().begin(), f.breakpoints().end());
  return out;
}

void ExternalLoad::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const Load load = evaluate(in);
  const int a = link_of(in.skeleton, body_);
  const LinkMotion& m = in.ws.link[static_cast<size_t>(a)];
  const Vec3 r = load.point - m.p;
  out.add_force(a, r, load.force);
  out.wrench[static_cast<size_t>(a)].head<3>() += load.torque;
  out.power += load.force.dot(m.v + m.w.cross(r)) + load.torque.dot(m.w);
}

void ExternalLoad::add_derivatives(const SkeletonAt& in, StiffnessModel kind,
                                   ForceDerivatives& out) const {
  if (kind != StiffnessModel::exact) return;
  // With m = r × f + τ about the origin of link a, r = p − o_a, for displacements (θ, d) of link a,
  // of the force's link b and of the point's link c, and less the turning with a:
  //     δf = θ_b × f − θ_a × f
  //     δm = (δp − d_a) × f + r × (θ_b × f) + θ_b × τ − θ_a × m,   δp = d_c + θ_c × (p − o_c).
  const Load load = evaluate(in);
  const int a = link_of(in.skeleton, body_), b = link_of(in.skeleton, frames_.force),
            c = link_of(in.skeleton, frames_.point);
  const auto from_origin = [&](int link) -> Vec3 {
    return load.point - in.ws.link[static_cast<size_t>(link)].p;
  };
  const Vec3 r = from_origin(a);
  const Mat3 f = skew(load.force);
  out.add(a, a, blocks(skew(r.cross(load.force) + load.torque), f, f), Mat6::Zero());
  out.add(a, b, blocks(-skew(r) * f - skew(load.torque), Mat3::Zero(), -f), Mat6::Zero());
  out.add(a, c, blocks(f * skew(from_origin(c)), -f, Mat3::Zero()), Mat6::Zero());
}

void ExternalLoad::validate(const Skeleton& skeleton) const {
  for (const BodyIndex body : {body_, frames_.force, frames_.point})
    require_body(skeleton, body, name());
  for (const auto* three : {&data_.force, &data_.point, &data_.torque})
    for (const TimeFunction& f : *three)
      if (const std::string defect = f.defect(); !defect.empty())
        throw Error("force '" + name() + "'", defect, "give numbers over time");
}

}  // namespace sinew
