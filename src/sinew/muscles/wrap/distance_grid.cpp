#include "sinew/muscles/wrap/distance_grid.hpp"

#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/mesh_distance.hpp"

namespace sinew {
namespace {

/// Beyond 37 ranges the barrier is below rounding; at the default softness 0.04 that is 1.48 sizes.
constexpr double kMargin = 1.6;
constexpr double kMostNodes = 16e6;
constexpr int kSupport = 6;  ///< splines that are not zero at a point, in each direction

/// The six quintic B-splines that are not zero at the fraction u of a cell, with derivatives up to
/// the fourth: spline m is centred m − 2 nodes from the cell's left end.
struct Basis {
  std::array<std::array<double, kSupport>, 5> d;

  Basis(double u, double spacing, int order) {
    // β⁵ as divided differences of truncated powers: Σ_j (−1)^j C(6, j) (t + 3 − j)₊⁵ / 5!.
    static constexpr std::array<double, 7> kSigned{1, -6, 15, -20, 15, -6, 1};
    double scale = 1;
    for (int k = 0; k <= order; ++k) {
      const int power = 5 - k;
      double factorial = 1;
      for (int f = 2; f <= power; ++f) factorial *= f;
      for (int m = 0; m < kSupport; ++m) {
        double t = u - (m - 2);  // by symmetry only the left half, where few powers are summed
        const bool mirrored = t > 0;
        if (mirrored) t = -t;
        double sum = 0;
        for (int j = 0; j <= 3; ++j) {
          const double base = t + 3 - j;
          if (base <= 0) break;
          double p = kSigned[static_cast<size_t>(j)];
          for (int f = 0; f < power; ++f) p *= base;
          sum += p;
        }
        if (mirrored && k % 2 == 1) sum = -sum;
        d[static_cast<size_t>(k)][static_cast<size_t>(m)] = sum * scale / factorial;
      }
      scale /= spacing;
    }
  }
};

/// Values at equal distances to coefficients of quintic B-splines, in place: two recursive filters,
/// one for each pole of the spline's samples inside the unit circle; values are mirrored at the
/// ends.
void filter(double* x, int count, size_t stride) {
  const auto at = [&](int k) -> double& { return x[static_cast<size_t>(k) * stride]; };
  constexpr std::array<double, 2> kPoles{-0.43057534709997396, -0.043096288203264653};
  for (const double z : kPoles) {
    const double gain = (1 - z) * (1 - 1 / z);
    for (int k = 0; k < count; ++k) at(k) *= gain;
    double sum = at(0), power = z;
    for (int k = 1; k < count && std::abs(power) > 1e-18; ++k, power *= z) sum += power * at(k);
    at(0) = sum;
    for (int k = 1; k < count; ++k) at(k) += z * at(k - 1);
    at(count - 1) = z / (z * z - 1) * (at(count - 1) + z * at(count - 2));
    for (int k = count - 2; k >= 0; --k) at(k) = z * (at(k + 1) - at(k));
  }
}

}  // namespace

void DistanceGrid::interpolate() {
  for (int k = 0; k < count_[2]; ++k)
    for (int j = 0; j < count_[1]; ++j) filter(&coefficients_[index(0, j, k)], count_[0], 1);
  for (int k = 0; k < count_[2]; ++k)
    for (int i = 0; i < count_[0]; ++i)
      filter(&coefficients_[index(i, 0, k)], count_[1], index(0, 1, 0));
  for (int j = 0; j < count_[1]; ++j)
    for (int i = 0; i < count_[0]; ++i)
      filter(&coefficients_[index(i, j, 0)], count_[2], index(0, 0, 1));
}

std::shared_ptr<DistanceGrid> DistanceGrid::Sampled(
    const std::function<double(const Vec3&)>& distance, const Vec3& low, const Vec3& high,
    double size, int fineness) {
  std::shared_ptr<DistanceGrid> grid(new DistanceGrid);
  grid->spacing_ = size / fineness;
  grid->far_ = 2 * kMargin * size;
  const Vec3 margin = Vec3::Constant(kMargin * size + 3 * grid->spacing_);
  grid->corner_ = low - margin;
  for (int c = 0; c < 3; ++c)
    grid->count_[static_cast<size_t>(c)] =
        1 + static_cast<int>(std::ceil((high - low + 2 * margin)[c] / grid->spacing_));
  grid->coefficients_.resize(grid->index(0, 0, grid->count_[2]));
  for (int k = 0; k < grid->count_[2]; ++k)
    for (int j = 0; j < grid->count_[1]; ++j)
      for (int i = 0; i < grid->count_[0]; ++i)
        grid->coefficients_[grid->index(i, j, k)] =
            distance(grid->corner_ + grid->spacing_ * Vec3(i, j, k));
  grid->interpolate();
  return grid;
}

std::shared_ptr<const DistanceGrid> DistanceGrid::FromFunction(
    const std::function<double(const Vec3&)>& distance, const Vec3& low, const Vec3& high,
    double size, int fineness) {
  return Sampled(distance, low, high, size, fineness);
}

std::shared_ptr<const DistanceGrid> DistanceGrid::FromMesh(const TriangleMesh& mesh, double size,
                                                           const std::string& element,
                                                           int fineness) {
  mesh.validate(element);
  const MeshDistance distance(mesh);
  const Vec3 low = distance.lowest(), high = distance.highest();
  if (!(size > 0)) throw Error(element, "the size is not positive", "give it in metres");
  const Vec3 cells = ((high - low) / size + Vec3::Constant(2 * kMargin)) * fineness;
  if (!(cells.prod() <= kMostNodes))
    throw Error(element,
                "a grid that resolves " + std::to_string(size) + " m has " +
                    std::to_string(cells.prod() / 1e6) + " million nodes",
                "give a larger size: a typical radius of curvature of the surface");
  const std::shared_ptr<DistanceGrid> grid =
      Sampled([&](const Vec3& x) { return distance(x); }, low, high, size, fineness);
  grid->mesh_ = std::make_shared<const TriangleMesh>(mesh);
  return grid;
}

void DistanceGrid::evaluate(const Vec3& x, int order, LevelTaylor& out) const {
  std::array<int, 3> first;
  Vec3 u;
  for (int c = 0; c < 3; ++c) {
    const double at = (x[c] - corner_[c]) / spacing_;
    const auto cell = static_cast<int>(std::floor(at));
    if (!(cell >= 2 && cell + 3 < count_[static_cast<size_t>(c)])) {
      out = LevelTaylor{};
      out.jet = {far_, Vec3::Zero(), Mat3::Zero()};
      for (auto& m : out.third) m.setZero();
      for (auto& row : out.fourth)
        for (auto& m : row) m.setZero();
      return;
    }
    first[static_cast<size_t>(c)] = cell - 2;
    u[c] = at - cell;
  }
  const Basis bx(u[0], spacing_, order), by(u[1], spacing_, order), bz(u[2], spacing_, order);
  const auto orders = static_cast<size_t>(order);
  // Sum over x, then y, then z; d[a][b][c] is the derivative of orders a, b, c.
  std::array<std::array<std::array<double, 5>, 5>, 5> d{};
  for (size_t k = 0; k < kSupport; ++k) {
    std::array<std::array<double, 5>, 5> plane{};
    for (size_t j = 0; j < kSupport; ++j) {
      const double* row = &coefficients_[index(first[0], first[1] + static_cast<int>(j),
                                               first[2] + static_cast<int>(k))];
      for (size_t a = 0; a <= orders; ++a) {
        double line = 0;
        for (size_t i = 0; i < kSupport; ++i) line += bx.d[a][i] * row[i];
        for (size_t b = 0; a + b <= orders; ++b) plane[a][b] += by.d[b][j] * line;
      }
    }
    for (size_t a = 0; a <= orders; ++a)
      for (size_t b = 0; a + b <= orders; ++b)
        for (size_t c = 0; a + b + c <= orders; ++c) d[a][b][c] += bz.d[c][k] * plane[a][b];
  }
  const auto derivative = [&](std::initializer_list<size_t> axes) {
    std::array<size_t, 3> n{};
    for (const size_t axis : axes) ++n[axis];
    return d[n[0]][n[1]][n[2]];
  };
  out.jet.value = derivative({});
  for (size_t p = 0; p < 3; ++p) {
    const auto pp = static_cast<Eigen::Index>(p);
    out.jet.gradient[pp] = derivative({p});
    for (size_t q = 0; q < 3; ++q) {
      const auto qq = static_cast<Eigen::Index>(q);
      out.jet.hessian(pp, qq) = derivative({p, q});
      for (size_t r = 0; r < 3 && order >= 3; ++r) {
        out.third[r](pp, qq) = derivative({p, q, r});
        for (size_t s = 0; s < 3 && order >= 4; ++s)
          out.fourth[r][s](pp, qq) = derivative({p, q, r, s});
      }
    }
  }
}

}  // namespace sinew
