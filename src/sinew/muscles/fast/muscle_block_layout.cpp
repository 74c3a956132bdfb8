#include <algorithm>

#include "sinew/dynamics/attached_point.hpp"
#include "sinew/muscles/fast/muscle_block.hpp"
#include "sinew/muscles/fast/relative_motion.hpp"

namespace sinew {

std::shared_ptr<const MuscleBlock> MuscleBlock::Make(const Skeleton& skeleton,
                                                     const Muscle& muscle) {
  if (muscle.has_mass() && (!muscle.velocity_terms || muscle.mass_model != MassModel::continuous))
    return nullptr;
  MuscleBlock out;
  for (const PathPoint& path_point : muscle.points)
    if (path_point.terms.size() != 1 || !path_point.terms[0].weights.empty()) return nullptr;
  std::vector<std::array<std::vector<int>, 2>> plus, minus;
  for (size_t j = 0; j < muscle.spans.size(); ++j) {
    Span& span = out.spans_.emplace_back();
    for (size_t e = 0; e < 2; ++e) {
      const PathTerm& term = muscle.points[j + e].terms[0];
      const Pose E_LB = term.body == kWorld ? Pose() : skeleton.body(term.body).E_LB;
      span.end[e].link = link_of(skeleton, term.body);
      span.end[e].x_L = E_LB.R * term.x_B + E_LB.p;
    }
    if (std::holds_alternative<Straight>(muscle.spans[j].wrap)) {
      span.link = span.end[0].link;
    } else {
      const BodyIndex body = muscle.spans[j].body;
      const Pose E_LB = body == kWorld ? Pose() : skeleton.body(body).E_LB;
      span.link = link_of(skeleton, body);
      span.E_LS = E_LB * muscle.spans[j].E_BS;
    }
    const std::vector<int> of_frame = dofs_above(skeleton, span.link);
    auto& p = plus.emplace_back();
    auto& m = minus.emplace_back();
    for (size_t e = 0; e < 2; ++e) {
      const std::vector<int> of_end = dofs_above(skeleton, span.end[e].link);
      std::set_difference(of_end.begin(), of_end.end(), of_frame.begin(), of_frame.end(),
                          std::back_inserter(p[e]));
      std::set_difference(of_frame.begin(), of_frame.end(), of_end.begin(), of_end.end(),
                          std::back_inserter(m[e]));
      for (const auto* list : {&p[e], &m[e]})
        out.dofs_.insert(out.dofs_.end(), list->begin(), list->end());
    }
  }
  std::sort(out.dofs_.begin(), out.dofs_.end());
  out.dofs_.erase(std::unique(out.dofs_.begin(), out.dofs_.end()), out.dofs_.end());
  if (muscle.has_mass() && out.dofs_.size() > kMaxCoordinates) return nullptr;
  for (int dof : out.dofs_) out.link_of_dof_.push_back(skeleton.link_of_dof(dof));
  const auto place = [&](int dof) {
    return static_cast<int>(std::lower_bound(out.dofs_.begin(), out.dofs_.end(), dof) -
                            out.dofs_.begin());
  };
  for (size_t j = 0; j < out.spans_.size(); ++j)
    for (size_t e = 0; e < 2; ++e) {
      auto& columns = out.spans_[j].end[e].columns;
      for (int dof : plus[j][e]) columns.push_back({place(dof), 1});
      for (int dof : minus[j][e]) columns.push_back({place(dof), -1});
    }
  return std::make_shared<const MuscleBlock>(std::move(out));
}

}  // namespace sinew
