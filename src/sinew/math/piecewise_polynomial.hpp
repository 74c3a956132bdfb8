#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace sinew {

/// A function of one argument that is a polynomial between neighbouring knots and beyond the
/// outermost ones: splines and tables of all kinds. Copies share their numbers.
class PiecewisePolynomial {
 public:
  static constexpr int kMaxDegree = 7;

  /// Straight lines through the points; the first and the last continue outside.
  static PiecewisePolynomial Linear(std::vector<double> x, const std::vector<double>& y);

  /// The cubic spline of Forsythe, Malcolm and Moler (Computer Methods for Mathematical
  /// Computations, 1977, section 4.4): interpolating, f''' in the first and last interval that of
  /// the cubic through the four points there. Outside it continues as a straight line, so that f''
  /// jumps at the ends.
  static PiecewisePolynomial EndCubic(std::vector<double> x, const std::vector<double>& y);

  /// The natural spline of degree 2m − 1, m = 1 … 4: of all interpolating functions the one with
  /// the least ∫(f⁽ᵐ⁾)². Outside it is a polynomial of degree m − 1. At most 200 points.
  static PiecewisePolynomial Natural(std::vector<double> x, const std::vector<double>& y, int m);

  /// Empty if the points made a function; otherwise their defect.
  const std::string& defect() const { return data_->defect; }
  const std::vector<double>& knots() const { return data_->x; }

  /// f, f', f'' and f''' at x; at a jump the values from the right, but at the last knot those from
  /// the left.
  std::array<double, 4> derivatives(double x) const;

  PiecewisePolynomial scaled(double factor) const;

 private:
  using Coefficients = std::array<double, kMaxDegree + 1>;  ///< for powers of x − its knot

  struct Data {
    Data(std::vector<double> knots, const std::vector<double>& y);  ///< straight lines
    std::vector<double> x;
    std::vector<Coefficients> pieces;  ///< before the first knot, between knots, after the last
    std::string defect;
  };
  explicit PiecewisePolynomial(Data data) : data_(std::make_shared<Data>(std::move(data))) {}

  std::shared_ptr<const Data> data_;
};

}  // namespace sinew
