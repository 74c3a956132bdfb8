#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sinew/core/error.hpp"
#include "sinew/math/so3.hpp"
#include "sinew/model/joints/sheet_speeds.hpp"
#include "sinew/model/joints/spline_joints.hpp"
#include "sinew/model/joints/validation.hpp"

namespace sinew {
namespace {

/// The six functions of a surface at one q, and their first and second derivatives.
struct SheetValues {
  Vec6 f, f_1, f_2, f_11, f_12, f_22;
};

SheetValues sheet_values(const std::array<MatX, 6>& grids, const CubicBasis& columns,
                         const CubicBasis& rows) {
  std::array<Eigen::Index, 4> row, column;
  for (int i = 0; i < 4; ++i) {
    row[static_cast<size_t>(i)] = (rows.first + i) % grids[0].rows();
    column[static_cast<size_t>(i)] = (columns.first + i) % grids[0].cols();
  }
  SheetValues out;
  for (size_t k = 0; k < 6; ++k) {
    std::array<double, 6> sum{};
    for (size_t i = 0; i < 4; ++i) {
      double d0 = 0, d1 = 0, d2 = 0;  // by q₁, along this row
      for (size_t j = 0; j < 4; ++j) {
        const double value = grids[k](row[i], column[j]);
        d0 += columns.d[0][j] * value;
        d1 += columns.d[1][j] * value;
        d2 += columns.d[2][j] * value;
      }
      sum[0] += rows.d[0][i] * d0;
      sum[1] += rows.d[0][i] * d1;
      sum[2] += rows.d[1][i] * d0;
      sum[3] += rows.d[0][i] * d2;
      sum[4] += rows.d[1][i] * d1;
      sum[5] += rows.d[2][i] * d0;
    }
    const auto at = static_cast<Eigen::Index>(k);
    out.f[at] = sum[0], out.f_1[at] = sum[1], out.f_2[at] = sum[2];
    out.f_11[at] = sum[3], out.f_12[at] = sum[4], out.f_22[at] = sum[5];
  }
  return out;
}

/// f(q₁, q₂) from its partial derivatives f_ab, and Σ_jk f_ijk q̇_j q̇_k from the third ones.
JointFunctionValue surface_jet(const std::array<std::array<double, 4>, 4>& f, Coordinates qdot) {
  const double a = qdot[0], b = qdot[1];
  JointFunctionValue jet;
  jet.value = f[0][0];
  jet.gradient = {f[1][0], f[0][1]};
  jet.hessian[0] = {f[2][0], f[1][1]};
  jet.hessian[1] = {f[1][1], f[0][2]};
  jet.third = {f[3][0] * a * a + 2 * f[2][1] * a * b + f[1][2] * b * b,
               f[2][1] * a * a + 2 * f[1][2] * a * b + f[0][3] * b * b};
  return jet;
}

/// Adds f(t) g(q₁, q₂), t the third coordinate, f and g given with their derivatives, g's third
/// ones contracted with q̇ as in surface_jet.
void add_change(const std::array<double, 4>& f, const JointFunctionValue& g, Coordinates qdot,
                JointFunctionValue& out) {
  constexpr size_t t = 2;
  const double tdot = qdot[t];
  double slope = 0, bend = 0;  // ġ and g̈ along q₁ and q₂ at q̈ = 0
  std::array<double, 2> slope_by{};
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < 2; ++j) slope_by[i] += g.hessian[i][j] * qdot[j];
    slope += g.gradient[i] * qdot[i];
    bend += slope_by[i] * qdot[i];
  }
  out.value += f[0] * g.value;
  for (size_t i = 0; i < 2; ++i) {
    out.gradient[i] += f[0] * g.gradient[i];
    for (size_t j = 0; j < 2; ++j) out.hessian[i][j] += f[0] * g.hessian[i][j];
    out.hessian[i][t] += f[1] * g.gradient[i];
    out.hessian[t][i] += f[1] * g.gradient[i];
    out.third[i] +=
        f[0] * g.third[i] + tdot * (2 * f[1] * slope_by[i] + f[2] * g.gradient[i] * tdot);
  }
  out.gradient[t] += f[1] * g.value;
  out.hessian[t][t] += f[2] * g.value;
  out.third[t] += f[1] * bend + tdot * (2 * f[2] * slope + f[3] * g.value * tdot);
}

