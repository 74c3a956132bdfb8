#include "sinew/muscles/fast/cylinder_muscle_batch.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/muscles/fast/relative_motion.hpp"

namespace sinew {
namespace {

bool is_uniform(const Muscle& muscle) {
  if (muscle.regions.size() != 1) return false;
  const MassRegion& region = muscle.regions[0];
  return region.begin == 0 && region.end == 1 && region.c1 == 0 && region.c2 == 0;
}

/// The end that moves against the cylinder's link, −1 if there is not exactly one.
int moving_end(const MuscleBlock::Span& span) {
  for (int e = 0; e < 2; ++e) {
    const auto moving = static_cast<size_t>(e), still = static_cast<size_t>(1 - e);
    if (span.end[moving].columns.size() == 1 && span.end[still].link == span.link) return e;
  }
  return -1;
}

bool fits(const SpanPath& element) {
  const Muscle& muscle = element.muscle();
  const MuscleBlock* spanned = element.spanned();
  if (!muscle.has_mass() || !spanned || muscle.spans.size() != 1 || !is_uniform(muscle))
    return false;
  const auto* wrap = std::get_if<CylinderWrap>(&muscle.spans[0].wrap);
  return wrap && wrap->side != WrapSide::nearest && spanned->dofs().size() == 1 &&
         moving_end(spanned->spans()[0]) >= 0;
}

void put(const Mat3& from, double*& to) {
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) *to++ = from(a, b);
}
void put(const Vec3& from, double*& to) {
  for (int a = 0; a < 3; ++a) *to++ = from[a];
}

/// Rows of a struct that consists of lanes only.
template <class Struct>
auto rows(Struct& lanes) {
  return reinterpret_cast<lanes::Lane*>(&lanes);
}

}  // namespace

CylinderMuscleBatch::CylinderMuscleBatch(const SpanPathList& muscles)
    : muscles_(muscles), taken_(muscles.size(), 0) {
  static_assert(sizeof(lanes::Motion) == sizeof(Workspace::Joint::motion) * lanes::kLanes);
  for (size_t k = 0; k < muscles.size(); ++k) {
    if (!muscles[k] || !fits(*muscles[k])) continue;
    taken_[k] = 1;
    const MuscleBlock& spanned = *muscles[k]->spanned();
    const MuscleBlock::Span& span = spanned.spans()[0];
    const auto end = static_cast<size_t>(moving_end(span));
    const Joint joint{span.link, span.end[end].link, spanned.dofs()[0], spanned.links_of_dofs()[0],
                      span.end[end].columns[0].sign};
    const auto same = [&](const Joint& other) {
      return other.frame == joint.frame && other.end == joint.end;
    };
    auto place = std::find_if(joints_.begin(), joints_.end(), same);
    if (place == joints_.end()) place = joints_.insert(place, joint);
    describe(k, spanned, static_cast<int>(place - joints_.begin()));
  }
  if (packs_.empty()) return;
  // Empty lanes repeat the first one.
  for (size_t lane = 1; lane < lanes::kLanes; ++lane)
    if (packs_.back().muscle[lane] < 0)
      for (size_t r = 0; r < sizeof(lanes::Description) / sizeof(lanes::Lane); ++r)
        rows(packs_.back().description)[r][lane] = rows(packs_.back().description)[r][0];
}

void CylinderMuscleBatch::describe(size_t k, const MuscleBlock& spanned, int joint) {
  const int lane = count_++ % lanes::kLanes;
  if (lane == 0) {
    packs_.emplace_back();
    packs_.back().muscle.fill(-1);
    packs_.back().joint.fill(0);
  }
  packs_.back().muscle[static_cast<size_t>(lane)] = static_cast<int>(k);
  packs_.back().joint[static_cast<size_t>(lane)] = joint;
  lanes::Description& to = packs_.back().description;
  const Muscle& muscle = muscles_[k]->muscle();
  const MuscleBlock::Span& span = spanned.spans()[0];
  const auto& wrap = std::get<CylinderWrap>(muscle.spans[0].wrap);
  const int end = moving_end(span);
  const auto moving = static_cast<size_t>(end), still = static_cast<size_t>(1 - end);
  const Vec3 o = span.E_LS.R.transpose() * (span.end[still].x_L - span.E_LS.p);
  for (int a = 0; a < 3; ++a) {
    to.o[a][lane] = o[a];
    to.x_i[a][lane] = span.end[moving].x_L[a];
    to.p[a][lane] = span.E_LS.p[a];
    for (int b = 0; b < 3; ++b) to.R[3 * a + b][lane] = span.E_LS.R(a, b);
  }
  to.radius[lane] = wrap.radius;
  to.band[lane] = wrap.model == WrapKind::exact ? 0 : wrap.band;
  to.half_length[lane] = wrap.half_length;
  to.mass[lane] = muscle.mass;
  // From the end that stays to the one that moves: σ becomes L − σ if that is backwards.
  const bool backwards = end == 0;
  const MaterialMap& map = muscle.material;
  to.side[lane] = static_cast<double>(wrap.side) * (backwards ? -1 : 1);
  to.A0[lane] = backwards ? -map.A0 - map.B0 : map.A0;
  to.A1[lane] = backwards ? 1 - map.A1 - map.B1 : map.A1;
  to.B0[lane] = map.B0;
  to.B1[lane] = map.B1;
}

