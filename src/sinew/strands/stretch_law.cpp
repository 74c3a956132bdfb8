#include "sinew/strands/stretch_law.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/muscles/hill/hill_curves.hpp"

namespace sinew {
namespace {

/// Energy per rest length, tension, and its slope.
struct ElasticPoint {
  double energy, tension, slope;
  int piece = 0;
};

ElasticPoint evaluate(const LinearStretch& law, double e) {
  return {0.5 * law.stiffness * e * e, law.stiffness * e, law.stiffness};
}

/// The energy is measured from the table's first strain.
ElasticPoint evaluate(const TableStretch& law, double e) {
  const std::vector<double>&x = law.strain, &y = law.tension;
  const auto slope_after = [&](size_t k) { return (y[k + 1] - y[k]) / (x[k + 1] - x[k]); };
  if (e < x[0]) {
    const double slope = slope_after(0), d = e - x[0];
    return {d * (y[0] + 0.5 * slope * d), y[0] + slope * d, slope};
  }
  double energy = 0;
  size_t k = 0;
  for (; k + 2 < x.size() && e >= x[k + 1]; ++k)
    energy += 0.5 * (x[k + 1] - x[k]) * (y[k] + y[k + 1]);
  const double slope = slope_after(k), d = e - x[k];
  return {energy + d * (y[k] + 0.5 * slope * d), y[k] + slope * d, slope, static_cast<int>(k)};
}

ElasticPoint evaluate(const TendonStretch& law, double e) {
  Thelen2003Curves curve;
  curve.tendon_strain = law.strain;
  const CurvePoint at = tendon_force_length(curve, 1 + e);
  if (e <= 0) return {0, 0, 0};
  // The toe: f = c (exp(k e) − 1), so f″ = k f′ there and 0 beyond; ∫f = (f − c k e)/k, and at its
  // end f = 0.33 with c = 0.33/(exp 3 − 1).
  const double c = 0.33 / (std::exp(3.0) - 1);
  if (at.d2y > 0) {
    const double k = at.d2y / at.dy;
    return {law.force * (at.y / k - c * e), law.force * at.y, law.force * at.dy};
  }
  const double over = (at.y - 0.33) / at.dy, toe = e - over, k = 3 / toe;
  const double energy = (0.33 / k - c * toe) + over * (0.33 + 0.5 * at.dy * over);
  return {law.force * energy, law.force * at.y, law.force * at.dy};
}

}  // namespace

Stretch evaluate(const StretchLaw& law, double strain, double rate) {
  Stretch out;
  if (law.slack && strain <= 0) return out;
  const auto point = [&](double e) {
    return std::visit([&](const auto& elastic) { return evaluate(elastic, e); }, law.elastic);
  };
  const ElasticPoint at = point(strain);
  out.energy = at.energy - point(0).energy;
  out.elastic = at.tension;
  out.tension = at.tension + law.damping * rate;
  out.by_strain = at.slope;
  out.by_rate = law.damping;
  constexpr int kDampings = 3;  // full, or cut off in either direction
  out.piece = 1 + kDampings * at.piece;
  if (!law.slack) return out;
  if (law.full_damping) {
    if (out.tension > 0) return out;
    out.tension = out.by_strain = out.by_rate = 0;
    out.piece = 0;
    return out;
  }
  if (std::abs(law.damping * rate) <= out.elastic) return out;
  const double share = rate < 0 ? 0 : 2;
  out.piece += rate < 0 ? 1 : 2;
  out.tension = share * out.elastic;
  out.by_strain = share * at.slope;
  out.by_rate = 0;
  return out;
}

void StretchLaw::validate(const std::string& element) const {
  const auto require = [&](bool good, const char* problem, const char* remedy) {
    if (!good) throw Error(element, problem, remedy);
  };
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (const auto* linear = std::get_if<LinearStretch>(&elastic))
    require(positive(linear->stiffness) || (full_damping && linear->stiffness == 0),
            "has a stiffness that is not positive",
            "give Young's modulus times the cross section, in N");
  if (const auto* tendon = std::get_if<TendonStretch>(&elastic))
    require(positive(tendon->force) && positive(tendon->strain),
            "has a tendon curve whose force or strain is not positive",
            "give the force in N, and the strain at it, such as 0.04");
  if (const auto* table = std::get_if<TableStretch>(&elastic)) {
    const size_t n = table->strain.size();
    require(n >= 2 && table->tension.size() == n, "has a table of fewer than two pairs",
            "give as many tensions as strains, at least two");
    for (size_t k = 0; k < n; ++k) {
      require(std::isfinite(table->strain[k]) && std::isfinite(table->tension[k]),
              "has a table with numbers that are not finite", "give finite numbers");
      require(k == 0 || table->strain[k] > table->strain[k - 1],
              "has a table whose strains do not increase", "sort them");
      require(k == 0 || table->tension[k] >= table->tension[k - 1],
              "has a table whose tensions fall", "a strand that softens tears at one place");
    }
    require(!slack || std::abs(evaluate(*table, 0).tension) == 0,
            "has a table that does not pass through zero strain at zero tension",
            "give the pair 0, 0, or let it push, too");
  }
  require(std::isfinite(damping) && damping >= 0, "has a damping that is not ≥ 0",
          "give it in N s, per rate of strain");
}

}  // namespace sinew
