#include "sinew/muscles/wrap/geodesic.hpp"

#include "sinew/core/error.hpp"

namespace sinew::geodesic {

SpanSolution pack(const Found& found) {
  SpanSolution solution;
  solution.status = SpanStatus::wrapped;
  solution.count = 22;
  double* at = solution.unknowns.data();
  for (int k = 0; k < 4; ++k) *at++ = found.u[k];
  *at++ = found.s;
  *at++ = found.in_band;
  for (int k = 0; k < 16; ++k) *at++ = found.inverse(k);
  return solution;
}

Found unpack(const SpanSolution& solution) {
  Found found;
  const double* at = solution.unknowns.data();
  for (int k = 0; k < 4; ++k) found.u[k] = *at++;
  found.s = *at++;
  found.in_band = *at++;
  for (int k = 0; k < 16; ++k) found.inverse(k) = *at++;
  return found;
}

void validate_band(double band, const std::string& element) {
  if (!(band > 0 && band <= kMaxBand))
    throw Error(element,
                "the band must be within (0, " + std::to_string(kMaxBand) + "] rad, not " +
                    std::to_string(band),
                "0.07 rad suits steps up to 1 ms, 0.1 to 0.14 rad longer ones");
}

}  // namespace sinew::geodesic
