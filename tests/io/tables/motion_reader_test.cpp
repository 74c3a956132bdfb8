#include "sinew/io/tables/motion_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <numbers>

#include "sinew/core/error.hpp"

namespace sinew {
namespace motion_reader_test {

using ::testing::HasSubstr;

class MotionReader : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) / (std::string(test->name()) + ".mot");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  /// 2 s of hip = 30° sin(2t), slide = 0.1 + t²/10, at 100 Hz.
  void write(const std::string& labels = "time\thip\tslide\n", int broken_row = -1) const {
    std::ofstream file(path_);
    file.precision(17);
    file << "swing\nversion=1\nnRows=201\nnColumns=3\ninDegrees=yes\nendheader\n" << labels;
    for (int k = 0; k <= 200; ++k) {
      const double t = 0.01 * k;
      file << t << '\t';
      if (k == broken_row)
        file << "NaN";
      else
        file << 30 * std::sin(2 * t);
      file << '\t' << 0.1 + t * t / 10 << '\n';
    }
  }
  std::string error(const MotionOptions& options = {}) const {
    try {
      read_motion(path_, {coordinates_}, options);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }

  std::filesystem::path path_;
  const std::vector<Coordinate> coordinates_ = [] {
    std::vector<Coordinate> out(3);
    out[0].name = "slide";
    out[0].kind = CoordinateKind::length;
    out[1].name = "hip";
    out[2].name = "knee";
    out[2].q0 = 0.4;
    return out;
  }();
};

TEST_F(MotionReader, HasRadiansAndDerivativesInTheOrderOfTheCoordinates) {
  write();
  const MotionReading reading = read_motion(path_, {coordinates_}, {});
  ASSERT_EQ(reading.motion.size(), 201u);
  const double A = std::numbers::pi / 6;
  for (const size_t k : {40u, 100u, 160u}) {
    const MotionSample& s = reading.motion[k];
    // Interpolation at 10 ms: sixth order in the middle.
    EXPECT_NEAR(s.q[1], A * std::sin(2 * s.t), 1e-12);
    EXPECT_NEAR(s.qdot[1], 2 * A * std::cos(2 * s.t), 1e-8);
    EXPECT_NEAR(s.qddot[1], -4 * A * std::sin(2 * s.t), 1e-5);
    EXPECT_NEAR(s.q[0], 0.1 + s.t * s.t / 10, 1e-12);
    EXPECT_NEAR(s.qddot[0], 0.2, 1e-6);
    EXPECT_EQ(s.q[2], 0.4);
    EXPECT_EQ(s.qdot[2], 0);
  }
  ASSERT_EQ(reading.warnings.size(), 1u);
  EXPECT_THAT(reading.warnings[0], HasSubstr("no column for knee"));
}

TEST_F(MotionReader, FiltersAsItIsTold) {
  write();
  for (const bool opensim : {false, true}) {
    const MotionReading reading =
        read_motion(path_, {coordinates_}, {.cutoff = 6, .opensim_filter = opensim});
    const MotionSample& s = reading.motion[100];
    EXPECT_NEAR(s.t, 1, 1e-9);
    // 1/π Hz is far below 6 Hz.
    EXPECT_NEAR(s.q[1], std::numbers::pi / 6 * std::sin(2.0), 1e-4);
  }
}

TEST_F(MotionReader, KeepsToTheTimesAskedFor) {
  write();
  const MotionReading reading = read_motion(path_, {coordinates_}, {.start = 0.5, .end = 0.75});
  ASSERT_EQ(reading.motion.size(), 26u);
  EXPECT_NEAR(reading.motion.front().t, 0.5, 1e-12);
  EXPECT_THAT(error({.start = 3}), HasSubstr("its times are 0 to 2 s"));
}

TEST_F(MotionReader, RefusesWhatIsNoMotionOfTheModel) {
  write("time\tankle\ttoe\n");
  EXPECT_THAT(error(), HasSubstr("has no coordinate of the model"));
  write("time\thip\tslide\n", 17);
  EXPECT_THAT(error(), HasSubstr("not a number at t = 0.17 s"));
}

/// A motion of three angles and a length: rows are value(t) × the given numbers, 20 rows at 100 Hz.
class MotionDoubts : public MotionReader {
 protected:
  MotionReading read(bool degrees, const std::array<double, 4>& amplitudes, double step = 0.01) {
    std::ofstream file(path_);
    file.precision(17);
    file << "x\nversion=1\ninDegrees=" << (degrees ? "yes" : "no") << "\nendheader\ntime\thip"
         << "\tknee\tankle\tslide\n";
    for (int k = 0; k <= 20; ++k) {
      file << step * k;
      for (const double a : amplitudes) file << '\t' << a * std::sin(0.1 * k);
      file << '\n';
    }
    file.close();
    return read_motion(path_, target_, {});
  }
  std::string error_of(bool degrees, const std::array<double, 4>& amplitudes, double step = 0.01) {
    try {
      read(degrees, amplitudes, step);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }

  const MotionTarget target_ = [] {
    MotionTarget out;
    out.coordinates.resize(4);
    out.coordinates[0].name = "hip";
    out.coordinates[1].name = "knee";
    out.coordinates[2].name = "ankle";
    out.coordinates[3].name = "slide";
    out.coordinates[3].kind = CoordinateKind::length;
    out.ranges = {{-0.5, 2}, {-2.1, 0.1}, {}, {-1, 1}};
    return out;
  }();
};

TEST_F(MotionDoubts, OrdinaryMotionsRaiseNone) {
  EXPECT_THAT(read(false, {1, -1.2, 0.4, 0.5}).warnings, testing::IsEmpty());
  EXPECT_THAT(read(true, {50, -60, 20, 0.5}).warnings, testing::IsEmpty());
  // A standing person: degrees, and small ones.
  EXPECT_THAT(read(true, {0.5, -0.3, 0.6, 0.01}).warnings, testing::IsEmpty());
  // A little outside the range.
  EXPECT_THAT(read(false, {1, 0.5, 0.4, 2.5}).warnings, testing::IsEmpty());
}

TEST_F(MotionDoubts, UnitsThatAreLikelyOthers) {
  using testing::AllOf;
  using testing::ElementsAre;
  EXPECT_THAT(read(false, {50, -60, 20, 0.5}).warnings,
              ElementsAre(AllOf(HasSubstr("'knee' is -59.97 rad at t = 0.16 s"),
                                HasSubstr("(2 others alike): are these degrees?"))));
  // Less than two turns, but degrees would be within the range.
  EXPECT_THAT(read(false, {8, -1, 1, 0.5}).warnings, ElementsAre(HasSubstr("are these degrees?")));
  EXPECT_THAT(read(true, {1, -1.2, 0.4, 0.5}).warnings,
              ElementsAre(AllOf(HasSubstr("'knee' moves by"), HasSubstr("are these radians?"))));
}

TEST_F(MotionDoubts, ValuesFarOutsideTheirRange) {
  EXPECT_THAT(read(false, {1, 1.2, 0.4, 0.5}).warnings,
              testing::ElementsAre(testing::AllOf(
                  HasSubstr("'knee' is 1.199 rad at t = 0.16 s, far outside its range of -2.1 to "
                            "0.1: check its unit and its sign"))));
  EXPECT_THAT(read(false, {1, -1, 0.4, 5}).warnings,
              testing::ElementsAre(HasSubstr("'slide' is 4.998 m")));
}

TEST_F(MotionDoubts, NonsenseIsRefused) {
  EXPECT_THAT(error_of(false, {1, 1e300, 0.4, 0.5}), HasSubstr("'knee' is 9.996e+299"));
  for (const double apart : {1e-9, 1e-15})
    EXPECT_THAT(error_of(false, {1, -1, 0.4, 0.5}, apart), HasSubstr("times may be too close"));
}

TEST_F(MotionReader, SaysWhichTimesAreMissing) {
  write();
  const MotionReading reading = read_motion(path_, {coordinates_}, {.start = 0.5, .end = 3});
  EXPECT_THAT(
      reading.warnings,
      testing::Contains(HasSubstr("0.5 to 3 s are requested, but its rows are from 0 to 2")));
}

}  // namespace motion_reader_test
}  // namespace sinew
