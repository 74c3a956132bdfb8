#include <gtest/gtest.h>

#include <memory>

#include "sinew/muscles/wrap/wrap.hpp"
#include "support/finite_difference.hpp"
#include "support/wrap_examples.hpp"

/// Laws that every wrap model obeys, each over random pairs of anchors: 1000, or where they take
/// long to solve the number given by the example, and 1000 in `make validate`.
#ifdef SINEW_ALL_PAIRS
#define SINEW_PAIRS(example) 1000
#else
#define SINEW_PAIRS(example) (example).pairs
#endif

namespace sinew {
namespace wrap_laws_test {

using test::Anchors;
using test::Random;
using test::WrapExample;

class WrapLaws : public testing::TestWithParam<WrapExample> {
 protected:
  int pairs() const { return SINEW_PAIRS(GetParam()); }
  const Wrap& wrap() const { return GetParam().wrap; }
  bool has_surface() const { return !std::holds_alternative<Straight>(wrap()); }

  /// Calls visit(o, i, solution) for pairs that have a path; a quarter of them must be in contact.
  template <class Visit>
  void for_each_pair(int pairs, Visit&& visit) const {
    Random random(7);
    int tried = 0, wrapped = 0;
    for (int done = 0; done < pairs && !testing::Test::HasFatalFailure(); ++tried) {
      ASSERT_LT(tried, 2 * pairs) << "more than half of the anchors have no path";
      const auto [o, i] = GetParam().anchors(random);
      const SpanSolution solution = solve(wrap(), o, i);
      if (failed(solution.status)) continue;
      wrapped += solution.status == SpanStatus::wrapped;
      ++done;
      SCOPED_TRACE(testing::Message() << "o " << o.transpose() << ", i " << i.transpose() << ", "
                                      << name_of(solution.status));
      visit(o, i, solution);
    }
    EXPECT_GE(wrapped, has_surface() ? pairs / 4 : 0);
  }
};

class ShortestPaths : public WrapLaws {};
class PathsOnOneSide : public WrapLaws {};

Vec3 values(const Point<PathDual>& x) { return {value_of(x[0]), value_of(x[1]), value_of(x[2])}; }

/// The tangent of a piece at arc length s, by the direction of arc length.
Vec3 tangent(const SpanShape<PathDual>& shape, int piece, double s) {
  const Point<PathDual> x = shape.at(piece, PathDual::Variable(s, 6));
  return {x[0].d[6], x[1].d[6], x[2].d[6]};
}

/// Length of the span, then two points of each piece at fixed fractions of it.
template <class T>
void observe(const SpanShape<T>& shape, std::vector<T>& out) {
  out.assign(1, shape.length);
  for (int k = 0; k < shape.pieces; ++k)
    for (const double fraction : {0.3, 0.9}) {
      const Point<T> x = shape.at(k, shape.piece[static_cast<size_t>(k)].length * fraction);
      out.insert(out.end(), {x[0], x[1], x[2]});
    }
}

VecX stacked(const Anchors& anchors) {
  VecX x(6);
  x << anchors.first, anchors.second;
  return x;
}

/// The shape at anchors x as numbers T that `lift(value, index)` makes of them, with the status of
/// the reference kept: false if it is another there.
template <class T, class Lift>
bool shape_at(const Wrap& wrap, const VecX& x, SpanStatus status, int pieces, Lift&& lift,
              SpanShape<T>& out) {
  const SpanSolution solution = solve(wrap, x.head<3>(), x.tail<3>());
  Point<T> o, i;
  for (int k = 0; k < 3; ++k) {
    o[k] = lift(x[k], k);
    i[k] = lift(x[k + 3], k + 3);
  }
  shape<T>(wrap, solution, o, i, out);
  return solution.status == status && (pieces == 0 || out.pieces == pieces);
}

/// The value of a function where it is undefined.
VecX undefined(Eigen::Index rows) {
  return VecX::Constant(rows, std::numeric_limits<double>::quiet_NaN());
}

TEST_P(WrapLaws, PiecesJoinAndAddUp) {
  SpanShape<PathDual> s;
  for_each_pair(pairs(), [&](const Vec3& o, const Vec3& i, const SpanSolution& solution) {
    shape<PathDual>(wrap(), solution, o.cast<PathDual>(), i.cast<PathDual>(), s);
    // Rounding: lengths are of order one.
    EXPECT_EQ(values(s.node[0]), o);
    EXPECT_LT((values(s.node[static_cast<size_t>(s.pieces)]) - i).norm(), 1e-14);
    double sum = 0;
    for (int k = 0; k < s.pieces; ++k) {
      const auto n = static_cast<size_t>(k);
      const double length = value_of(s.piece[n].length);
      EXPECT_GE(length, -1e-15);
      EXPECT_LT((values(s.at(k, PathDual(0))) - values(s.node[n])).norm(), 1e-13);
      EXPECT_LT((values(s.at(k, PathDual(length))) - values(s.node[n + 1])).norm(), 1e-12);
      sum += length;
    }
    EXPECT_NEAR(value_of(s.length), sum, 1e-14);
  });
}

TEST_P(WrapLaws, TangentsAreUnitAndContinuous) {
  SpanShape<PathDual> s;
  for_each_pair(pairs(), [&](const Vec3& o, const Vec3& i, const SpanSolution& solution) {
    shape<PathDual>(wrap(), solution, o.cast<PathDual>(), i.cast<PathDual>(), s);
    for (int k = 0; k < s.pieces; ++k) {
      const double length = value_of(s.piece[static_cast<size_t>(k)].length);
      // Rounding, divided by the shortest tangents.
      EXPECT_NEAR(tangent(s, k, 0.5 * length).norm(), 1, GetParam().tangent_error);
      if (k > 0 && s.smooth) {
        const double before = value_of(s.piece[static_cast<size_t>(k - 1)].length);
        EXPECT_LT((tangent(s, k, 0) - tangent(s, k - 1, before)).norm(), GetParam().tangent_error);
      }
    }
  });
}

TEST_P(WrapLaws, PathsStayOutside) {
  SpanShape<double> s;
  for_each_pair(pairs(), [&](const Vec3& o, const Vec3& i, const SpanSolution& solution) {
    if (solution.status == SpanStatus::slipped_off) return;
    shape<double>(wrap(), solution, o, i, s);
    for (int k = 0; k < s.pieces; ++k)
      for (int j = 0; j <= 8; ++j) {
        const Vec3 x = s.at(k, s.piece[static_cast<size_t>(k)].length * j / 8.0);
        EXPECT_GE(GetParam().distance(x), -GetParam().penetration);
      }
  });
}

TEST_P(WrapLaws, JacobiansAreThoseOfDifferences) {
  auto dual = std::make_unique<SpanShape<PathDual>>();
  auto plain = std::make_unique<SpanShape<double>>();
  std::vector<PathDual> seen;
  std::vector<double> numbers;
  for_each_pair(pairs(), [&](const Vec3& o, const Vec3& i, const SpanSolution& solution) {
    const VecX x = stacked({o, i});
    shape_at(wrap(), x, solution.status, 0, PathDual::Variable, *dual);
    observe(*dual, seen);
    MatX J(seen.size(), 6);
    for (Eigen::Index row = 0; row < J.rows(); ++row)
      for (Eigen::Index k = 0; k < 6; ++k)
        J(row, k) = seen[static_cast<size_t>(row)].d[static_cast<size_t>(k)];
    const auto sweep = check_derivative(
        [&](const VecX& y) -> VecX {
          const auto lift = [](double v, int) { return v; };
          if (!shape_at(wrap(), y, solution.status, dual->pieces, lift, *plain))
            return undefined(J.rows());
          observe(*plain, numbers);
          return Eigen::Map<VecX>(numbers.data(), J.rows());
        },
        x, J);
    EXPECT_LT(sweep.best_error, GetParam().derivative_error) << sweep.table();
  });
}

TEST_P(WrapLaws, TheGradientOfLengthAloneIsThatOfTheShape) {
  for_each_pair(pairs(), [&](const Vec3& o, const Vec3& i, const SpanSolution& solution) {
    double length, expected;
    Vec3 dl_do, dl_di, expected_o, expected_i;
    length_gradient(wrap(), solution, o, i, length, dl_do, dl_di);
    std::visit(
        [&](const auto& w) { dual_gradient(w, solution, o, i, expected, expected_o, expected_i); },
        wrap());
    // Rounding; near the surface divided by the short tangent.
    EXPECT_NEAR(length, expected, 1e-14);
    EXPECT_LT((dl_do - expected_o).norm() + (dl_di - expected_i).norm(), 1e-12);
  });
}

TEST_P(WrapLaws, SecondDerivativesAreThoseOfDifferences) {
  auto nested = std::make_unique<SpanShape<ChunkDual>>();
  auto dual = std::make_unique<SpanShape<PathDual>>();
  std::vector<ChunkDual> seen;
  std::vector<PathDual> first;
  for_each_pair(pairs(), [&](const Vec3& o, const Vec3& i, const SpanSolution& solution) {
    const VecX x = stacked({o, i});
    const auto lift = [](double v, int k) { return ChunkDual::Variable(Chunk::Variable(v, k), k); };
    shape_at(wrap(), x, solution.status, 0, lift, *nested);
    observe(*nested, seen);
    const auto rows = static_cast<Eigen::Index>(seen.size());
    MatX H(6 * rows, 6);
    for (Eigen::Index row = 0; row < rows; ++row)
      for (Eigen::Index j = 0; j < 6; ++j)
        for (Eigen::Index k = 0; k < 6; ++k)
          H(6 * row + j, k) =
              seen[static_cast<size_t>(row)].d[static_cast<size_t>(j)].d[static_cast<size_t>(k)];
    const auto sweep = check_derivative(
        [&](const VecX& y) -> VecX {
          if (!shape_at(wrap(), y, solution.status, nested->pieces, PathDual::Variable, *dual))
            return undefined(6 * rows);
          observe(*dual, first);
          VecX g(6 * rows);
          for (Eigen::Index row = 0; row < rows; ++row)
            for (Eigen::Index j = 0; j < 6; ++j)
              g[6 * row + j] = first[static_cast<size_t>(row)].d[static_cast<size_t>(j)];
          return g;
        },
        x, H);
    EXPECT_LT(sweep.best_error, GetParam().derivative_error) << sweep.table();
  });
}

/// Velocities and accelerations along anchors that move as x + v t + a t²/2, and the derivatives
/// of the acceleration by x.
TEST_P(WrapLaws, AccelerationsAndTheirDerivativesAreThoseOfDifferences) {
  auto taylor = std::make_unique<SpanShape<PathTaylor>>();
  auto chunk = std::make_unique<SpanShape<ChunkTaylor>>();
  std::vector<PathTaylor> seen;
  std::vector<ChunkTaylor> derived;
  Random random(3);
  for_each_pair(pairs(), [&](const Vec3& o, const Vec3& i, const SpanSolution& solution) {
    const VecX x = stacked({o, i}), v = random.vecx(6), a = random.vecx(6);
    const auto lift = [&](double value, int k) { return PathTaylor(value, v[k], a[k]); };
    shape_at(wrap(), x, solution.status, 0, lift, *taylor);
    const int pieces = taylor->pieces;
    observe(*taylor, seen);
    const auto rows = static_cast<Eigen::Index>(seen.size());
    MatX rates(2 * rows, 1);
    for (Eigen::Index row = 0; row < rows; ++row) {
      rates(2 * row, 0) = seen[static_cast<size_t>(row)].d1;
      rates(2 * row + 1, 0) = seen[static_cast<size_t>(row)].d2;
    }
    const auto in_time = check_derivative(
        [&](const VecX& time) -> VecX {
          const double t = time[0];
          const VecX moved = x + t * v + 0.5 * t * t * a, rate = v + t * a;
          const auto at_t = [&](double value, int k) { return PathTaylor(value, rate[k], a[k]); };
          if (!shape_at(wrap(), moved, solution.status, pieces, at_t, *taylor))
            return undefined(2 * rows);
          observe(*taylor, seen);
          VecX g(2 * rows);
          for (Eigen::Index row = 0; row < rows; ++row) {
            g[2 * row] = seen[static_cast<size_t>(row)].v;
            g[2 * row + 1] = seen[static_cast<size_t>(row)].d1;
          }
          return g;
        },
        VecX::Zero(1), rates);
    EXPECT_LT(in_time.best_error, GetParam().derivative_error) << in_time.table();

    const auto varied = [&](double value, int k) {
      return ChunkTaylor(Chunk::Variable(value, k), Chunk(v[k]), Chunk(a[k]));
    };
    shape_at(wrap(), x, solution.status, 0, varied, *chunk);
    observe(*chunk, derived);
    MatX D(rows, 6);
    for (Eigen::Index row = 0; row < rows; ++row)
      for (Eigen::Index k = 0; k < 6; ++k)
        D(row, k) = derived[static_cast<size_t>(row)].d2.d[static_cast<size_t>(k)];
    const auto by_anchors = check_derivative(
        [&](const VecX& y) -> VecX {
          if (!shape_at(wrap(), y, solution.status, pieces, lift, *taylor)) return undefined(rows);
          observe(*taylor, seen);
          VecX g(rows);
          for (Eigen::Index row = 0; row < rows; ++row) g[row] = seen[static_cast<size_t>(row)].d2;
          return g;
        },
        x, D);
    EXPECT_LT(by_anchors.best_error, GetParam().derivative_error) << by_anchors.table();
  });
}

/// The path as a polyline is no longer than its neighbours: displaced by smooth bumps, then pushed
/// out of the surface.
TEST_P(ShortestPaths, AreShorterThanTheirNeighbours) {
  constexpr int kKnots = 200;
  SpanShape<double> s;
  Random random(11);
  const auto& distance = GetParam().distance;
  const auto pushed_out = [&](Vec3 x) {
    for (int k = 0; k < 4 && distance(x) < 0; ++k) {
      const double step = 1e-6;
      Vec3 gradient;
      for (int c = 0; c < 3; ++c)
        gradient[c] =
            (distance(x + step * Vec3::Unit(c)) - distance(x - step * Vec3::Unit(c))) / (2 * step);
      x -= distance(x) * gradient / gradient.squaredNorm();
    }
    return x;
  };
  const auto length = [](const std::vector<Vec3>& line) {
    double sum = 0;
    for (size_t k = 1; k < line.size(); ++k) sum += (line[k] - line[k - 1]).norm();
    return sum;
  };
  for_each_pair(pairs() / 5, [&](const Vec3& o, const Vec3& i, const SpanSolution& solution) {
    shape<double>(wrap(), solution, o, i, s);
    std::vector<Vec3> path{o};
    for (int k = 0; k < s.pieces; ++k)
      for (int j = 1; j <= kKnots; ++j)
        path.push_back(s.at(k, s.piece[static_cast<size_t>(k)].length * j / kKnots));
    const double shortest = length(path);
    for (const double amplitude : {0.03, 0.003, 0.0003}) {
      const Vec3 bump = amplitude * s.length * random.unit_vector();
      const int waves = 1 + static_cast<int>(random.uniform(0, 5));
      std::vector<Vec3> other = path;
      for (size_t k = 0; k < path.size(); ++k) {
        const double along = static_cast<double>(k) / static_cast<double>(path.size() - 1);
        other[k] = pushed_out(path[k] + std::sin(std::numbers::pi * waves * along) * bump);
      }
      // The polyline cuts corners of the arc: by (knot angle)²/24 ≤ 2e-5 of its length at most, and
      // both polylines do, so that their difference is far smaller.
      EXPECT_GE(length(other), shortest * (1 - 1e-7)) << amplitude << " " << waves;
    }
  });
}

/// The numbers that carry both agree with those that carry one.
TEST_P(WrapLaws, PartialDerivativesAndAccelerationsTogetherAreThoseApart) {
  auto both = std::make_unique<SpanShape<PathMotion6>>();
  auto dual = std::make_unique<SpanShape<PathDual>>();
  auto taylor = std::make_unique<SpanShape<PathTaylor>>();
  std::vector<PathMotion6> seen;
  std::vector<PathDual> partial;
  std::vector<PathTaylor> motion;
  Random random(13);
  for_each_pair(pairs(), [&](const Vec3& o, const Vec3& i, const SpanSolution& solution) {
    const VecX x = stacked({o, i}), v = random.vecx(6), a = random.vecx(6);
    shape_at(wrap(), x, solution.status, 0, PathDual::Variable, *dual);
    const auto moving = [&](double value, int k) { return PathTaylor(value, v[k], a[k]); };
    shape_at(wrap(), x, solution.status, 0, moving, *taylor);
    const auto lift = [&](double value, int k) {
      PathMotion6 y(value);
      y.d[static_cast<size_t>(k)] = 1;
      y.d[6] = v[k];
      y.d2 = a[k];
      return y;
    };
    shape_at(wrap(), x, solution.status, 0, lift, *both);
    observe(*both, seen);
    observe(*dual, partial);
    observe(*taylor, motion);
    double error = 0, scale = 1;
    for (size_t row = 0; row < seen.size(); ++row) {
      for (size_t k = 0; k < 6; ++k)
        error = std::max(error, std::abs(seen[row].d[k] - partial[row].d[k]));
      error = std::max(error, std::abs(seen[row].rate() - motion[row].d1));
      error = std::max(error, std::abs(seen[row].d2 - motion[row].d2));
      scale = std::max({scale, std::abs(motion[row].d1), std::abs(motion[row].d2)});
    }
    // Rounding; iterations that stop at different residuals leave slightly more.
    EXPECT_LT(error, 1e-9 * scale);
  });
}

/// Along a fine sweep the change of length is that of its gradient, to second order.
TEST_P(PathsOnOneSide, ChangeInLengthAsTheirGradientsSay) {
  auto dual = std::make_unique<SpanShape<PathDual>>();
  Random random(5);
  int touch_downs = 0;
  for_each_pair(pairs() / 20, [&](const Vec3& o, const Vec3& i, const SpanSolution&) {
    constexpr int kSteps = 400;
    const VecX x = stacked({o, i}), direction = 0.5 * i.norm() * random.vecx(6);
    double length = 0;
    VecX gradient(6);
    SpanStatus status = SpanStatus::no_path;
    for (int k = 0; k <= kSteps; ++k) {
      const VecX y = x + (static_cast<double>(k) / kSteps) * direction;
      const SpanSolution now = solve(wrap(), y.head<3>(), y.tail<3>());
      if (now.status == SpanStatus::slipped_off && !GetParam().smooth) return;
      shape_at(wrap(), y, now.status, 0, PathDual::Variable, *dual);
      VecX slope(6);
      for (int c = 0; c < 6; ++c) slope[c] = dual->length.d[static_cast<size_t>(c)];
      if (!failed(now.status) && !failed(status)) {
        touch_downs += now.status != status;
        const double predicted = 0.5 * (gradient + slope).dot(direction) / kSteps;
        // Second order: the step squared, by the curvature of the length, 1/l of the shortest
        // tangent seen in the examples.
        const double step = direction.norm() / kSteps;
        EXPECT_NEAR(value_of(dual->length) - length, predicted, 60 * step * step) << k;
      }
      if (failed(now.status)) return;  // the anchors went inside, or past the cut
      status = now.status;
      length = value_of(dual->length);
      gradient = slope;
    }
  });
  EXPECT_GE(touch_downs, has_surface() ? pairs() / 200 : 0);
}

bool has_slipped(SpanStatus a, SpanStatus b) {
  return a == SpanStatus::slipped_off || b == SpanStatus::slipped_off;
}

/// The least move of points over touch-down: continuous in every model.
TEST_P(WrapLaws, PointsAreContinuousOverTouchDown) {
  SpanShape<double> s;
  Random random(9);
  int crossings = 0;
  const auto middle = [&](const VecX& y, SpanStatus& status) {
    const SpanSolution solution = solve(wrap(), y.head<3>(), y.tail<3>());
    status = solution.status;
    shape<double>(wrap(), solution, y.head<3>(), y.tail<3>(), s);
    double rest = 0.5 * s.length;
    int k = 0;
    while (k < s.pieces - 1 && rest > s.piece[static_cast<size_t>(k)].length)
      rest -= s.piece[static_cast<size_t>(k++)].length;
    return s.at(k, rest);
  };
  for_each_pair(pairs(), [&](const Vec3& o, const Vec3& i, const SpanSolution& solution) {
    const auto [o2, i2] = GetParam().anchors(random);
    const VecX x = stacked({o, i}), to = stacked({o2, i2});
    SpanStatus first = solution.status, last;
    middle(to, last);
    if (first == last || failed(last)) return;
    if (!GetParam().smooth && has_slipped(first, last)) return;
    double low = 0, high = 1;  // bisect for the change of status
    SpanStatus status;
    for (int k = 0; k < 45; ++k) {
      const double mid = 0.5 * (low + high);
      middle(x + mid * (to - x), status);
      if (failed(status)) return;
      (status == first ? low : high) = mid;
    }
    const Vec3 before = middle(x + low * (to - x), status);
    const Vec3 after = middle(x + high * (to - x), last);
    if (!GetParam().smooth && has_slipped(status, last)) return;
    ++crossings;
    // 3e-14 of the way apart; a square root in it would leave 1e-7.
    EXPECT_LT((before - after).norm(), 1e-6);
  });
  EXPECT_GE(crossings, has_surface() && GetParam().touches_down ? pairs() / 20 : 0);
}

std::vector<WrapExample> examples_with(bool WrapExample::*property) {
  std::vector<WrapExample> chosen;
  for (const WrapExample& example : test::wrap_examples())
    if (example.*property) chosen.push_back(example);
  return chosen;
}
const auto name_of_example = [](const auto& example) { return example.param.name; };

INSTANTIATE_TEST_SUITE_P(, WrapLaws, testing::ValuesIn(test::wrap_examples()), name_of_example);
INSTANTIATE_TEST_SUITE_P(, ShortestPaths, testing::ValuesIn(examples_with(&WrapExample::shortest)),
                         name_of_example);
INSTANTIATE_TEST_SUITE_P(, PathsOnOneSide,
                         testing::ValuesIn(examples_with(&WrapExample::fixed_side)),
                         name_of_example);

}  // namespace wrap_laws_test
}  // namespace sinew
