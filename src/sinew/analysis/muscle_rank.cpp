#include "sinew/analysis/muscle_rank.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/math/symmetric_eigen.hpp"
#include "sinew/muscles/muscles.hpp"

namespace sinew {
namespace {

constexpr double kPercentile = 0.95;
constexpr double kSameOrder = 0.02;  // values this close to each other have no order
constexpr double kNoEffect = 1e-9;   // effects below are rounding
constexpr int kFirstPoses = 256;
constexpr size_t kParts = 4;  // of the sample, drawn independently: they tell whether it settled

/// Uniform in [0, 1) from the bits of the generator: distributions differ between libraries.
double uniform(std::mt19937_64& generator) {
  return static_cast<double>(generator() >> 11) * 0x1.0p-53;
}

int next_prime(int p) {
  const auto is_prime = [](int n) {
    for (int d = 2; d * d <= n; ++d)
      if (n % d == 0) return false;
    return true;
  };
  do ++p;
  while (!is_prime(p));
  return p;
}

double fraction(double x) { return x - std::floor(x); }

/// The largest |λ| of A v = λ B v; NaN if B is not positive definite.
double largest_effect(const MatX& A, const MatX& B) {
  const Eigen::LLT<MatX> factor(B);
  if (factor.info() != Eigen::Success) return std::numeric_limits<double>::quiet_NaN();
  MatX C = factor.matrixL().solve(A);
  C = factor.matrixL().solve(MatX(C.transpose())).eval();
  return symmetric_eigen(C).values.cwiseAbs().maxCoeff();
}

double percentile(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = kPercentile * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  const double above = values[std::min(below + 1, values.size() - 1)];
  return values[below] + (at - std::floor(at)) * (above - values[below]);
}

/// The effects of each muscle, pose by pose, where it has a path.
using Effects = std::vector<std::vector<double>>;

void add(const VecX& effects, Effects& out) {
  for (size_t k = 0; k < out.size(); ++k)
    if (const double e = effects[static_cast<Eigen::Index>(k)]; !std::isnan(e)) out[k].push_back(e);
}

bool have_one_order(const std::vector<Effects>& parts) {
  std::vector<std::vector<double>> value(parts.size());
  for (size_t p = 0; p < parts.size(); ++p)
    for (const std::vector<double>& effects : parts[p]) value[p].push_back(percentile(effects));
  const auto clear = [](double x, double y) { return x - y > kSameOrder * x + kNoEffect; };
  const size_t n = value[0].size();
  for (const std::vector<double>& a : value)
    for (const std::vector<double>& b : value)
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
          if (clear(a[i], a[j]) && b[i] < b[j]) return false;
  return true;
}

/// Ranges in which a pose and its image are both allowed.
PoseRange common_range(const PoseRange& range, const Mirror& mirror) {
  const VecX a = mirror.image(range.lower), b = mirror.image(range.upper);
  PoseRange out = range;
  for (Eigen::Index k = 0; k < a.size(); ++k) {
    const double lower = std::max(range.lower[k], std::min(a[k], b[k]));
    const double upper = std::min(range.upper[k], std::max(a[k], b[k]));
    if (lower > upper) continue;  // the sides have nothing in common
    out.lower[k] = lower;
    out.upper[k] = upper;
  }
  return out;
}

}  // namespace

// ---- poses

PoseSequence::PoseSequence(PoseRange range, std::optional<Mirror> mirror, std::uint64_t seed)
    : range_(mirror ? common_range(range, *mirror) : std::move(range)), mirror_(std::move(mirror)) {
  std::mt19937_64 generator(seed);
  place_.resize(range_.lower.size());
  step_.resize(range_.lower.size());
  int prime = 1;
  for (Eigen::Index k = 0; k < place_.size(); ++k) {
    place_[k] = uniform(generator);
    step_[k] = fraction(std::sqrt(prime = next_prime(prime)));
  }
}

VecX PoseSequence::next() {
  if (image_) {
    VecX out = std::move(*image_);
    image_.reset();
    return out;
  }
  place_ = (place_ + step_).unaryExpr(&fraction);
  const VecX q = range_.lower + place_.cwiseProduct(range_.upper - range_.lower);
  if (mirror_) image_ = mirror_->image(q);
  return q;
}

// ---- one pose

MovingMass::MovingMass(const RankedSystem& ranked)
    : ranked_(ranked),
      ws_(ranked.system),
      muscles_(ranked.system.muscles().size()),
      columns_(static_cast<size_t>(ranked.system.skeleton().link_count())),
      moving_(muscles_.size()),
      lost_(muscles_.size(), 0) {
  const Skeleton& skeleton = ranked.system.skeleton();
  for (const MassMove& move : ranked.lumped) {
    const Body& body = skeleton.body(move.body);
    if (body.link.value == 0) continue;  // fixed to the ground
    std::vector<Lump>& lumps = muscles_[static_cast<size_t>(move.muscle)].lumps;
    auto lump = std::find_if(lumps.begin(), lumps.end(),
                             [&](const Lump& l) { return l.link == body.link.value; });
    if (lump == lumps.end()) lump = lumps.insert(lump, {body.link.value, {}});
    lump->M_L = lump->M_L + move.taken.transformed(body.E_LB);
  }
  update_speeds(ranked.system.described_state().q);
  for (size_t k = 0; k < muscles_.size(); ++k) find_spanned(k);
}

void MovingMass::find_spanned(size_t muscle) {
  const Skeleton& skeleton = ranked_.system.skeleton();
  const Muscle& description = ranked_.system.muscles()[muscle]->muscle();
  std::vector<int> links;
  std::vector<char> within(static_cast<size_t>(skeleton.dof_count()), 0);
  const auto add = [&](BodyIndex body) {
    links.push_back(body == kWorld ? 0 : skeleton.body(body).link.value);
  };
  for (const PathPoint& point : description.points)
    for (const PathTerm& term : point.terms) {
      add(term.body);
      for (const PathWeight& weight : term.weights) within[static_cast<size_t>(weight.dof)] = 1;
    }
  for (const PathSpan& span : description.spans)
    if (!std::holds_alternative<Straight>(span.wrap)) add(span.body);
  for (const Lump& lump : muscles_[muscle].lumps) links.push_back(lump.link);
  for (int k = 0; k < skeleton.dof_count(); ++k) {
    const int link = skeleton.link_of_dof(k);
    const auto moved = std::count_if(links.begin(), links.end(), [&](int l) {
      return l >= link && l < skeleton.subtree_end(link);
    });
    if (moved > 0 && moved < static_cast<std::ptrdiff_t>(links.size()))
      within[static_cast<size_t>(k)] = 1;
  }
  for (int c = 0; c < static_cast<int>(ranked_.system.coordinates().size()); ++c) {
    if (ranked_.coupled.coupling_of(DofIndex(c)) != nullptr ||
        std::find(ranked_.held.begin(), ranked_.held.end(), c) != ranked_.held.end())
      continue;
    bool moves = false;
    for (int k = 0; k < skeleton.dof_count(); ++k)
      moves |= within[static_cast<size_t>(k)] && speeds_(k, c) != 0;
    if (moves) muscles_[muscle].spanned.push_back(c);
  }
}

/// Coupled and dependent coordinates move with those that they follow.
void MovingMass::update_speeds(const VecX& pose) {
  const System& system = ranked_.system;
  const int n = system.skeleton().dof_count();
  const auto count = static_cast<Eigen::Index>(system.coordinates().size());
  if (ranked_.coupled.empty() && system.coordinate_map() == nullptr) {
    if (speeds_.size() == 0) speeds_.setIdentity(n, n);
    return;
  }
  speeds_.resize(n, count);
  VecX q = pose, unused = VecX::Zero(pose.size()), drift(n);
  const ExpandedState still = expand(system, {0, q, unused}, ws_);
  for (int k = 0; k < n; ++k) drift[k] = still.qdot[k];
  for (Eigen::Index c = 0; c < count; ++c) {
    VecX unit = VecX::Unit(pose.size(), c);
    ranked_.coupled.follow(q, unit, unused);
    const ExpandedState x = expand(system, {0, q, unit}, ws_);
    for (int k = 0; k < n; ++k) speeds_(k, c) = x.qdot[k] - drift[k];
  }
}

void MovingMass::update_columns() {
  const Skeleton& skeleton = ranked_.system.skeleton();
  columns_[0].setZero(6, speeds_.cols());
  for (int i = 1; i < skeleton.link_count(); ++i) {
    const auto at = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    columns_[at] = columns_[static_cast<size_t>(link.parent.value)];
    const Vec3& r = ws_.skeleton.link[at].r;
    for (Eigen::Index c = 0; c < columns_[at].cols(); ++c)
      columns_[at].col(c).tail<3>() += columns_[at].col(c).head<3>().cross(r);
    for (int k = link.dof; k < link.dof + link.dof_count; ++k)
      columns_[at] += ws_.skeleton.s[static_cast<size_t>(k)] * speeds_.row(k);
  }
}

/// Needs update_kinematics.
void MovingMass::update_masses(const SkeletonAt& at) {
  const Skeleton& skeleton = at.skeleton;
  update_inertias(skeleton, ws_.skeleton);
  MatX M = MatX::Zero(skeleton.dof_count(), skeleton.dof_count());
  mass_matrix(skeleton, ws_.skeleton, M);
  for (size_t k = 0; k < muscles_.size(); ++k) {
    lost_[k] = 0;
    moving_[k].resize(0, 0);
    const auto& spans = ranked_.system.muscles()[k]->spans();
    if (!spans || !spans->muscle().has_mass()) continue;
    SpanPathWorkspace& path = muscle_scratch(ws_).path.spans;
    spans->update(at, nullptr, MuscleView::inertia, path);
    lost_[k] = failed(spans->status(path));
    if (lost_[k]) continue;
    moving_[k].setZero(M.rows(), M.cols());
    spans->add_mass_matrix(path, moving_[k]);
    M += moving_[k];
  }
  M_ = speeds_.transpose() * M * speeds_;
  std::vector<int> all(static_cast<size_t>(M_.cols()));
  std::iota(all.begin(), all.end(), 0);
  for (size_t k = 0; k < muscles_.size(); ++k)
    if (lost_[k]) M_ += lumped(muscles_[k], all);
}

MatX MovingMass::lumped(const RankedMuscle& muscle, const std::vector<int>& coordinates) const {
  const auto n = static_cast<Eigen::Index>(coordinates.size());
  MatX out = MatX::Zero(n, n);
  for (const Lump& lump : muscle.lumps) {
    const auto link = static_cast<size_t>(lump.link);
    const SpatialInertia M_W = lump.M_L.transformed({ws_.skeleton.link[link].R, Vec3::Zero()});
    const Columns J = columns_[link](Eigen::all, coordinates);
    out += J.transpose() * M_W.matrix() * J;
  }
  return out;
}

VecX MovingMass::effects(VecX pose) {
  ranked_.coupled.follow(pose);
  update_speeds(pose);
  const VecX rest = VecX::Zero(pose.size());
  const ExpandedState x = expand(ranked_.system, {0, pose, rest}, ws_);
  update_kinematics(ranked_.system.skeleton(), x.q, x.qdot, ws_.skeleton);
  update_columns();
  update_masses({ranked_.system.skeleton(), 0, x.q, x.qdot, ws_.skeleton});
  VecX out = VecX::Zero(static_cast<Eigen::Index>(muscles_.size()));
  for (size_t k = 0; k < muscles_.size(); ++k) {
    double& effect = out[static_cast<Eigen::Index>(k)];
    if (lost_[k]) effect = std::numeric_limits<double>::quiet_NaN();
    const std::vector<int>& spanned = muscles_[k].spanned;
    if (moving_[k].size() == 0 || spanned.empty()) continue;
    const MatX own = speeds_(Eigen::all, spanned);
    const MatX change = own.transpose() * moving_[k] * own - lumped(muscles_[k], spanned);
    effect = largest_effect(change, M_(spanned, spanned));
  }
  return out;
}

// ---- many poses

MuscleRanking rank_muscles(const RankedSystem& ranked, const RankOptions& options) {
  MovingMass masses(ranked);
  const MuscleList& muscles = ranked.system.muscles();
  std::vector<Effects> parts(kParts, Effects(muscles.size()));
  std::vector<PoseSequence> poses;
  for (size_t part = 0; part < kParts; ++part)  // no two seeds share a sequence
    poses.emplace_back(options.range, options.mirror, kParts * options.seed + part);
  const int pair = options.mirror ? 2 : 1, most = options.poses > 0 ? options.poses : options.most;
  MuscleRanking out;
  for (int check = kFirstPoses; out.poses < most;) {
    if (options.go_on && !options.go_on(out.poses)) break;
    const auto part = static_cast<size_t>(out.poses / pair) % kParts;
    for (int p = 0; p < pair; ++p, ++out.poses)
      add(masses.effects(poses[part].next()), parts[part]);
    if (options.poses > 0 || out.poses < check) continue;
    check *= 2;
    if (have_one_order(parts)) break;
  }
  out.settled = have_one_order(parts);
  for (size_t k = 0; k < muscles.size(); ++k) {
    if (!muscles[k]->spans()) continue;
    std::vector<double> all;
    for (const Effects& part : parts) all.insert(all.end(), part[k].begin(), part[k].end());
    MuscleRank& rank = out.ranks.emplace_back();
    rank.muscle = static_cast<int>(k);
    rank.poses = static_cast<int>(all.size());
    for (const double effect : all) rank.mean += effect / static_cast<double>(all.size());
    rank.percentile = percentile(std::move(all));
  }
  std::stable_sort(
      out.ranks.begin(), out.ranks.end(),
      [](const MuscleRank& a, const MuscleRank& b) { return a.percentile > b.percentile; });
  return out;
}

}  // namespace sinew
