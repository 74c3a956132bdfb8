#include "sinew/math/time_table.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sinew/core/error.hpp"

namespace sinew {
namespace time_table_test {

VecX scalar(double value) { return VecX::Constant(1, value); }

TimeTable three_rows(TimeTable::Interpolation interpolation) {
  return TimeTable::FromRows({0, 3, 6}, {scalar(1), scalar(4), scalar(-2)}, interpolation,
                             "torque");
}

TEST(TimeTable, ConstantHoldsAtAllTimes) {
  const TimeTable table = TimeTable::Constant(Vec3(1, 2, 3));
  VecX out(3);
  for (const double t : {-1e9, 0.0, 2.5}) {
    table.evaluate(t, out);
    EXPECT_EQ(out, Vec3(1, 2, 3));
  }
  EXPECT_EQ(table.width(), 3);
  EXPECT_TRUE(table.breakpoints().empty());
}

TEST(TimeTable, StepsHoldFromEachRowToTheNext) {
  const TimeTable table = three_rows(TimeTable::Interpolation::step);
  EXPECT_EQ(table.evaluate_scalar(-5), 1);
  EXPECT_EQ(table.evaluate_scalar(0), 1);
  EXPECT_EQ(table.evaluate_scalar(2.999), 1);
  EXPECT_EQ(table.evaluate_scalar(3), 4);
  EXPECT_EQ(table.evaluate_scalar(5.999), 4);
  EXPECT_EQ(table.evaluate_scalar(6), -2);
  EXPECT_EQ(table.evaluate_scalar(1e9), -2);
  EXPECT_EQ(table.breakpoints(), (std::vector<double>{0, 3, 6}));
}

TEST(TimeTable, LinesJoinTheRowsAndEndsAreHeld) {
  const TimeTable table = three_rows(TimeTable::Interpolation::linear);
  EXPECT_EQ(table.evaluate_scalar(-1), 1);
  EXPECT_DOUBLE_EQ(table.evaluate_scalar(1), 2);
  EXPECT_DOUBLE_EQ(table.evaluate_scalar(4.5), 1);
  EXPECT_DOUBLE_EQ(table.evaluate_scalar(3), 4);
  EXPECT_EQ(table.evaluate_scalar(7), -2);
}

TEST(TimeTable, StepIsReachedHoweverMultiplesOfTheTimeStepWereRounded) {
  // 0.001 added up 3000 times is 2.99999999999978.
  const TimeTable table = three_rows(TimeTable::Interpolation::step);
  double t = 0;
  for (int k = 0; k < 3000; ++k) t += 0.001;
  ASSERT_LT(t, 3);
  EXPECT_EQ(table.evaluate_scalar(t), 4);
  EXPECT_EQ(table.evaluate_scalar(3 * (1 - 1e-11)), 1) << "the hair is no wider than it says";
}

TEST(TimeTable, RefusesBadRowsNamingTheElement) {
  const auto step = TimeTable::Interpolation::step;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect_error = [&](std::vector<double> times, std::vector<VecX> values,
                                const std::string& part) {
    try {
      TimeTable::FromRows(std::move(times), std::move(values), step, "torque 'hip'");
      ADD_FAILURE() << "expected an error about: " << part;
    } catch (const Error& e) {
      EXPECT_EQ(e.element(), "torque 'hip'");
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  expect_error({}, {}, "empty");
  expect_error({0, 1}, {scalar(1)}, "2 times but 1 values");
  expect_error({0, 0}, {scalar(1), scalar(2)}, "row 2");
  expect_error({1, 0}, {scalar(1), scalar(2)}, "not later");
  expect_error({0, nan}, {scalar(1), scalar(2)}, "not finite");
  expect_error({0, 1}, {scalar(1), scalar(nan)}, "not finite");
  expect_error({0, 1}, {scalar(1), VecX::Zero(2)}, "row 2");
  expect_error({0}, {VecX()}, "at least one");
}

}  // namespace time_table_test
}  // namespace sinew
