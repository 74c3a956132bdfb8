#include "sinew/view/playback.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/view/pose.hpp"

namespace sinew {

Playback::Playback(std::string name, Motion motion)
    : name_(std::move(name)), motion_(std::move(motion)) {
  if (motion_.empty()) throw Error(name_, "has no rows", "give a motion");
}

void Playback::show(const System& system, double t, State& state, Workspace& ws) const {
  t = std::clamp(t, start(), end());
  const auto after = std::upper_bound(motion_.begin(), motion_.end(), t,
                                      [](double at, const MotionSample& s) { return at < s.t; });
  const MotionSample& b = after == motion_.end() ? motion_.back() : *after;
  const MotionSample& a = after == motion_.begin() ? b : *(after - 1);
  const double h = b.t - a.t, s = h > 0 ? (t - a.t) / h : 0;
  const Eigen::Index n = a.q.size();
  state.t = t;
  state.memory = {};
  const double s2 = s * s, s3 = s2 * s;
  state.q.head(n) = (1 - 3 * s2 + 2 * s3) * a.q + (3 * s2 - 2 * s3) * b.q +
                    h * (s - 2 * s2 + s3) * a.qdot + h * (s3 - s2) * b.qdot;
  state.qdot.head(n) = (1 - 4 * s + 3 * s2) * a.qdot + (3 * s2 - 2 * s) * b.qdot;
  if (h > 0) state.qdot.head(n) += 6 * (s - s2) / h * (b.q - a.q);
  settle_fibres(system, state, ws);
}

}  // namespace sinew
