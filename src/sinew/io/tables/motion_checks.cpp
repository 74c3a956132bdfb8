#include "sinew/io/tables/motion_checks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
/// Beyond any value of a skeleton's coordinate [rad, m].
constexpr double kAbsurd = 1e6;
/// Two turns, which no joint of a body reaches [rad].
constexpr double kTwoTurns = 4 * std::numbers::pi;
/// Measured joints often leave the ranges of models by some degrees, but not by this much [rad].
constexpr double kFarAngle = 30 * kDegree;
/// Files have five digits or more and OpenSim closes couplers to 1e-5 or better; a wrong unit is
/// off by a factor of 57 [rad, m].
constexpr double kCouplerTolerance = 1e-3;
/// Angles of a motion that are all within ±π, some of them moving by more than this, are radians:
/// in degrees, every joint would stay within three degrees of upright [as written].
constexpr double kMovingRadians = 0.75;
constexpr int kFewestAngles = 3;

/// The worst place of a defect, and the number of coordinates that have it.
struct Worst {
  double amount = 0;
  double value = 0;
  Eigen::Index row = 0, column = -1;
  int coordinates = 0;
};

/// The largest positive amount(coordinate, value) of the table.
template <class Amount>
Worst worst_of(const CoordinateTable& table, Amount&& amount) {
  Worst out;
  for (Eigen::Index k = 0; k < table.q.cols(); ++k) {
    bool bad = false;
    for (Eigen::Index row = 0; row < table.q.rows(); ++row) {
      const double value = table.q(row, k);
      const double now = std::isnan(value) ? 0 : amount(k, row, value);
      bad |= now > 0;
      if (now > out.amount) out = {now, value, row, k, out.coordinates};
    }
    out.coordinates += bad;
  }
  return out;
}

std::string others(int coordinates) {
  if (coordinates < 2) return "";
  return fmt::format(" ({} other{} alike)", coordinates - 1, coordinates == 2 ? "" : "s");
}

/// " at t = 0.1 s", for tables with more than one row.
std::string when(const CoordinateTable& table, Eigen::Index row) {
  if (table.q.rows() < 2) return "";
  if (table.poses) return fmt::format(" in pose {}", row);
  return fmt::format(" at t = {:.6g} s", table.times[static_cast<size_t>(row)]);
}

class Doubts {
 public:
  Doubts(const CoordinateTable& table, const MotionTarget& target)
      : table_(table), target_(target) {}

  std::vector<std::string> list() {
    const bool unit = doubt_degrees() || doubt_radians();
    if (!unit) doubt_ranges("check its unit and its sign, or the range in the model");
    doubt_couplings();
    return std::move(out_);
  }
  std::vector<std::string> list_of_results() {
    doubt_ranges("check what drives it, or give its joint limits");
    return std::move(out_);
  }

 private:
  const Coordinate& coordinate(Eigen::Index k) const {
    return target_.coordinates[static_cast<size_t>(k)];
  }
  const char* unit(Eigen::Index k) const {
    if (coordinate(k).kind == CoordinateKind::parameter) return "(a parameter)";
    if (coordinate(k).kind == CoordinateKind::time) return "s";
    return coordinate(k).kind == CoordinateKind::length ? "m" : "rad";
  }
  bool is_free(Eigen::Index k) const {
    return target_.coupled.coupling_of(DofIndex(static_cast<int>(k))) == nullptr;
  }
  bool is_free_angle(Eigen::Index k) const {
    return coordinate(k).kind == CoordinateKind::angle && is_free(k);
  }
  CoordinateRange range(Eigen::Index k) const {
    return target_.ranges.empty() ? CoordinateRange() : target_.ranges[static_cast<size_t>(k)];
  }
  /// The distance of a value from its range; 0 if within.
  double outside(Eigen::Index k, double value) const {
    return std::max({range(k).lower - value, value - range(k).upper, 0.0});
  }
  /// The same if it exceeds the tolerance for measured joints.
  double far_outside(Eigen::Index k, double value) const {
    const bool angle = coordinate(k).kind == CoordinateKind::angle;
    const double far = angle ? kFarAngle : range(k).upper - range(k).lower;
    const double by = outside(k, value);
    return by > far ? by : 0;
  }

