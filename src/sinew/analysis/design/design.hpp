#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinew/analysis/design/distribution.hpp"
#include "sinew/math/sobol_sequence.hpp"

/// Which points a study computes. Point i depends on the design and on i alone.

namespace sinew {

struct DesignOptions {
  enum class Kind {
    grid,             ///< every combination of the values of choices, the last parameter fastest
    list,             ///< the points of a table
    random,           ///< independent points
    latin_hypercube,  ///< one point in each of as many parts of each parameter's distribution
    sobol,            ///< Sobol's sequence, scrambled
    saltelli,         ///< what first-order and total indices need: Sobol's points in blocks
  };
  Kind kind = Kind::random;
  std::uint64_t runs = 1;  ///< of a Saltelli design the number of its base points
  std::uint64_t seed = 1;

  /// "grid", "list", …
  static const std::vector<std::string>& names();
};

class Design {
 public:
  static constexpr std::uint64_t kMostRuns = 1000000000;

  /// `table`: the points of a list, one after the other. Throws an Error where the design makes no
  /// sense: too many runs, grids of parameters that are no choices.
  Design(const DesignOptions& options, std::vector<Distribution> parameters,
         std::vector<double> table = {});

  const DesignOptions& options() const { return options_; }
  const std::vector<Distribution>& parameters() const { return parameters_; }
  /// Number of points.
  std::uint64_t count() const { return count_; }
  /// Whether the first points stay the same when there are more of them.
  bool grows() const;
  /// Values of the parameters at point i.
  std::vector<double> point(std::uint64_t i) const;

  // Of a Saltelli design with k parameters, base point b: run b (k + 2) is A, the next is B, then
  // come A with parameter j of B, one for each j.
  std::uint64_t block() const { return parameters_.size() + 2; }

 private:
  double share(std::uint64_t i, size_t j) const;

  DesignOptions options_;
  std::vector<Distribution> parameters_;
  std::vector<double> table_;
  std::uint64_t count_ = 0;
  std::optional<SobolSequence> sobol_;
};

}  // namespace sinew
