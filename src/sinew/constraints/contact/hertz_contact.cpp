#include "sinew/constraints/contact/hertz_contact.hpp"

#include "sinew/constraints/contact/contact_blocks.hpp"
#include "sinew/core/error.hpp"
#include "sinew/dynamics/force_checks.hpp"

namespace sinew {

/// The sphere's position relative to the plane. World axes.
struct HertzContact::Place {
  double gap;    ///< negative if they overlap [m]
  Vec3 n;        ///< out of the plane
  Vec3 x;        ///< point of action
  double reach;  ///< from the centre to x, along −n [m]
};

HertzContact::HertzContact(std::string name, BodyIndex body, const Vec3& center_B, double radius,
                           const ContactPlane& plane, const HertzContactLaw& law)
    : Force(std::move(name)),
      body_(body),
      center_(center_B),
      radius_(radius),
      plane_(plane),
      law_(law) {
  const double length = plane_.normal.stableNorm();
  if (length > 0) plane_.normal /= length;
}

HertzContact::Place HertzContact::place(const SkeletonAt& in) const {
  const Vec3 center = body_pose(in.skeleton, in.ws, body_) * center_;
  const Pose E_WB = body_pose(in.skeleton, in.ws, plane_.body);
  Place out;
  out.n = E_WB.R * plane_.normal;
  out.gap = out.n.dot(center - E_WB * plane_.point) - radius_;
  out.reach = radius_ + law_.share * out.gap;
  out.x = center - out.reach * out.n;
  return out;
}

void HertzContact::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const Place at = place(in);
  const AttachedPoint a = at_world_point(in, body_, at.x);
  const AttachedPoint b = at_world_point(in, plane_.body, at.x);
  const Vec3 u = a.velocity - b.velocity;
  const HertzContactForce force = hertz_force(law_, radius_, at.gap, at.n, u);
  out.add_force(a.link, a.offset, force.f);
  out.add_force(b.link, b.offset, -force.f);
  // The power less the rate of the stored energy.
  out.power += force.f.dot(u) - (law_.smooth ? 0 : force.elastic * at.n.dot(u));
}

void HertzContact::add_derivatives(const SkeletonAt& in, StiffnessModel,
                                   ForceDerivatives& out) const {
  const Place at = place(in);
  const AttachedPoint a = at_world_point(in, body_, at.x);
  const AttachedPoint b = at_world_point(in, plane_.body, at.x);
  const Vec3 u = a.velocity - b.velocity;
  const HertzContactForce force = hertz_force(law_, radius_, at.gap, at.n, u);
  const HertzContactSlopes slopes = hertz_slopes(law_, radius_, at.gap, at.n, u);
  ContactBlocks blocks;
  const bool touches = force.elastic > 0;
  if (touches)
    blocks.add(in, a, b,
               {.f = force.f,
                .df_dgap = slopes.df_dgap,
                .df_du = slopes.df_du,
                .n = at.n,
                .C = at.reach * Mat3::Identity(),
                .share = law_.share});
  blocks.hand_over(a.link, b.link, touches, out);
}

double HertzContact::potential_energy(const SkeletonAt& in) const {
  return hertz_energy(law_, radius_, place(in).gap);
}

int HertzContact::piece(const SkeletonAt& in) const {
  const Place at = place(in);
  const Vec3 u =
      at_world_point(in, body_, at.x).velocity - at_world_point(in, plane_.body, at.x).velocity;
  return hertz_piece(law_, at.gap, at.n, u);
}

void HertzContact::validate(const Skeleton& skeleton) const {
  const std::string element = "force '" + name() + "'";
  require_body(skeleton, body_, name());
  require_body(skeleton, plane_.body, name());
  if (body_ == plane_.body)
    throw Error(element, "has its sphere and its plane on one body", "name two different bodies");
  require_finite(center_.allFinite(), name(), "the centre");
  require_positive(radius_, name(), "radius");
  require_finite(plane_.point.allFinite() && plane_.normal.allFinite(), name(), "the plane");
  if (plane_.normal.isZero(0))
    throw Error(element, "the plane's normal is zero", "give a direction");
  law_.validate(name());
}

}  // namespace sinew