  /// Radians that can only be degrees.
  bool doubt_degrees() {
    if (table_.in_degrees) return false;
    const Worst worst = worst_of(table_, [&](Eigen::Index k, Eigen::Index, double value) {
      if (!is_free_angle(k)) return 0.0;
      const bool mistaken = std::abs(value) > std::numbers::pi && far_outside(k, value) > 0 &&
                            outside(k, value * kDegree) == 0;
      return mistaken || std::abs(value) > kTwoTurns ? std::abs(value) : 0;
    });
    if (worst.column < 0) return false;
    out_.push_back(fmt::format("{}: '{}' is {:.4g} rad{}{}: are these degrees? ({})", table_.source,
                               coordinate(worst.column).name, worst.value, when(table_, worst.row),
                               others(worst.coordinates), table_.units));
    return true;
  }

  /// Degrees that can only be radians.
  bool doubt_radians() {
    if (!table_.in_degrees) return false;
    int angles = 0;
    double most = 0;
    Eigen::Index which = -1;
    for (Eigen::Index k = 0; k < table_.q.cols(); ++k) {
      if (!is_free_angle(k) || table_.q.col(k).hasNaN()) continue;
      const VecX written = table_.q.col(k) / kDegree;
      if (written.cwiseAbs().maxCoeff() > std::numbers::pi) return false;
      const double moved = written.maxCoeff() - written.minCoeff();
      angles += moved > 0;
      if (moved > most) {
        most = moved;
        which = k;
      }
    }
    if (angles < kFewestAngles || most < kMovingRadians) return false;
    out_.push_back(
        fmt::format("{}: no angle exceeds 3.15 degrees, '{}' moves by {:.4g}: are these radians? "
                    "If so, write inDegrees=no into the header",
                    table_.source, coordinate(which).name, most));
    return true;
  }

  void doubt_ranges(const char* remedy) {
    const Worst worst = worst_of(table_, [&](Eigen::Index k, Eigen::Index, double value) {
      return is_free(k) ? far_outside(k, value) : 0;
    });
    if (worst.column < 0) return;
    const CoordinateRange r = range(worst.column);
    out_.push_back(
        fmt::format("{}: '{}' is {:.4g} {}{}, far outside its range of {:.4g} to {:.4g}{}: {}",
                    table_.source, coordinate(worst.column).name, worst.value, unit(worst.column),
                    when(table_, worst.row), r.lower, r.upper, others(worst.coordinates), remedy));
  }

  void doubt_couplings() {
    if (target_.coupled.empty()) return;
    MatX follows = table_.q;
    for (Eigen::Index row = 0; row < follows.rows(); ++row) {
      VecX q = follows.row(row).transpose();
      for (Eigen::Index k = 0; k < q.size(); ++k)
        if (std::isnan(q[k])) q[k] = coordinate(k).q0;
      target_.coupled.follow(q);
      follows.row(row) = q.transpose();
    }
    const Worst worst = worst_of(table_, [&](Eigen::Index k, Eigen::Index row, double value) {
      const double off = std::abs(value - follows(row, k));
      return !is_free(k) && off > kCouplerTolerance ? off : 0;
    });
    if (worst.column < 0) return;
    const auto* coupling = target_.coupled.coupling_of(DofIndex(static_cast<int>(worst.column)));
    out_.push_back(fmt::format(
        "{}: '{}' is up to {:.4g} {} off what its coupler '{}' gives{}{}: it follows the coupler, "
        "and its column has no effect{}",
        table_.source, coordinate(worst.column).name, worst.amount, unit(worst.column),
        coupling->name(), when(table_, worst.row), others(worst.coordinates),
        table_.in_degrees ? "; OpenSim writes such columns in radians where others are in degrees"
                          : ""));
  }

  const CoordinateTable& table_;
  const MotionTarget& target_;
  std::vector<std::string> out_;
};

}  // namespace

void require_plausible(const CoordinateTable& table, const MotionTarget& target) {
  const Worst worst = worst_of(table, [&](Eigen::Index k, Eigen::Index, double value) {
    const bool is_free = target.coupled.coupling_of(DofIndex(static_cast<int>(k))) == nullptr;
    return is_free && std::abs(value) > kAbsurd ? std::abs(value) : 0;
  });
  if (worst.column < 0) return;
  throw Error(
      table.source,
      fmt::format("'{}' is {:.4g}{}", target.coordinates[static_cast<size_t>(worst.column)].name,
                  worst.value, when(table, worst.row)),
      "give radians and metres below 1e6");
}

std::vector<std::string> doubts_of(const CoordinateTable& table, const MotionTarget& target) {
  return Doubts(table, target).list();
}

std::vector<std::string> doubts_of_results(const CoordinateTable& table,
                                           const MotionTarget& target) {
  return Doubts(table, target).list_of_results();
}

}  // namespace sinew
