#include "sinew/math/bspline.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random.hpp"

namespace sinew {
namespace bspline_test {

const std::vector<double> kKnots{-2, -1.5, -0.3, 0, 0.8, 1, 2.5, 2.6, 3, 5};  // open, 6 values
const std::vector<double> kClamped{0, 0, 0, 0, 0.7, 1.8, 3, 3, 3, 3};         // open, 6 values
const std::vector<double> kLoop{-1, 0, 0.7, 2, 2.2, 3.1, 4};                  // cyclic, 6 values

double value(const CubicBasis& basis, const VecX& control, int derivative) {
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += basis.d[derivative][i] * control[(basis.first + i) % control.size()];
  return sum;
}

/// Control values of the polynomial q³ (its blossom): c_i = t_{i+1} t_{i+2} t_{i+3}.
VecX blossom_of_cube(const std::vector<double>& t) {
  VecX c(static_cast<Eigen::Index>(t.size()) - 4);
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const auto k = static_cast<size_t>(i);
    c[i] = t[k + 1] * t[k + 2] * t[k + 3];
  }
  return c;
}

// Wang et al. 2019 Eq 53.
TEST(BSpline, UniformBasisIsTheUsualMatrix) {
  const CubicBSpline open = CubicBSpline::Uniform(7, SplineEnds::open);
  const CubicBSpline loop = CubicBSpline::Uniform(7, SplineEnds::cyclic);
  Mat4 B;
  B << 1, -3, 3, -1, 4, 0, -6, 3, 1, 3, 3, -3, 0, 0, 0, 1;
  for (const double u : {0.0, 0.25, 0.9}) {
    const Eigen::Vector4d expected = B / 6 * Eigen::Vector4d(1, u, u * u, u * u * u);
    const Eigen::Vector4d slope = B / 6 * Eigen::Vector4d(0, 1, 2 * u, 3 * u * u);
    for (int k = 0; k < 4; ++k)
      for (const CubicBSpline* spline : {&open, &loop}) {
        const CubicBasis basis = spline->basis(k + u);
        EXPECT_EQ(basis.first, k);
        for (int i = 0; i < 4; ++i) {
          EXPECT_NEAR(basis.d[0][i], expected[i], 1e-15);  // rounding
          EXPECT_NEAR(basis.d[1][i], slope[i], 2e-15);
        }
      }
  }
  EXPECT_EQ(open.begin(), 0);
  EXPECT_EQ(open.end(), 4);
  EXPECT_EQ(loop.end(), 7);
}

TEST(BSpline, ReproducesCubicsWithinAndBeyondItsRange) {
  for (const auto& knots : {kKnots, kClamped}) {
    const CubicBSpline spline(6, SplineEnds::open, knots);
    const VecX c = blossom_of_cube(knots);
    for (double q = knots[3] - 1; q < knots[6] + 1; q += 0.0931) {
      const CubicBasis basis = spline.basis(q);
      // Rounding, relative to control values up to about 40 and basis values up to about 1e3
      // outside.
      EXPECT_NEAR(value(basis, c, 0), q * q * q, 1e-11) << q;
      EXPECT_NEAR(value(basis, c, 1), 3 * q * q, 1e-11) << q;
      EXPECT_NEAR(value(basis, c, 2), 6 * q, 1e-10) << q;
      EXPECT_NEAR(value(basis, c, 3), 6, 1e-9) << q;
    }
  }
}

TEST(BSpline, BasisIsPositiveAndSumsToOne) {
  const CubicBSpline open(6, SplineEnds::open, kKnots), loop(6, SplineEnds::cyclic, kLoop);
  for (const CubicBSpline* spline : {&open, &loop})
    for (double q = spline->begin(); q <= spline->end(); q += 0.0713) {
      const CubicBasis basis = spline->basis(q);
      for (int k = 0; k < 4; ++k) {
        double sum = 0;
        for (int i = 0; i < 4; ++i) {
          sum += basis.d[k][i];
          EXPECT_GE(basis.d[0][i], -1e-16);
        }
        // Derivatives of third order reach 1/(0.1)³ on the narrowest span.
        EXPECT_NEAR(sum, k == 0 ? 1 : 0, 1e-12);
      }
    }
}

TEST(BSpline, IsTwiceContinuouslyDifferentiableAtItsKnots) {
  const VecX c = test::Random(3).vecx(6, 1);
  const CubicBSpline open(6, SplineEnds::open, kKnots), loop(6, SplineEnds::cyclic, kLoop);
  for (const CubicBSpline* spline : {&open, &loop})
    for (const double knot : spline->breaks())
      for (int k = 0; k < 3; ++k) {
        const double step = 1e-12;
        const double before = value(spline->basis(knot - step), c, k);
        const double after = value(spline->basis(knot + step), c, k);
        // The third derivative reaches 1e3 on the narrow spans; times the step it is 1e-9.
        EXPECT_NEAR(before, after, 1e-8) << "knot " << knot << ", derivative " << k;
      }
}

TEST(BSpline, LoopRepeatsWithItsPeriod) {
  const VecX c = test::Random(4).vecx(6, 1);
  const CubicBSpline loop(6, SplineEnds::cyclic, kLoop);
  for (const double q : {-0.9, 0.1, 2.1, 3.7})
    for (const double turns : {-3.0, -1.0, 1.0, 1000.0})
      // Rounding of q itself, 1e3 periods away.
      EXPECT_NEAR(value(loop.basis(q + 5 * turns), c, 0), value(loop.basis(q), c, 0), 1e-11);
  EXPECT_EQ(loop.basis(4).first, 0);
  EXPECT_EQ(loop.basis(-1).first, 0);
}

TEST(BSpline, ClampedCurveStartsAndEndsInItsEndValues) {
  const CubicBSpline spline(6, SplineEnds::open, kClamped);
  const VecX c = test::Random(5).vecx(6, 1);
  EXPECT_NEAR(value(spline.basis(0), c, 0), c[0], 1e-15);
  EXPECT_NEAR(value(spline.basis(3), c, 0), c[5], 1e-15);
}

TEST(BSpline, CumulativeBasisSumsFromTheEnd) {
  const CubicBSpline spline(6, SplineEnds::open, kKnots);
  for (const double q : {-0.5, 0.3, 0.9, 2.0, 3.1}) {
    const CubicBasis plain = spline.basis(q), sums = spline.cumulative_basis(q);
    EXPECT_EQ(sums.first, plain.first);
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(sums.d[k][0], k == 0 ? 1 : 0);
      double sum = 0;
      for (int i = 3; i > 0; --i) EXPECT_EQ(sums.d[k][i], sum += plain.d[k][i]);
    }
    // Lee and Terzopoulos 2008 Eq 23: B̃'_j = 3/(t_{j+3} − t_j) B_{j,3}, whose sum over the
    // quadratics is 1.
    double quadratics = 0;
    for (int i = 1; i < 4; ++i) {
      const auto j = static_cast<size_t>(sums.first + i);
      quadratics += sums.d[1][i] * (kKnots[j + 3] - kKnots[j]) / 3;
    }
    EXPECT_NEAR(quadratics, 1, 1e-13);
  }
}

