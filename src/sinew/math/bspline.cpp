#include "sinew/math/bspline.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

using Cubic = std::array<double, 4>;

/// (a + b u) p(u) added to `sum`; p has degree 2 at most.
void add_linear_times(double a, double b, const Cubic& p, Cubic& sum) {
  for (size_t k = 0; k < 4; ++k) sum[k] += a * p[k] + (k > 0 ? b * p[k - 1] : 0);
}

}  // namespace

CubicBSpline CubicBSpline::Uniform(int control_values, SplineEnds ends) {
  return Even(0, ends == SplineEnds::open ? control_values - 3 : control_values, control_values,
              ends);
}

CubicBSpline CubicBSpline::Even(double begin, double end, int control_values, SplineEnds ends) {
  const bool open = ends == SplineEnds::open;
  const int spans = open ? control_values - 3 : control_values;
  std::vector<double> knots;
  for (int k = open ? -3 : 0; k <= control_values; ++k)
    knots.push_back(begin + (end - begin) * k / spans);
  return CubicBSpline(control_values, ends, knots);
}

CubicBSpline::CubicBSpline(int control_values, SplineEnds ends, const std::vector<double>& knots)
    : n_(control_values), ends_(ends) {
  std::vector<double> t = knots;
  if (ends == SplineEnds::cyclic) {
    // Three more knots on either side, shifted by the period.
    const double period = knots.back() - knots.front();
    const size_t n = static_cast<size_t>(control_values);
    for (size_t k = 1; k <= 3; ++k) t.push_back(knots[k] + period);
    t.insert(t.begin(), {knots[n - 3] - period, knots[n - 2] - period, knots[n - 1] - period});
  }
  const int span_count = static_cast<int>(t.size()) - 7;
  for (int k = 0; k < span_count; ++k) add_span(t.data() + k);
  breaks_.assign(t.begin() + 3, t.end() - 3);
}

std::string CubicBSpline::knot_defect(int control_values, SplineEnds ends,
                                      const std::vector<double>& knots) {
  if (control_values < 4) return "fewer than 4 control values";
  const bool open = ends == SplineEnds::open;
  const size_t expected = static_cast<size_t>(control_values) + (open ? 4 : 1);
  if (knots.size() != expected)
    return std::to_string(knots.size()) + " knots given where " + std::to_string(expected) +
           " are needed";
  for (size_t k = 0; k < knots.size(); ++k)
    if (!std::isfinite(knots[k])) return "knot " + std::to_string(k + 1) + " is not finite";
  for (size_t k = 1; k < knots.size(); ++k) {
    const bool may_repeat = open && (k <= 3 || k + 3 >= knots.size());
    if (knots[k] < knots[k - 1] || (knots[k] == knots[k - 1] && !may_repeat))
      return "knots do not increase from number " + std::to_string(k) + " to " +
             std::to_string(k + 1);
  }
  return {};
}

// On the span [t₃, t₄] of eight knots, Cox and de Boor's recursion
//     N_i^p(q) = (q − t_i)/(t_{i+p} − t_i) N_i^{p−1} + (t_{i+p+1} − q)/(t_{i+p+1} − t_{i+1})
//     N_{i+1}^{p−1}
// carried out on polynomials in u = (q − t₃)/(t₄ − t₃). Every denominator contains the span, so
// none is zero even where knots outside the range repeat.
void CubicBSpline::add_span(const double* t) {
  const double start = t[3], width = t[4] - t[3];
  std::array<Cubic, 5> N{};  // N[r] is N_{3−p+r}^p; the extra entry stays zero
  N[0] = {1, 0, 0, 0};
  for (int p = 1; p <= 3; ++p) {
    std::array<Cubic, 5> next{};
    for (int r = 0; r <= p; ++r) {
      const int i = 3 - p + r;
      if (r > 0) {
        const double scale = 1 / (t[i + p] - t[i]);
        add_linear_times((start - t[i]) * scale, width * scale, N[r - 1], next[r]);
      }
      if (r < p) {
        const double scale = 1 / (t[i + p + 1] - t[i + 1]);
        add_linear_times((t[i + p + 1] - start) * scale, -width * scale, N[r], next[r]);
      }
    }
    N = next;
  }
  spans_.push_back({start, width, {N[0], N[1], N[2], N[3]}});
}

/// The last break at or before q; outside the range (and for NaN) the span at that end. Of many
/// even spans it is found without a search, which would touch memory all over.
size_t CubicBSpline::span_at(double q) const {
  constexpr size_t kMany = 64;
  if (spans_.size() > kMany) {
    const auto count = static_cast<double>(spans_.size());
    const double part = (q - begin()) / (end() - begin()) * count;
    if (part > 0 && part < count) {
      const auto guess = static_cast<size_t>(part);
      if (breaks_[guess] <= q && q < breaks_[guess + 1]) return guess;
    }
  }
  const auto above = std::upper_bound(breaks_.begin() + 1, breaks_.end() - 1, q);
  return static_cast<size_t>(above - breaks_.begin()) - 1;
}

CubicBasis CubicBSpline::basis(double q) const {
  if (ends_ == SplineEnds::cyclic) {
    const double period = end() - begin();
    q -= period * std::floor((q - begin()) / period);
  }
  const size_t k = span_at(q);
  const Span& span = spans_[k];
  const double u = (q - span.start) / span.width;
  const double w1 = 1 / span.width, w2 = w1 * w1, w3 = w2 * w1;
  CubicBasis out;
  out.first = static_cast<int>(k);
  for (size_t i = 0; i < 4; ++i) {
    const Cubic& c = span.coefficients[i];
    out.d[0][i] = ((c[3] * u + c[2]) * u + c[1]) * u + c[0];
    out.d[1][i] = ((3 * c[3] * u + 2 * c[2]) * u + c[1]) * w1;
    out.d[2][i] = (6 * c[3] * u + 2 * c[2]) * w2;
    out.d[3][i] = 6 * c[3] * w3;
  }
  return out;
}

CubicBasis CubicBSpline::cumulative_basis(double q) const {
  CubicBasis out = basis(q);
  for (auto& row : out.d) {
    row[2] += row[3];
    row[1] += row[2];
    row[0] = 0;
  }
  out.d[0][0] = 1;
  return out;
}

std::array<std::array<double, 4>, 4> tensor_product(const CubicBasis& along_columns,
                                                    const CubicBasis& along_rows,
                                                    const MatX& grid) {
  std::array<std::array<double, 4>, 4> f{};
  for (int i = 0; i < 4; ++i) {
    const Eigen::Index row = (along_rows.first + i) % grid.rows();
    for (size_t a = 0; a < 4; ++a) {
      double sum = 0;  // ∂ᵃ/∂q₁ᵃ of this row
      for (int j = 0; j < 4; ++j)
        sum += along_columns.d[a][j] * grid(row, (along_columns.first + j) % grid.cols());
      for (size_t b = 0; b < 4; ++b) f[a][b] += along_rows.d[b][i] * sum;
    }
  }
  return f;
}

}  // namespace sinew
