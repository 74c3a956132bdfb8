#include "sinew/muscles/wrap/wrap_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"
#include "sinew/math/fewer_derivatives.hpp"
#include "sinew/muscles/wrap/span.hpp"

namespace sinew {
namespace {

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
  kPoleAlong = 16,
  kPoleAcross = 17,
  kCutMargin = 18,
  kCentreOrigin = 19,
};
constexpr std::array<const char*, 20> kQuantityNames{
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
    "radius / distance of the insertion from the half-axis",
    "the origin's coordinate over the pole, along the insertion's azimuth,",
    "the origin's coordinate over the pole, across the insertion's azimuth,",
    "the origin's margin to the other side of the cap",
    "radius / distance of the origin from the cap's centre"};

template <class T>
T axis_distance(const Point<T>& x) {
  using std::sqrt;
  return sqrt(x[0] * x[0] + x[1] * x[1]);
}

/// The origin's direction from the cap's centre, in stereographic projection: along the insertion's
/// azimuth, and across it, positive if the path turns counter-clockwise. Smooth above the pole.
template <class T>
std::array<T, 2> pole_coordinates(const Point<T>& o, const Point<T>& i) {
  using std::sqrt;
  const T scale = 1.0 / (axis_distance(i) * (sqrt(o.dot(o)) + o[2]));
  return {(o[0] * i[0] + o[1] * i[1]) * scale, (o[0] * i[1] - o[1] * i[0]) * scale};
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
    case kPoleAlong:
      return pole_coordinates(path.o, path.i)[0];
    case kPoleAcross:
      return pole_coordinates(path.o, path.i)[1];
    case kCutMargin: {
      const auto [along, across] = pole_coordinates(path.o, path.i);
      return std::max(along - 0.1, across);
    }
    case kCentreOrigin:
      return path.radius / path.o.norm();
    default:
      return x[static_cast<Eigen::Index>((which - 1) % 3)];
  }
}

}  // namespace

WrapNetwork::WrapNetwork(MlpFile file, std::string name)
    : name_(std::move(name)), ranges_(std::move(file.ranges)), mlp_(std::move(file.mlp)) {
  if (file.encoding < 1 || file.encoding > 7)
    fail(fmt::format("its encoding {} is not one of 1 to 7", file.encoding));
  encoding_ = static_cast<Encoding>(file.encoding);
  const auto is = [this](auto... encodings) { return ((encoding_ == encodings) || ...); };
  using enum Encoding;
  chart_ = is(cylinder_raw, capped_cylinder_raw) ? Chart::raw
           : is(over_cap_polyline)               ? Chart::over_cap
                                                 : Chart::invariant;
  capped_ = !is(cylinder_raw, cylinder_invariant, cylinder_polyline);
  const bool polyline = encoding_ >= cylinder_polyline;
  if (polyline) pieces_ = mlp_.outputs() / dimensions() + 1;
  const int inputs = features() + (polyline ? 0 : 1) + (chart_ == Chart::raw ? 1 : 0);
  const int outputs = dimensions() * (polyline ? pieces_ - 1 : 1);
  if (mlp_.inputs() != inputs || mlp_.outputs() != outputs)
    fail(fmt::format("it has {} inputs and {} outputs, its encoding {} and {}", mlp_.inputs(),
                     mlp_.outputs(), inputs, outputs));
  if (polyline && (pieces_ < 2 || pieces_ > SpanShape<double>::kMaxPieces))
    fail(fmt::format("its polyline has {} pieces, not 2 to {}", pieces_,
                     SpanShape<double>::kMaxPieces));
  bool has_angle = chart_ == Chart::over_cap;
  for (const MlpFile::Range& range : ranges_) {
    if (range.quantity < 1 || range.quantity >= kQuantityNames.size())
      fail(fmt::format("it declares a range of an unknown quantity {}", range.quantity));
    if (range.quantity != kWrappingAngle) continue;
    has_angle = true;
    cut_ = 0.5 * (range.low + range.high) + std::numbers::pi;
  }
  if (!has_angle) fail("it declares no range of the wrapping angle");
}

void WrapNetwork::fail(std::string problem) const {
  throw Error("network '" + name_ + "'", std::move(problem), "write it with scripts/neural");
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
  using std::acos, std::atan2, std::sqrt;
  if (chart_ == Chart::raw) {
    for (size_t k = 0; k < 3; ++k) {
      f[k] = path.o[static_cast<Eigen::Index>(k)];
      f[k + 3] = path.i[static_cast<Eigen::Index>(k)];
    }
    return;
  }
  const T rho_i = axis_distance(path.i);
  if (chart_ == Chart::over_cap) {
    const auto pole = pole_coordinates(path.o, path.i);
    f[0] = pole[0];
    f[1] = pole[1];
    f[2] = acos(T(path.radius / sqrt(path.o.dot(path.o))));
    f[3] = acos(T(path.radius / rho_i));
    f[4] = atan2(path.i[2], rho_i);
    return;
  }
  const T rho_o = axis_distance(path.o);
  f[0] = acos(T(path.radius / rho_o));
  f[1] = acos(T(path.radius / rho_i));
  f[2] = wrapping_angle(path.o, path.i);
  if (!capped_) return;
  f[3] = atan2(path.o[2], rho_o);
  f[4] = atan2(path.i[2], rho_i);
}