/// Motion of the end's link as seen from the frame's, and the motion of `frame` itself.
void CylinderMuscleBatch::update(const SkeletonAt& in, const Joint& joint,
                                 Workspace::Joint& out) const {
  const LinkMotion& A = in.ws.link[static_cast<size_t>(joint.frame)];
  const Vec6& a_A = in.ws.a[static_cast<size_t>(joint.frame)];
  const Vec6& s = in.ws.s[static_cast<size_t>(joint.dof)];
  const Vec3& origin = in.ws.link[static_cast<size_t>(joint.link_of_dof)].p;
  const Mat3 to_A = A.R.transpose();
  const RelativeMotion end = relative_motion(in, joint.frame, joint.end);
  double* to = out.motion;
  put(end.R, to);
  put(end.p, to);
  put(Vec3(to_A * (joint.sign * s.head<3>())), to);
  put(Vec3(to_A * (joint.sign * (s.tail<3>() + s.head<3>().cross(A.p - origin)))), to);
  put(end.dw, to);
  put(end.dv, to);
  *to++ = in.qdot[joint.dof];
  put(Vec3(to_A * A.w), to);
  put(Vec3(to_A * a_A.head<3>()), to);
  put(Vec3(to_A * a_A.tail<3>()), to);
  out.gravity = to_A * in.ws.a[0].tail<3>();
  out.sum = SpanMass<1>();
}

/// Adds one lane's result to its joint; returns the power of the muscle's pull.
double CylinderMuscleBatch::take_lane(const SkeletonAt& in, const Tensions& tensions,
                                      const Pack& pack, size_t lane, Workspace& ws) const {
  const lanes::Result& r = ws.result;
  const auto joint = static_cast<size_t>(pack.joint[lane]);
  SpanMass<1>& sum = ws.joints[joint].sum;
  sum.mass += pack.description.mass[lane];
  for (int k = 0; k < 3; ++k) {
    sum.h[k] += r.h[k][lane];
    sum.torque[k] += r.torque[k][lane];
    sum.force[k] += r.force[k][lane];
    sum.momentum_n[0][k] += r.n[k][lane];
    sum.momentum_f[0][k] += r.f[k][lane];
  }
  for (size_t k = 0; k < 6; ++k) sum.E[k] += r.E[k][lane];
  sum.M[0][0] += r.M[lane];
  const auto muscle = static_cast<size_t>(pack.muscle[lane]);
  const double rate = r.slope[lane] * in.qdot[joints_[joint].dof];
  const double tension = tensions.at(muscle, r.length[lane], rate);
  sum.tau[0] += r.tau[lane] + tension * r.slope[lane];
  return -tension * rate;
}

double CylinderMuscleBatch::add(const SkeletonAt& in, const Tensions& tensions, Workspace& ws,
                                MuscleSums& sums, std::vector<Vec6>& wrench) const {
  ws.others.clear();
  ws.others.reserve(static_cast<size_t>(count_));
  ws.joints.resize(joints_.size());
  for (size_t j = 0; j < joints_.size(); ++j) update(in, joints_[j], ws.joints[j]);
  const lanes::Kernel kernel = lanes::chosen_kernel();
  double power = 0;
  for (const Pack& pack : packs_) {
    for (size_t lane = 0; lane < lanes::kLanes; ++lane) {
      const Workspace::Joint& joint = ws.joints[static_cast<size_t>(pack.joint[lane])];
      for (size_t r = 0; r < 34; ++r) rows(ws.motion)[r][lane] = joint.motion[r];
      const int k = pack.muscle[lane];
      if (k >= 0 && !muscles_[static_cast<size_t>(k)]->muscle().gravity)
        for (int a = 0; a < 3; ++a) ws.motion.a[a][lane] -= joint.gravity[a];
    }
    kernel(pack.description, ws.motion, ws.result);
    for (size_t lane = 0; lane < lanes::kLanes && pack.muscle[lane] >= 0; ++lane) {
      if (ws.result.odd[lane] != 0)
        ws.others.push_back(static_cast<size_t>(pack.muscle[lane]));
      else
        power += take_lane(in, tensions, pack, lane, ws);
    }
  }
  for (size_t j = 0; j < joints_.size(); ++j)
    scatter<1>(in, in.ws.link[static_cast<size_t>(joints_[j].frame)].R, Vec3::Zero(),
               joints_[j].frame, {&joints_[j].dof, 1}, ws.joints[j].sum, sums, wrench);
  return power;
}

}  // namespace sinew
