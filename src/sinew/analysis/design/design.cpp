#include "sinew/analysis/design/design.hpp"

#include <utility>

#include "sinew/core/error.hpp"
#include "sinew/math/philox.hpp"

namespace sinew {
namespace {

using DesignKind = DesignOptions::Kind;

const Error too_many("design", "has more than 1000000000 runs",
                     "ask for fewer, or vary fewer parameters");

}  // namespace

const std::vector<std::string>& DesignOptions::names() {
  static const std::vector<std::string> kNames = {"grid",  "list",    "random", "latin-hypercube",
                                                  "sobol", "saltelli"};
  return kNames;
}

Design::Design(const DesignOptions& options, std::vector<Distribution> parameters,
               std::vector<double> table)
    : options_(options), parameters_(std::move(parameters)), table_(std::move(table)) {
  if (parameters_.empty()) throw Error("design", "has no parameters", "say what may vary");
  const size_t k = parameters_.size();
  switch (options_.kind) {
    case DesignKind::grid:
      count_ = 1;
      for (const Distribution& d : parameters_) {
        const auto* choice = std::get_if<Choice>(&d);
        if (choice == nullptr)
          throw Error("design", "a grid needs the values of every parameter",
                      "give each parameter \"values\", or choose another design");
        count_ *= choice->values.size();
        if (count_ > kMostRuns) throw too_many;
      }
      break;
    case DesignKind::list:
      if (table_.empty() || table_.size() % k != 0)
        throw Error("design", "a list has no points", "give a table with a column per parameter");
      count_ = table_.size() / k;
      break;
    case DesignKind::saltelli:
      count_ = options_.runs * block();
      sobol_.emplace(static_cast<int>(2 * k), options_.seed);
      break;
    case DesignKind::sobol:
      sobol_.emplace(static_cast<int>(k), options_.seed);
      count_ = options_.runs;
      break;
    case DesignKind::random:
    case DesignKind::latin_hypercube:
      count_ = options_.runs;
  }
  if (options_.runs > kMostRuns || count_ > kMostRuns) throw too_many;
  if (count_ == 0) throw Error("design", "has no runs", "give 'runs', 1 or more");
}

bool Design::grows() const {
  return options_.kind == DesignKind::random || options_.kind == DesignKind::sobol ||
         options_.kind == DesignKind::saltelli;
}

double Design::share(std::uint64_t i, size_t j) const {
  const auto parameter = static_cast<std::uint32_t>(j);
  switch (options_.kind) {
    case DesignKind::random:
      return RandomNumbers(options_.seed, RandomUse::points).uniform(i, parameter);
    case DesignKind::latin_hypercube: {
      const std::uint64_t stratum = permuted(i, count_, options_.seed, parameter);
      const double within = RandomNumbers(options_.seed, RandomUse::strata).uniform(i, parameter);
      return (static_cast<double>(stratum) + within) / static_cast<double>(count_);
    }
    case DesignKind::sobol:
      return sobol_->at(static_cast<std::uint32_t>(i), static_cast<int>(j));
    case DesignKind::saltelli: {
      const std::uint64_t base = i / block(), role = i % block();
      const bool of_b = role == 1 || role == j + 2;
      return sobol_->at(static_cast<std::uint32_t>(base),
                        static_cast<int>(of_b ? parameters_.size() + j : j));
    }
    case DesignKind::grid:
    case DesignKind::list:
      break;
  }
  return 0.5;
}

std::vector<double> Design::point(std::uint64_t i) const {
  const size_t k = parameters_.size();
  std::vector<double> out(k);
  if (options_.kind == DesignKind::list) {
    for (size_t j = 0; j < k; ++j) out[j] = table_[i * k + j];
  } else if (options_.kind == DesignKind::grid) {
    for (size_t j = k; j-- > 0;) {
      const std::vector<double>& values = std::get<Choice>(parameters_[j]).values;
      out[j] = values[i % values.size()];
      i /= values.size();
    }
  } else {
    for (size_t j = 0; j < k; ++j) out[j] = quantile(parameters_[j], share(i, j));
  }
  return out;
}

}  // namespace sinew