/// f and its first three derivatives at t.
std::array<double, 4> derivatives_at(const ScalarFunction& f, double t) {
  constexpr std::array<int, 1> kArgument = {0};
  constexpr std::array<double, 1> kUnit = {1};
  const JointFunctionValue at = evaluate(f, kArgument, std::span<const double>(&t, 1), kUnit);
  return {at.value, at.gradient[0], at.hessian[0][0], at.third[0]};
}

/// Where the body moves least as q₁ and q₂ change by parts of their ranges, in whichever direction.
struct Slowest {
  std::array<double, 3> at{};  ///< q₁, q₂ and time
  double speed = INFINITY;
  double largest = 0;  ///< of all speeds
};

class SlowestSearch {
 public:
  explicit SlowestSearch(const SplineSurface& surface)
      : surface_(surface), times_(surface.changes().empty() ? 1 : kTimes) {
    for (size_t k = 0; k < 2; ++k) {
      const CubicBSpline& spline = surface.splines()[k];
      begin_[k] = spline.begin();
      range_[k] = spline.end() - spline.begin();
      // Coarser if there are many times, too: folds are lines, which start downhill nearby.
      count_[k] = (surface.changes().empty() ? 8 : 2) * spline.spans();
      step_[k] = range_[k] / count_[k];
    }
  }

  /// All samples; then, from those that are lower than their neighbours, downwards to the first
  /// place where the speed vanishes.
  Slowest run() {
    for (int m = 0; m < times_; ++m) least_.push_back(samples_at(m));
    for (int m = 0; m < times_; ++m)
      for (int i = 0; i <= count_[1]; ++i)
        for (int j = 0; j <= count_[0]; ++j) {
          if (is_lowest(m, i, j)) descend(place(m, i, j), sample(m, i, j));
          if (slowest_.speed < 1e-8 * slowest_.largest) return slowest_;
        }
    return slowest_;
  }

 private:
  // Of a surface that deforms: ten seconds, each quarter of a second.
  static constexpr int kTimes = 41;
  static constexpr double kTimeStep = 0.25;

  SheetSpeeds speeds(const std::array<double, 3>& at) const {
    const auto dof = static_cast<size_t>(surface_.dof());
    constexpr std::array<double, 3> kStill{};
    JointMotion motion;
    surface_.evaluate({at.data(), dof}, {kStill.data(), dof}, motion);
    return sheet_speeds(motion.S.col(0) * range_[0], motion.S.col(1) * range_[1]);
  }

  MatX samples_at(int m) {
    MatX least(count_[1] + 1, count_[0] + 1);
    for (int i = 0; i <= count_[1]; ++i)
      for (int j = 0; j <= count_[0]; ++j) {
        const SheetSpeeds here = speeds(place(m, i, j));
        least(i, j) = here.least;
        slowest_.largest = std::max(slowest_.largest, here.largest);
      }
    return least;
  }

  double sample(int m, int i, int j) const { return least_[static_cast<size_t>(m)](i, j); }

  /// Of the sample and its neighbours in all three directions. A speed of half the largest does not
  /// fall to nothing within a step.
  bool is_lowest(int m, int i, int j) const {
    const double here = sample(m, i, j);
    if (here > 0.5 * slowest_.largest) return false;
    for (int dm = -1; dm <= 1; ++dm)
      for (int di = -1; di <= 1; ++di)
        for (int dj = -1; dj <= 1; ++dj) {
          const int a = m + dm, b = i + di, c = j + dj;
          const bool inside =
              a >= 0 && a < times_ && b >= 0 && b <= count_[1] && c >= 0 && c <= count_[0];
          if (inside && sample(a, b, c) < here) return false;
        }
    return true;
  }

  std::array<double, 3> place(int m, int i, int j) const {
    return {begin_[0] + j * step_[0], begin_[1] + i * step_[1], m * kTimeStep};
  }

