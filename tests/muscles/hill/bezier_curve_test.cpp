#include "sinew/muscles/hill/bezier_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/muscles/hill/hill_curves.hpp"
#include "support/finite_difference.hpp"
#include "support/reference.hpp"

namespace sinew {
namespace bezier_curve_test {

TEST(BezierCurve, DefaultsAreThoseOfMillardAndOthers) {
  SINEW_NEEDS_REFERENCE();
  Millard2012Shape shape;
  shape.min_active_force = 0.1;
  const Millard2012Curves curves(shape);
  shape.concentric_slope_at_vmax = shape.eccentric_slope_at_vmax = 0.1;
  const Millard2012Curves invertible(shape);
  const auto table = test::reference_csv("opensim/millard_default_curves.csv");
  double error = 0;
  for (const auto& row : table.rows) {
    const auto value = [&](const char* name) { return row[table.column(name)]; };
    const auto compare = [&](const CurvePoint& p, const char* y, const char* dy) {
      error = std::max({error, std::abs(p.y - value(y)), std::abs(p.dy - value(dy))});
    };
    compare(curves.active.at(value("lN")), "fal", "dfal");
    compare(curves.passive.at(value("lN")), "fpe", "dfpe");
    compare(curves.velocity.at(value("vN")), "fv", "dfv");
    compare(curves.tendon.at(value("tN")), "fse", "dfse");
    error =
        std::max(error, std::abs(invertible.velocity.inverse(value("fvi_in")).y - value("fvinv")));
  }
  // OpenSim finds the curve's parameter to 2e-14; the steepest slope's change makes 2e-11 of it.
  EXPECT_LT(error, 1e-10);
}

TEST(BezierCurve, DerivativesAreThoseOfItsValues) {
  const Millard2012Curves curves;
  for (const BezierCurve* c : {&curves.active, &curves.passive, &curves.velocity, &curves.tendon}) {
    // between knots: at them the third derivative jumps
    for (const double x : {-0.93, -0.5, -0.11, 0.4, 0.95, 0.5, 0.66, 0.79, 1.007, 1.03, 1.3, 1.7}) {
      const auto f = [&](const VecX& at) { return VecX{{c->at(at[0]).y, c->at(at[0]).dy}}; };
      const CurvePoint p = c->at(x);
      const auto sweep = check_derivative(f, VecX::Constant(1, x), MatX{{p.dy}, {p.d2y}});
      // Sections are narrow: the best step is small and rounding keeps 1e-6.
      EXPECT_LT(sweep.best_error, 1e-6) << x << "\n" << sweep.table();
    }
  }
}

TEST(BezierCurve, JoinsItsSectionsAndItsStraightEndsWithoutAKink) {
  const BezierCurve curve("test", {{0, 0, 0.1}, {1, 1, 2}, {2, 1.8, 0.2}}, {0.3, 0.8});
  for (const double knot : {0.0, 1.0, 2.0}) {
    const double e = 1e-9;
    const CurvePoint before = curve.at(knot - e), after = curve.at(knot + e);
    EXPECT_NEAR(before.y, after.y, 1e-8);
    EXPECT_NEAR(before.dy, after.dy, 1e-7);
    // y″ is zero at a knot and grows like the square root nowhere: linear in the distance.
    EXPECT_NEAR(before.d2y, 0, 1e-5);
    EXPECT_NEAR(after.d2y, 0, 1e-5);
  }
  EXPECT_NEAR(curve.at(-3).y, -0.3, 1e-15);
  EXPECT_NEAR(curve.at(4).y, 2.2, 1e-15);
}

TEST(BezierCurve, InverseUndoesIt) {
  Millard2012Shape shape;
  shape.concentric_slope_at_vmax = shape.eccentric_slope_at_vmax = 0.1;
  const Millard2012Curves curves(shape);
  for (double v = -3; v < 3; v += 0.0173) {
    const CurvePoint p = curves.velocity.at(v), inverse = curves.velocity.inverse(p.y);
    EXPECT_NEAR(inverse.y, v, 1e-13);
    EXPECT_NEAR(inverse.dy * p.dy, 1, 1e-10);
  }
}

TEST(BezierCurve, RefusesCornersOutsideTheirSection) {
  EXPECT_THROW(BezierCurve("test", {{0, 0, 0.5}, {1, 1, 0.6}}, {0.5}), Error);
  EXPECT_THROW(BezierCurve("test", {{1, 0, 0}, {0, 1, 2}}, {0.5}), Error);
  Millard2012Shape shape;
  shape.transition_length = 0.3;  // before the least active length
  EXPECT_THROW(Millard2012Curves{shape}, Error);
}

}  // namespace bezier_curve_test
}  // namespace sinew
