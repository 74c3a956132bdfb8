#include "sinew/muscles/wrap/wrap_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/span.hpp"

namespace sinew {
namespace {

using Encoding = WrapNetwork::Encoding;

struct Size {
  int inputs, outputs, alpha;  ///< alpha: its place among the inputs
};
Size size_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::cylinder_invariant:
      return {4, 2, 3};
    case Encoding::capped_cylinder_invariant:
      return {6, 3, 3};
    case Encoding::cylinder_raw:
    case Encoding::capped_cylinder_raw:
      break;
  }
  return {8, 3, 6};
}

/// Numbers of the quantities in the file.
enum Quantity : std::uint32_t {
  kAlpha = 7,
  kRadius = 8,
  kDistanceOrigin = 9,
  kDistanceInsertion = 10,
  kWrappingAngle = 11,
  kElevationOrigin = 12,
  kElevationInsertion = 13,
  kCoreOrigin = 14,
  kCoreInsertion = 15,
};
constexpr std::array<const char*, 16> kQuantityNames{
    "",
    "x of the origin",
    "y of the origin",
    "z of the origin",
    "x of the insertion",
    "y of the insertion",
    "z of the insertion",
    "alpha",
    "the radius",
    "radius / distance of the origin from the axis",
    "radius / distance of the insertion from the axis",
    "the wrapping angle",
    "the elevation of the origin",
    "the elevation of the insertion",
    "radius / distance of the origin from the half-axis",
    "radius / distance of the insertion from the half-axis"};

template <class T>
T axis_distance(const Point<T>& x) {
  using std::sqrt;
  return sqrt(x[0] * x[0] + x[1] * x[1]);
}

double quantity(std::uint32_t which, const WrapNetwork::Path<double>& path, double angle) {
  const bool at_origin =
      which <= 3 || which == kDistanceOrigin || which == kElevationOrigin || which == kCoreOrigin;
  const Vec3& x = at_origin ? path.o : path.i;
  switch (which) {
    case kRadius:
      return path.radius;
    case kDistanceOrigin:
    case kDistanceInsertion:
      return path.radius / axis_distance(x);
    case kWrappingAngle:
      return angle;
    case kElevationOrigin:
    case kElevationInsertion:
      return std::atan2(x[2], axis_distance(x));
    case kCoreOrigin:
    case kCoreInsertion:
      return path.radius / std::hypot(axis_distance(x), std::max(x[2], 0.0));
    default:
      return x[static_cast<Eigen::Index>((which - 1) % 3)];
  }
}

}  // namespace

WrapNetwork::WrapNetwork(MlpFile file, std::string name)
    : name_(std::move(name)), ranges_(std::move(file.ranges)), mlp_(std::move(file.mlp)) {
  const auto fail = [this](std::string problem) {
    throw Error("network '" + name_ + "'", std::move(problem), "write it with scripts/neural");
  };
  if (file.encoding < 1 || file.encoding > 4)
    fail(fmt::format("its encoding {} is not one of 1 to 4", file.encoding));
  encoding_ = static_cast<Encoding>(file.encoding);
  const Size size = size_of(encoding_);
  if (mlp_.inputs() != size.inputs || mlp_.outputs() != size.outputs)
    fail(fmt::format("it has {} inputs and {} outputs, its encoding {} and {}", mlp_.inputs(),
                     mlp_.outputs(), size.inputs, size.outputs));
  bool has_angle = false;
  for (const MlpFile::Range& range : ranges_) {
    if (range.quantity < 1 || range.quantity >= kQuantityNames.size())
      fail(fmt::format("it declares a range of an unknown quantity {}", range.quantity));
    if (range.quantity != kWrappingAngle) continue;
    has_angle = true;
    cut_ = 0.5 * (range.low + range.high) + std::numbers::pi;
  }
  if (!has_angle) fail("it declares no range of the wrapping angle");
}

void WrapNetwork::require(const MlpFile::Range& range, double value) const {
  // NaN is outside, too.
  if (value >= range.low && value <= range.high) return;
  throw Error(
      "network '" + name_ + "'",
      fmt::format("{} is {:.6g}, outside the range {:.6g} to {:.6g} it was trained in",
                  kQuantityNames[range.quantity], value, range.low, range.high),
      "keep the path in that range (in the surface's frame, m and rad), or wrap it with the "
      "exact or smooth model, which have no such range");
}