TEST(BSpline, TensorProductRunsQ1AlongColumns) {
  // Control values j − 1 make the coordinate itself; so this grid is f = q₁² − 1/3 + 10 q₂, because
  // the blossom of q² at integer knots is (j−1)² − 1/3.
  MatX grid(5, 6);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 6; ++j) grid(i, j) = (j - 1) * (j - 1) + 10 * (i - 1);
  const CubicBSpline columns = CubicBSpline::Uniform(6, SplineEnds::open);
  const CubicBSpline rows = CubicBSpline::Uniform(5, SplineEnds::open);
  for (const double q1 : {0.2, 1.7, 2.9})
    for (const double q2 : {0.4, 1.1}) {
      const auto f = tensor_product(columns.basis(q1), rows.basis(q2), grid);
      EXPECT_NEAR(f[0][0], q1 * q1 + 1.0 / 3 + 10 * q2, 1e-13);
      EXPECT_NEAR(f[1][0], 2 * q1, 1e-13);
      EXPECT_NEAR(f[0][1], 10, 1e-13);
      EXPECT_NEAR(f[2][0], 2, 1e-13);
      EXPECT_NEAR(f[1][1], 0, 1e-13);
      EXPECT_NEAR(f[3][0], 0, 1e-12);
    }
}

TEST(BSpline, SaysWhatIsWrongWithKnots) {
  const auto defect = [](int n, SplineEnds ends, const std::vector<double>& knots) {
    return CubicBSpline::knot_defect(n, ends, knots);
  };
  EXPECT_EQ(defect(6, SplineEnds::open, kKnots), "");
  EXPECT_EQ(defect(6, SplineEnds::open, kClamped), "");
  EXPECT_EQ(defect(6, SplineEnds::cyclic, kLoop), "");
  EXPECT_EQ(defect(3, SplineEnds::cyclic, {0, 1, 2, 3}), "fewer than 4 control values");
  EXPECT_EQ(defect(6, SplineEnds::open, kLoop), "7 knots given where 10 are needed");
  EXPECT_EQ(defect(4, SplineEnds::cyclic, {0, 1, 1, 2, 3}),
            "knots do not increase from number 2 to 3");
  // An inner knot may not repeat: the curve would lose its second derivative there.
  EXPECT_EQ(defect(6, SplineEnds::open, {0, 0, 0, 0, 1, 1, 3, 3, 3, 3}),
            "knots do not increase from number 5 to 6");
  EXPECT_EQ(defect(4, SplineEnds::cyclic, {0, 1, std::nan(""), 2, 3}), "knot 3 is not finite");
}

TEST(BSpline, PassesOnWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const CubicBSpline open(6, SplineEnds::open, kKnots), loop(6, SplineEnds::cyclic, kLoop);
  for (const CubicBSpline* spline : {&open, &loop})
    for (const double q : {std::nan(""), infinity, -infinity})
      EXPECT_FALSE(std::isfinite(spline->basis(q).d[0][0]));
}

}  // namespace bspline_test
}  // namespace sinew