  /// To a neighbour as long as one is lower, at ever shorter steps. Where the speed vanishes it has
  /// a corner, at which slopes lead nowhere.
  void descend(std::array<double, 3> at, double speed) {
    const bool deforms = !surface_.changes().empty();
    constexpr int kMoves = 1000;
    constexpr double kShortest = 1e-9;
    constexpr double kLess = 1e-3;  // what a step must gain: less may be rounding
    double part = 1;
    // Within a step to its end the speed is not many times the step's part of the largest one:
    // otherwise it does not vanish here.
    for (int move = 0; move < kMoves && part > kShortest && speed < 8 * part * slowest_.largest;
         ++move) {
      bool lower = false;
      for (int direction = 0; direction < 27 && !lower; ++direction) {
        const std::array<int, 3> way{direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
        if (way[2] != 0 && !deforms) continue;
        std::array<double, 3> next = at;
        for (size_t k = 0; k < 2; ++k)
          next[k] = std::clamp(at[k] + way[k] * part * step_[k], begin_[k], begin_[k] + range_[k]);
        next[2] = std::clamp(at[2] + way[2] * part * kTimeStep, 0.0, (kTimes - 1) * kTimeStep);
        const double value = speeds(next).least;
        lower = value < (1 - kLess) * speed;
        if (lower) at = next, speed = value;
      }
      if (!lower) part *= 0.5;
    }
    if (speed < slowest_.speed) slowest_.at = at, slowest_.speed = speed;
  }

  const SplineSurface& surface_;
  std::array<double, 2> begin_{}, range_{}, step_{};
  std::array<int, 2> count_{};
  int times_;
  std::vector<MatX> least_;  ///< the samples, at each time
  Slowest slowest_;
};

}  // namespace

SplineSurface::SplineSurface(std::array<MatX, 6> grids, std::array<SplineEnds, 2> ends,
                             std::optional<Ranges> ranges) {
  auto data = std::make_shared<Data>();
  data->grids = std::move(grids);
  const auto n = [&](size_t k) {
    const MatX& grid = data->grids[0];
    return static_cast<int>(k == 0 ? grid.cols() : grid.rows());
  };
  const bool usable = n(0) >= 4 && n(1) >= 4;
  for (size_t k = 0; k < 2 && usable; ++k) {
    if (!ranges)
      data->splines[k] = CubicBSpline::Uniform(n(k), ends[k]);
    else if (const auto [begin, end] = (*ranges)[k]; begin < end && std::isfinite(end - begin))
      data->splines[k] = CubicBSpline::Even(begin, end, n(k), ends[k]);
  }
  data_ = std::move(data);
}

SplineSurface SplineSurface::reversed() const {
  SplineSurface out = *this;
  out.reversed_ = !reversed_;
  return out;
}

SplineSurface SplineSurface::deforming(std::vector<Change> changes) const {
  auto data = std::make_shared<Data>(*data_);
  data->changes = std::move(changes);
  SplineSurface out = *this;
  out.data_ = std::move(data);
  return out;
}

/// Of the inverse: the opposite factors in the opposite order.
std::array<ExponentialFactor, 6> SplineSurface::factors(Coordinates q, Coordinates qdot) const {
  const CubicBasis columns = splines()[0].basis(q[0]), rows = splines()[1].basis(q[1]);
  std::array<ExponentialFactor, 6> out;
  for (size_t k = 0; k < 6; ++k) {
    const Vec3 axis = Vec3::Unit(static_cast<int>(k % 3));
    const Vec6 e = k < 3 ? translation_twist(axis) : rotation_twist(axis);
    JointFunctionValue f = surface_jet(tensor_product(columns, rows, grids()[k]), qdot);
    for (const Change& change : changes())
      add_change(derivatives_at(change.f, q[2]),
                 surface_jet(tensor_product(columns, rows, change.grids[k]), qdot), qdot, f);
    if (reversed_)
      out[5 - k] = {-e, f};
    else
      out[k] = {e, f};
  }
  return out;
}

