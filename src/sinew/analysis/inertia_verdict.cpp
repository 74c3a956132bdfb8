#include "sinew/analysis/inertia_verdict.hpp"

#include <algorithm>

namespace sinew {
namespace {

// A change below rounding, and a moment below this part of the largest of any joint.
constexpr double kNothing = 1e-9, kSmallMoment = 0.01;
// A spike departs from its neighbours by this part of the largest change and of the largest moment,
// and by so many times more than the moment itself does there.
constexpr double kSpikeOfChange = 0.25, kSpikeOfMoment = 0.01, kSharper = 4;

double largest(const Eigen::Ref<const Eigen::RowVectorXd>& row) {
  return row.cwiseAbs().maxCoeff();
}

Verdict judge(const JointAnswer& answer) {
  const double other = std::max(answer.filter, answer.inertia);
  if (answer.most <= other) return Verdict::below;
  return answer.least <= other ? Verdict::may_matter : Verdict::matters;
}

/// How far sample k is from the mean of its neighbours.
double jump_at(const MatX& table, Eigen::Index row, Eigen::Index k) {
  return std::abs(table(row, k) - 0.5 * (table(row, k - 1) + table(row, k + 1)));
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::no_effect:
      return "no effect";
    case Verdict::small_moment:
      return "small moment";
    case Verdict::below:
      return "below";
    case Verdict::may_matter:
      return "may matter";
    case Verdict::matters:
      return "matters";
  }
  return "";
}

JointAnswer judge_joint(const InertiaComparison& comparison, const InertiaUncertainty& uncertainty,
                        Eigen::Index coordinate, double scale) {
  const auto bones = comparison.bones.row(coordinate);
  JointAnswer out;
  out.moment = largest(bones);
  const double change = largest(comparison.muscles.row(coordinate) - bones);
  if (change <= kNothing * scale) return out;
  if (out.moment < kSmallMoment * scale) {
    out.verdict = Verdict::small_moment;
    return out;
  }
  out.change = change / out.moment;
  out.least = out.most = out.change;
  for (const MatX& other : uncertainty.assumptions) {
    const double part = largest(other.row(coordinate) - bones) / out.moment;
    out.least = std::min(out.least, part);
    out.most = std::max(out.most, part);
  }
  out.filter =
      largest(uncertainty.high_cutoff.row(coordinate) - uncertainty.low_cutoff.row(coordinate)) /
      out.moment;
  out.inertia = largest(uncertainty.inertia.row(coordinate)) / out.moment;
  out.verdict = judge(out);
  return out;
}

std::vector<MomentSpike> find_spikes(const MatX& first, const MatX& second) {
  const MatX change = second - first;
  std::vector<MomentSpike> out;
  for (Eigen::Index row = 0; row < change.rows(); ++row) {
    const double most = largest(change.row(row)), moment = largest(first.row(row));
    if (moment == 0) continue;
    MomentSpike spike{row, -1, std::max(kSpikeOfChange * most, kSpikeOfMoment * moment)};
    for (Eigen::Index k = 1; k + 1 < change.cols(); ++k) {
      const double size = jump_at(change, row, k);
      const double usual = jump_at(first, row, k) / moment * most;
      if (size > spike.size && size > kSharper * usual) spike = {row, k, size};
    }
    if (spike.sample >= 0) out.push_back(spike);
  }
  return out;
}

}  // namespace sinew
