#include "sinew/model/shape.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

using std::numbers::pi;

// A length or density beyond these has the wrong unit; all are far from overflow.
constexpr double kSmallestLength = 1e-9, kLargestLength = 1e6;    // m
constexpr double kSmallestDensity = 1e-9, kLargestDensity = 1e9;  // kg/m³

void check(const std::string& element, const char* what, double value, double low, double high,
           const char* unit) {
  if (value >= low && value <= high) return;  // false for NaN
  if (value <= 0) {
    throw Error(element, fmt::format("{} is {:g} {}", what, value, unit), "it must be positive");
  }
  throw Error(element, fmt::format("{} is {:g} {}", what, value, unit),
              fmt::format("it must be between {:g} and {:g} {}; check the units", low, high, unit));
}

void check_length(const std::string& element, const char* what, double value) {
  check(element, what, value, kSmallestLength, kLargestLength, "m");
}

void check_lengths(const std::string& element, const char* x, const char* y, const char* z,
                   const Vec3& value) {
  check_length(element, x, value.x());
  check_length(element, y, value.y());
  check_length(element, z, value.z());
}

void check_pose(const std::string& element, const Pose& E) {
  // 1e-6 forgives rotations typed in with seven digits.
  const double defect = (E.R.transpose() * E.R - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (!(defect < 1e-6) || E.R.determinant() < 0) {
    throw Error(element, "its rotation matrix is not a rotation",
                "give orthonormal, right-handed axes");
  }
  if (!E.p.allFinite() || E.p.cwiseAbs().maxCoeff() > kLargestLength) {
    throw Error(element,
                fmt::format("its position is ({:g}, {:g}, {:g}) m", E.p.x(), E.p.y(), E.p.z()),
                fmt::format("it must be finite, with coordinates up to {:g} m", kLargestLength));
  }
}

/// Inertia of a body centred at the origin, symmetric about the coordinate planes.
SpatialInertia centred(double mass, const Vec3& moments) {
  return {mass, Vec3::Zero(), moments.asDiagonal()};
}

}  // namespace

double Cuboid::volume() const { return sides.prod(); }

SpatialInertia Cuboid::inertia(double density) const {
  const double m = density * volume();
  const Vec3 sq = sides.cwiseAbs2();
  return centred(m, m / 12 * Vec3(sq.y() + sq.z(), sq.z() + sq.x(), sq.x() + sq.y()));
}

void Cuboid::validate(const std::string& element) const {
  check_lengths(element, "side x", "side y", "side z", sides);
}

double Sphere::volume() const { return 4 * pi / 3 * radius * radius * radius; }

SpatialInertia Sphere::inertia(double density) const {
  const double m = density * volume();
  return centred(m, Vec3::Constant(0.4 * m * radius * radius));
}

void Sphere::validate(const std::string& element) const { check_length(element, "radius", radius); }

double Cylinder::volume() const { return pi * radius * radius * height; }

SpatialInertia Cylinder::inertia(double density) const {
  const double m = density * volume(), r2 = radius * radius;
  const double across = m * (3 * r2 + height * height) / 12;
  return centred(m, Vec3(across, across, m * r2 / 2));
}

void Cylinder::validate(const std::string& element) const {
  check_length(element, "radius", radius);
  check_length(element, "height", height);
}

double Capsule::volume() const {
  return Cylinder{radius, height}.volume() + Sphere{radius}.volume();
}

SpatialInertia Capsule::inertia(double density) const {
  // Half a ball of mass m/2: centre of mass 3r/8 from its flat face, and 2/5 (m/2) r² about any
  // axis through the centre of that face. Moved out by h/2, both together: m (2/5 r² + h²/4 + 3/8 r
  // h).
  const double r = radius, h = height, m = density * Sphere{r}.volume();
  const double across = m * (0.4 * r * r + h * h / 4 + 0.375 * r * h);
  return Cylinder{r, h}.inertia(density) + centred(m, Vec3(across, across, 0.4 * m * r * r));
}

void Capsule::validate(const std::string& element) const {
  check_length(element, "radius", radius);
  check_length(element, "height of the cylindrical part", height);
}

double Ellipsoid::volume() const { return 4 * pi / 3 * radii.prod(); }

SpatialInertia Ellipsoid::inertia(double density) const {
  const double m = density * volume();
  const Vec3 sq = radii.cwiseAbs2();
  return centred(m, m / 5 * Vec3(sq.y() + sq.z(), sq.z() + sq.x(), sq.x() + sq.y()));
}

void Ellipsoid::validate(const std::string& element) const {
  check_lengths(element, "radius x", "radius y", "radius z", radii);
}

std::string type_name(const Shape& shape) {
  static constexpr const char* names[] = {"cuboid",  "sphere",    "cylinder",
                                          "capsule", "ellipsoid", "mesh"};
  static_assert(std::size(names) == std::variant_size_v<Shape>);
  return names[shape.index()];
}

double volume(const Shape& shape) {
  return std::visit([](const auto& s) { return s.volume(); }, shape);
}

SpatialInertia inertia(const Shape& shape, double density) {
  return std::visit([&](const auto& s) { return s.inertia(density); }, shape);
}

void validate(const Shape& shape, const std::string& element) {
  std::visit([&](const auto& s) { s.validate(element); }, shape);
}

SpatialInertia composite_inertia(const std::vector<ShapePart>& parts, const std::string& element) {
  if (parts.empty()) throw Error(element, "it has no shapes", "give at least one");
  SpatialInertia sum;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const ShapePart& part = parts[k];
    const std::string name =
        fmt::format("{}, shape {} ({})", element, k + 1, type_name(part.shape));
    validate(part.shape, name);
    check_pose(name, part.E_BS);
    check(name, "density", part.density, kSmallestDensity, kLargestDensity, "kg/m³");
    sum = sum + inertia(part.shape, part.density).transformed(part.E_BS);
  }
  return sum;
}

}  // namespace sinew
