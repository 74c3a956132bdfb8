#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/math/types.hpp"

/// Cubic B-splines over any increasing knots, open or closed to a loop. A spline is Σ_i c_i B_i(q);
/// this file gives the four basis functions that are not zero at q, so that control values may be
/// numbers, grids of numbers or, in cumulative form, rigid frames.

namespace sinew {

enum class SplineEnds {
  open,   ///< n control values, n − 3 spans
  cyclic  ///< n control values, n spans, the last three reaching round to the first values
};

/// The basis functions of one span at one q. They belong to control values first, …, first + 3
/// (modulo their number if cyclic); all others are zero.
struct CubicBasis {
  int first = 0;
  std::array<std::array<double, 4>, 4> d{};  ///< d[k][i]: k-th derivative of the i-th of the four

  /// Value and first three derivatives of function i.
  std::array<double, 4> derivatives(int i) const { return {d[0][i], d[1][i], d[2][i], d[3][i]}; }
};

class CubicBSpline {
 public:
  CubicBSpline() = default;

  /// Knots 0, 1, 2, …: span k is [k, k + 1]; range [0, n − 3] open, period n cyclic.
  static CubicBSpline Uniform(int control_values, SplineEnds ends);

  /// Spans of equal width that fill [begin, end]; cyclic: the period.
  static CubicBSpline Even(double begin, double end, int control_values, SplineEnds ends);

  /// Open: n + 4 knots t₀ … t_{n+3} as in de Boor; range [t₃, tₙ], within which they increase.
  /// Beyond the range they may repeat: t₀ = t₁ = t₂ = t₃ starts the curve in its first control
  /// value. Cyclic: n + 1 increasing knots, range and period [t₀, tₙ]. Span k uses control values k
  /// … k + 3. Call only where knot_defect finds nothing.
  CubicBSpline(int control_values, SplineEnds ends, const std::vector<double>& knots);

  /// Empty if these knots make a spline; otherwise the defect ("knots do not increase", …).
  static std::string knot_defect(int control_values, SplineEnds ends,
                                 const std::vector<double>& knots);

  int control_values() const { return n_; }
  SplineEnds ends() const { return ends_; }
  int spans() const { return static_cast<int>(spans_.size()); }
  /// The ends of the range. Outside it, a cyclic spline repeats; an open one continues as the
  /// polynomial of its end span: still smooth, and it does not stop as a clamped one would.
  double begin() const { return breaks_.front(); }
  double end() const { return breaks_.back(); }
  /// The knots within the range, spans() + 1 of them.
  const std::vector<double>& breaks() const { return breaks_; }

  /// Cox and de Boor's B_i. Continuous to the second derivative; the third is a step function that
  /// takes its right-hand value at a knot. A q that is not finite gives values that are not finite.
  CubicBasis basis(double q) const;
  /// Cumulative form B̃_i = Σ_{l ≥ i} B_l of the same four; B̃₀ = 1 (Wang et al. 2019 Eq 57, Lee and
  /// Terzopoulos 2008 Eq 22).
  CubicBasis cumulative_basis(double q) const;

 private:
  /// B_i as polynomials of u = (q − start)/width: coefficients[i][k] uᵏ.
  struct Span {
    double start, width;
    std::array<std::array<double, 4>, 4> coefficients;
  };
  void add_span(const double* knots);
  size_t span_at(double q) const;

  int n_ = 0;
  SplineEnds ends_ = SplineEnds::open;
  std::vector<double> breaks_;
  std::vector<Span> spans_;
};

/// f(q₁, q₂) = Σ_ij B_i(q₂) C(i, j) B_j(q₁), q₁ along the columns and q₂ along the rows of the
/// grid: entry [a][b] is ∂^{a+b}f/∂q₁ᵃ∂q₂ᵇ. Indices wrap round the grid.
std::array<std::array<double, 4>, 4> tensor_product(const CubicBasis& along_columns,
                                                    const CubicBasis& along_rows, const MatX& grid);

}  // namespace sinew