// A surface that keeps its shape is worth code of its own; one that deforms goes through the
// kernel. The twist of Trans(t) R_x(a) R_y(b) R_z(c) is ω = W (ȧ, ḃ, ċ), v = Rᵀṫ, with the columns
// of W the axes of the three rotations as the moving frame sees them.
void SplineSurface::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  if (!changes().empty()) {
    evaluate_product(Pose(), factors(q, qdot), qdot, out);
    return;
  }
  const SheetValues at = sheet_values(grids(), splines()[0].basis(q[0]), splines()[1].basis(q[1]));
  const Mat3 Rz = rotation_about(Vec3::UnitZ(), at.f[5]);
  const Mat3 Ryz = rotation_about(Vec3::UnitY(), at.f[4]) * Rz;
  const Mat3 R = rotation_about(Vec3::UnitX(), at.f[3]) * Ryz;
  Mat3 W;
  W << Ryz.row(0).transpose(), Rz.row(1).transpose(), Vec3::UnitZ();
  const Vec6 rate = at.f_1 * qdot[0] + at.f_2 * qdot[1];
  const Vec3 omega = W * rate.tail<3>();
  // Each axis is carried by the rotations behind it.
  const Vec3 behind_x = W.col(1) * rate[4] + W.col(2) * rate[5], behind_y = W.col(2) * rate[5];
  Mat3 Wdot;
  Wdot << W.col(0).cross(behind_x), W.col(1).cross(behind_y), Vec3::Zero();
  out.Q = {R, at.f.head<3>()};
  out.S.resize(6, 2);
  out.Sdot.resize(6, 2);
  const auto fill = [&](Eigen::Index i, const Vec6& by, const Vec6& by_rate) {
    const Vec3 v = R.transpose() * by.head<3>();
    out.S.col(i) << W * by.tail<3>(), v;
    out.Sdot.col(i) << Wdot * by.tail<3>() + W * by_rate.tail<3>(),
        R.transpose() * by_rate.head<3>() - omega.cross(v);
  };
  fill(0, at.f_1, at.f_11 * qdot[0] + at.f_12 * qdot[1]);
  fill(1, at.f_2, at.f_12 * qdot[0] + at.f_22 * qdot[1]);
  if (!reversed_) return;
  // Of the inverse: S becomes −Ad(Q) S.
  const Vec6 twist = out.S.col(0) * qdot[0] + out.S.col(1) * qdot[1];
  for (Eigen::Index i = 0; i < 2; ++i) {
    const Vec6 S = out.S.col(i), Sdot = out.Sdot.col(i);
    out.S.col(i) = -Ad_times(out.Q, S);
    out.Sdot.col(i) = -Ad_times(out.Q, Sdot + ad_times(twist, S));
  }
  out.Q = out.Q.inverse();
}

void SplineSurface::differentiate(Coordinates q, Coordinates qdot,
                                  JointMotionDerivatives& out) const {
  differentiate_product(factors(q, qdot), qdot, out);
}

void SplineSurface::validate(const std::string& element) const {
  constexpr const char* kNames[] = {"x", "y", "z", "rotation x", "rotation y", "rotation z"};
  const auto same_size = [&](const MatX& grid) {
    return grid.rows() == grids()[0].rows() && grid.cols() == grids()[0].cols();
  };
  for (size_t k = 0; k < 6; ++k) {
    const MatX& grid = grids()[k];
    const std::string name = std::string("the grid of ") + kNames[k];
    require(grid.rows() >= 4 && grid.cols() >= 4, element, name + " is smaller than 4 x 4",
            "give at least four rows of four values");
    require(same_size(grid), element, name + " differs in size from that of x",
            "give six grids of the same size");
    require(grid.allFinite(), element, name + " has a value that is not finite",
            "give finite numbers");
  }
  require(std::min(splines()[0].spans(), splines()[1].spans()) > 0, element,
          "a range of the spline surface has no width",
          "give ranges that end above where they begin");
  for (size_t m = 0; m < changes().size(); ++m) {
    const std::string change = "change " + std::to_string(m + 1);
    for (const MatX& grid : changes()[m].grids) {
      require(same_size(grid), element, change + " has a grid of another size than the surface",
              "give grids of the size of those of the surface");
      require(grid.allFinite(), element, change + " has a value that is not finite",
              "give finite numbers");
    }
    const std::string defect = function_defect(changes()[m].f);
    require(defect.empty(), element, change + " has a function that cannot be used: " + defect,
            "correct the function");
    require(argument_count(changes()[m].f) <= 1, element,
            change + " has a function of several arguments",
            "give a function of one argument, which is time");
  }
  // Nothing pushes a body in a direction in which its coordinates do not move it. Far above
  // rounding, far below what a person would draw.
  const Slowest slowest = SlowestSearch(*this).run();
  if (slowest.speed > 1e-7 * slowest.largest) return;
  std::string at = "q = " + std::to_string(slowest.at[0]) + ", " + std::to_string(slowest.at[1]);
  if (!changes().empty()) at += " and t = " + std::to_string(slowest.at[2]) + " s";
  throw Error(element, "the coordinates of the spline surface are not independent at " + at,
              "let it not fold there: move control values");
}

}  // namespace sinew
