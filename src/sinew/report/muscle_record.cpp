#include "sinew/report/muscle_record.hpp"

#include <cmath>
#include <limits>

namespace sinew {
namespace {

using nlohmann::ordered_json;

Eigen::Index index(size_t i) { return static_cast<Eigen::Index>(i); }

/// OpenSim's tables, <motion>_MuscleAnalysis_<quantity>.
class AnalysisTables {
 public:
  AnalysisTables(const MuscleStudy& motion, const std::string& stem, ResultFolder& folder)
      : motion_(motion), stem_(stem), folder_(folder) {}

  void write(const StudiedMuscles& source) {
    add("Length", source.names, motion_.length);
    add("LengtheningSpeed", source.names, motion_.rate);
    std::vector<std::string> driven;
    for (const size_t i : motion_.driven) driven.push_back(source.names[i]);
    const Eigen::Index n = index(driven.size()), samples = index(motion_.times.size());
    MatX values(n, samples), tension(n, samples);
    for (Eigen::Index d = 0; d < n; ++d)
      for (Eigen::Index k = 0; k < samples; ++k) tension(d, k) = instant(d, k).values.tendon_force;
    for (const MuscleQuantity& quantity : hill_quantities()) {
      for (Eigen::Index d = 0; d < n; ++d)
        for (Eigen::Index k = 0; k < samples; ++k) values(d, k) = quantity.of(instant(d, k));
      if (n > 0) add(quantity.name, driven, values);
    }
    for (size_t c = 0; c < source.coordinates().size(); ++c) {
      const std::string& name = source.coordinates()[c].name;
      if (!matters(motion_.effective_arms[c]) && !matters(motion_.geometric_arms[c])) continue;
      add("MomentArm_" + name, source.names, motion_.effective_arms[c]);
      if (motion_.coupled)
        add("GeometricMomentArm_" + name, source.names, motion_.geometric_arms[c]);
      for (Eigen::Index d = 0; d < n; ++d)
        values.row(d) = motion_.effective_arms[c]
                            .row(index(motion_.driven[static_cast<size_t>(d)]))
                            .leftCols(samples)
                            .cwiseProduct(tension.row(d));
      if (n > 0) add("Moment_" + name, driven, values);
    }
  }

 private:
  const HillInstant& instant(Eigen::Index d, Eigen::Index k) const {
    return motion_.hill[static_cast<size_t>(d)][static_cast<size_t>(k)];
  }

  /// Moment arms about a coordinate that only carries muscles along are rounding.
  bool matters(const MatX& arms) const {
    return arms.leftCols(index(motion_.times.size())).cwiseAbs().maxCoeff() > 1e-12;
  }

  void add(const std::string& quantity, const std::vector<std::string>& labels,
           const MatX& values) {
    TableWriter& table = folder_.add(stem_ + "_MuscleAnalysis_" + quantity, quantity, labels);
    for (size_t k = 0; k < motion_.times.size(); ++k) {
      const VecX column = values.col(index(k));
      table.add_row(motion_.times[k], {{column.data(), labels.size()}});
    }
    table.close();
  }

  const MuscleStudy& motion_;
  std::string stem_;
  ResultFolder& folder_;
};

}  // namespace

void write_muscle_tables(const StudiedMuscles& source, const MuscleStudy& study,
                         const std::string& stem, ResultFolder& folder) {
  AnalysisTables(study, stem, folder).write(source);
}

ordered_json describe_muscle_study(const StudiedMuscles& source, const MuscleStudy& motion) {
  ordered_json out = ordered_json::array();
  const Eigen::Index samples = index(motion.times.size());
  size_t d = 0;
  for (size_t i = 0; i < source.names.size(); ++i) {
    const auto length = motion.length.row(index(i)).leftCols(samples);
    ordered_json entry = {
        {"name", source.names[i]},
        {"shortest", length.minCoeff()},
        {"longest", length.maxCoeff()},
        {"fastest", motion.rate.row(index(i)).leftCols(samples).cwiseAbs().maxCoeff()}};
    if (d < motion.driven.size() && motion.driven[d] == i) {
      double shortest = std::numeric_limits<double>::infinity(), longest = 0, force = 0, power = 0;
      int clamped = 0, lost = 0;
      for (const HillInstant& instant : motion.hill[d++]) {
        shortest = std::min(shortest, instant.values.norm_fibre_length);
        longest = std::max(longest, instant.values.norm_fibre_length);
        force = std::max(force, instant.values.tendon_force);
        power = std::max(power, std::abs(instant.muscle_power));
        clamped += instant.status == HillStatus::clamped;
        lost +=
            instant.status == HillStatus::at_rest || instant.status == HillStatus::no_equilibrium;
      }
      entry.update({{"shortest_norm_fibre", shortest},
                    {"longest_norm_fibre", longest},
                    {"largest_tendon_force", force},
                    {"largest_power", power},
                    {"instants_at_least_fibre_length", clamped},
                    {"instants_without_equilibrium", lost}});
    }
    out.push_back(entry);
  }
  return out;
}

}  // namespace sinew
