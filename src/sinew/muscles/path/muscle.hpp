#pragma once

#include <memory>
#include <optional>

#include "sinew/math/time_function.hpp"
#include "sinew/model/skeleton.hpp"
#include "sinew/muscles/hill/hill_description.hpp"
#include "sinew/muscles/path/mass_distribution.hpp"
#include "sinew/muscles/wrap/wrap.hpp"

namespace sinew {

struct OpenSimPath;

/// 1 for a coordinate between `lower` and `upper`, 0 elsewhere; with a `band` the change is spread
/// over ± band around each limit, by a polynomial with four continuous derivatives.
struct Window {
  double lower = 0, upper = 0;
  double band = 0;
  double inside = 1, outside = 0;  ///< values to take instead of 1 and 0
};

/// A factor of a weight: a function of one coordinate.
struct PathWeight {
  DofIndex dof;
  std::variant<ScalarFunction, Window> function;
};

/// One summand of a path point: weight × (a point of a body, or a direction that turns with it).
/// The weight is a constant times functions of coordinates.
struct PathTerm {
  static constexpr size_t kMaxWeights = 4;
  BodyIndex body = kWorld;
  Vec3 x_B = Vec3::Zero();  ///< body frame [m]
  bool direction = false;
  double scale = 1;
  std::vector<PathWeight> weights;
};

/// A point that the path runs through, as a weighted sum of points and directions of bodies. The
/// weights of points add up to one.
struct PathPoint {
  std::vector<PathTerm> terms;

  static PathPoint Fixed(BodyIndex body, const Vec3& x_B);
  /// Moves along the body's axes with coordinates: x_B + (f₁(q), f₂(q), f₃(q)), as OpenSim's
  /// MovingPathPoint. Functions of one coordinate each; an invalid dof leaves that axis unchanged.
  static PathPoint Moving(BodyIndex body, const Vec3& x_B, const std::array<DofIndex, 3>& dof,
                          const std::array<ScalarFunction, 3>& f);
  /// Belongs to the path only while a coordinate is within `window` (inside = 1, outside = 0);
  /// otherwise it lies on the straight line between two neighbours, at the given fraction of it,
  /// where it has no effect. With a band it slides between the two. The neighbours may move or be
  /// conditional themselves. Throws an Error if the fraction is not inside (0, 1).
  static PathPoint Conditional(BodyIndex body, const Vec3& x_B, DofIndex dof, const Window& window,
                               const PathPoint& before, const PathPoint& after, double fraction);
};

/// The part between two neighbouring path points: nothing, or a surface fixed to a body.
struct PathSpan {
  BodyIndex body = kWorld;
  Pose E_BS;  ///< the surface in the body frame
  Wrap wrap = Straight{};
};

/// The representation of a muscle's mass.
enum class MassModel {
  continuous,  ///< spread along the belly
  points,      ///< equal lumps at fixed material points, as in Wang 2022; for comparison
};

/// A musculotendon as the user describes it: a path, what pulls along it, and mass.
struct Muscle {
  std::string name;

  /// A path by OpenSim's rules, which it pulls along; null: it pulls along the points below. Those
  /// then carry its mass only, and may be left out where it has none.
  std::shared_ptr<const OpenSimPath> opensim_path;
  std::vector<PathPoint> points;
  std::vector<PathSpan> spans;  ///< one fewer than points; empty: all straight

  double mass = 0;  ///< [kg]; zero: only a path that pulls
  MassModel mass_model = MassModel::continuous;
  MaterialMap material;
  std::vector<MassRegion> regions;  ///< filled by mass_regions; empty: uniform
  int lumps = 20;                   ///< for MassModel::points
  bool lumps_at_ends = false;       ///< the first and last lump sit at the belly's ends

  bool gravity = true;         ///< gravity acts on its mass
  bool velocity_terms = true;  ///< include its mass's quadratic velocity vector

  TimeFunction tension = 0.0;  ///< [N], ≥ 0; zero with `hill`
  std::optional<HillDescription> hill;

  bool has_mass() const { return mass > 0; }
};

/// A function of a weight and its first three derivatives with respect to the coordinate.
std::array<double, 4> evaluate(const std::variant<ScalarFunction, Window>& function, double x);
/// The weight of a term at q.
double weight_of(const PathTerm& term, const ConstVecRef& q);

}  // namespace sinew