void WrapNetwork::require_in_range(const Path<double>& path) const {
  const double angle = wrapping_angle<double>(path.o, path.i);
  for (const MlpFile::Range& range : ranges_)
    if (range.quantity != kAlpha) require(range, quantity(range.quantity, path, angle));
}

template <class T>
T WrapNetwork::wrapping_angle(const Point<T>& o, const Point<T>& i) const {
  using std::atan2;
  constexpr double turn = 2 * std::numbers::pi;
  const T theta = atan2(T(o[0] * i[1] - o[1] * i[0]), T(o[0] * i[0] + o[1] * i[1]));
  const double value = value_of(theta) < 0 ? value_of(theta) + turn : value_of(theta);
  const double wanted = value > cut_ ? value - turn : value;
  return theta + (wanted - value_of(theta));
}

template <class T>
void WrapNetwork::encode(const Path<T>& path, std::span<T> f) const {
  using std::acos, std::atan2;
  if (!invariant()) {
    for (size_t k = 0; k < 3; ++k) {
      f[k] = path.o[static_cast<Eigen::Index>(k)];
      f[k + 3] = path.i[static_cast<Eigen::Index>(k)];
    }
    f[7] = T(path.radius);
    return;
  }
  const T rho_o = axis_distance(path.o), rho_i = axis_distance(path.i);
  f[0] = acos(T(path.radius / rho_o));
  f[1] = acos(T(path.radius / rho_i));
  f[2] = wrapping_angle(path.o, path.i);
  if (!capped()) return;
  f[4] = atan2(path.o[2], rho_o);
  f[5] = atan2(path.i[2], rho_i);
}

template <class T>
Point<T> WrapNetwork::decode(const Path<T>& path, double alpha, std::span<const T> y) const {
  using std::sqrt;
  if (!invariant()) return {y[0], y[1], y[2]};
  // Deviation from the chord in the frame whose x axis points at the origin, zero at both ends.
  const T rho_o = axis_distance(path.o), rho_i = axis_distance(path.i);
  const T scale = sqrt(rho_o * rho_o + rho_i * rho_i) * (alpha * (1 - alpha));
  const T c = path.o[0] / rho_o, s = path.o[1] / rho_o;
  const Point<T> chord = path.o + alpha * Point<T>(path.i - path.o);
  return {chord[0] + scale * (c * y[0] - s * y[1]), chord[1] + scale * (s * y[0] + c * y[1]),
          capped() ? T(chord[2] + scale * y[2]) : chord[2]};
}

template <class T>
void WrapNetwork::points(std::span<const Path<T>> paths, std::span<const double> alphas,
                         std::span<Point<T>> out) const {
  thread_local MlpScratch scratch;
  thread_local std::vector<T> features, answers;
  const Size size = size_of(encoding_);
  const auto inputs = static_cast<size_t>(size.inputs), outputs = static_cast<size_t>(size.outputs);
  const size_t count = paths.size() * alphas.size();
  if (features.size() < count * inputs) features.resize(count * inputs);
  if (answers.size() < count * outputs) answers.resize(count * outputs);

  for (const MlpFile::Range& range : ranges_)
    if (range.quantity == kAlpha)
      for (const double alpha : alphas) require(range, alpha);
  T* f = features.data();
  for (const Path<T>& path : paths) {
    Path<double> plain{{}, {}, path.radius};
    for (int k = 0; k < 3; ++k) {
      plain.o[k] = value_of(path.o[k]);
      plain.i[k] = value_of(path.i[k]);
    }
    require_in_range(plain);
    const T* const first = f;
    encode<T>(path, {f, inputs});
    for (const double alpha : alphas) {
      if (f != first) std::copy_n(first, inputs, f);
      f[size.alpha] = T(alpha);
      f += inputs;
    }
  }
  mlp_.evaluate<T>({features.data(), count * inputs}, {answers.data(), count * outputs}, scratch);
  for (size_t n = 0; n < count; ++n)
    out[n] = decode<T>(paths[n / alphas.size()], alphas[n % alphas.size()],
                       {answers.data() + n * outputs, outputs});
}

#define SINEW_POINTS(T)                                                                   \
  template void WrapNetwork::points<T>(std::span<const Path<T>>, std::span<const double>, \
                                       std::span<Point<T>>) const;
SINEW_FOR_PATH_SCALARS(SINEW_POINTS)
#undef SINEW_POINTS

}  // namespace sinew
