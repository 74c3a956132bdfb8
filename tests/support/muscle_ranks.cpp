#include "support/muscle_ranks.hpp"

#include "support/reference.hpp"

namespace sinew::test {

RankedModel ranked_reference(const std::string& name) {
  const auto file = *reference_dir() / "opensim/models" / (name + ".osim");
  return ranked_model(studied_muscles(load_model(file.string())), {});
}

std::map<std::string, double> ranks_of(const RankedModel& model, std::uint64_t seed, int poses) {
  RankOptions options{.range = model.range, .mirror = model.mirror, .seed = seed};
  options.poses = poses;
  std::map<std::string, double> out;
  for (const MuscleRank& rank : rank_muscles(model.ranked, options).ranks)
    out[model.ranked.system.muscles()[static_cast<size_t>(rank.muscle)]->name()] = rank.percentile;
  return out;
}

double largest_disagreement(const RankedModel& model) {
  const std::map<std::string, double> ranks[] = {ranks_of(model, 1), ranks_of(model, 2),
                                                 ranks_of(model, 3)};
  double out = 0;
  for (const auto& a : ranks)
    for (const auto& b : ranks)
      for (const auto& [i, a_i] : a)
        for (const auto& [j, a_j] : a)
          if (a_i > a_j && b.at(i) < b.at(j)) out = std::max(out, 1 - a_j / a_i);
  return out;
}

}  // namespace sinew::test