template <class T>
void WrapNetwork::arrange(const T* features, double alpha, double radius, T* inputs) const {
  const int count = this->features(), place = chart_ == Chart::raw ? 6 : 3;
  if (pieces_ > 0) {
    std::copy_n(features, count, inputs);
    return;
  }
  std::copy_n(features, place, inputs);
  inputs[place] = T(alpha);
  std::copy(features + place, features + count, inputs + place + 1);
  if (chart_ == Chart::raw) inputs[7] = T(radius);
}

template <class T>
Point<T> WrapNetwork::decode(const Path<T>& path, double alpha, const T* y) const {
  using std::sqrt;
  if (chart_ == Chart::raw) return {y[0], y[1], y[2]};
  // Deviation from the chord in the frame whose x axis points at the origin (over a cap, at the
  // insertion); zero at both ends.
  const Point<T>& towards = chart_ == Chart::over_cap ? path.i : path.o;
  const T rho = axis_distance(towards);
  T scale(path.radius);
  if (chart_ == Chart::invariant)
    scale = sqrt(rho * rho + path.i[0] * path.i[0] + path.i[1] * path.i[1]);
  if (pieces_ == 0) scale = scale * (alpha * (1 - alpha));
  const T share = scale / rho, c = towards[0] * share, s = towards[1] * share;
  const Point<T> chord = path.o + alpha * Point<T>(path.i - path.o);
  return {chord[0] + c * y[0] - s * y[1], chord[1] + s * y[0] + c * y[1],
          capped_ ? T(chord[2] + scale * y[2]) : chord[2]};
}

template <class T, int N>
void WrapNetwork::answer(std::span<const Path<T>> paths, std::span<const double> alphas,
                         const std::vector<T>& features, std::vector<T>& answers) const {
  using Few = FewerDerivatives<T, N>;
  thread_local MlpScratch scratch;
  thread_local std::vector<typename Few::Number> from, to;
  const size_t samples = pieces_ > 0 ? 1 : alphas.size(), count = paths.size() * samples;
  const auto inputs = static_cast<size_t>(mlp_.inputs()),
             outputs = static_cast<size_t>(mlp_.outputs());
  if (from.size() < count * inputs) from.resize(count * inputs);
  if (to.size() < count * outputs) to.resize(count * outputs);
  for (size_t p = 0; p < paths.size(); ++p) {
    std::array<typename Few::Number, 6> seeded{};  // as many as any chart has
    for (size_t j = 0; j < N; ++j) seeded[j] = Few::seed(features[p * N + j], j);
    for (size_t k = 0; k < samples; ++k)
      arrange(seeded.data(), pieces_ > 0 ? 0.0 : alphas[k], paths[p].radius,
              from.data() + (p * samples + k) * inputs);
  }
  mlp_.evaluate<typename Few::Number>({from.data(), count * inputs}, {to.data(), count * outputs},
                                      scratch);
  if (answers.size() < count * outputs) answers.resize(count * outputs);
  for (size_t n = 0; n < count * outputs; ++n)
    answers[n] = Few::chain(to[n], features.data() + n / (samples * outputs) * N);
}

void WrapNetwork::require_fractions(std::span<const double> alphas) const {
  for (const MlpFile::Range& range : ranges_)
    if (range.quantity == kAlpha)
      for (const double alpha : alphas) require(range, alpha);
  if (pieces_ == 0) return;
  for (const double alpha : alphas) {
    const double k = alpha * pieces_;
    if (k != std::round(k) || k < 1 || k > pieces_ - 1)
      throw Error("network '" + name_ + "'",
                  fmt::format("it has no point at the fraction {:.6g} of the path", alpha),
                  fmt::format("its points are at k/{}", pieces_));
  }
}

template <class T>
void WrapNetwork::points(std::span<const Path<T>> paths, std::span<const double> alphas,
                         std::span<Point<T>> out) const {
  thread_local std::vector<T> features, answers;
  require_fractions(alphas);
  const auto n = static_cast<size_t>(this->features());
  if (features.size() < paths.size() * n) features.resize(paths.size() * n);
  for (size_t p = 0; p < paths.size(); ++p) {
    Path<double> plain{{}, {}, paths[p].radius};
    for (int k = 0; k < 3; ++k) {
      plain.o[k] = value_of(paths[p].o[k]);
      plain.i[k] = value_of(paths[p].i[k]);
    }
    require_in_range(plain);
    encode<T>(paths[p], {features.data() + p * n, n});
  }
  switch (n) {
    case 3:
      answer<T, 3>(paths, alphas, features, answers);
      break;
    case 5:
      answer<T, 5>(paths, alphas, features, answers);
      break;
    default:
      answer<T, 6>(paths, alphas, features, answers);
  }
  const auto outputs = static_cast<size_t>(mlp_.outputs());
  for (size_t p = 0, at = 0; p < paths.size(); ++p)
    for (size_t k = 0; k < alphas.size(); ++k, ++at) {
      const size_t first = pieces_ > 0 ? p * outputs + static_cast<size_t>(dimensions()) *
                                                           (std::lround(alphas[k] * pieces_) - 1)
                                       : at * outputs;
      out[at] = decode<T>(paths[p], alphas[k], answers.data() + first);
    }
}

#define SINEW_POINTS(T)                                                                   \
  template void WrapNetwork::points<T>(std::span<const Path<T>>, std::span<const double>, \
                                       std::span<Point<T>>) const;
SINEW_FOR_PATH_SCALARS(SINEW_POINTS)
#undef SINEW_POINTS

}  // namespace sinew
