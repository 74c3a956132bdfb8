#pragma once

#include <span>
#include <string>

#include "sinew/math/mlp_file.hpp"

namespace sinew {

/// A network that was trained on the shortest paths around a surface (Wang 2022 §5.3.3): from
/// anchors, radius and fraction α of the length to the material point x_α. Frame S of the surface:
/// axis z, the cap of a capped cylinder on z > 0, paths counter-clockwise about +z from o to i.
/// Derivation and encodings: docs/theory/neural_wrapping.md, docs/neural_format.md.
///
/// It works only within the ranges that its file declares; outside it throws an Error with the
/// quantity, its value and the range.
class WrapNetwork {
 public:
  enum class Encoding {
    cylinder_raw = 1,         ///< (o, i, α, r) → x_α, lengths in metres: Wang 2022
    cylinder_invariant = 2,   ///< (acos r/ρ_o, acos r/ρ_i, θ, α) → deviation from the chord
    capped_cylinder_raw = 3,  ///< as 1
    capped_cylinder_invariant = 4,  ///< as 2, and the elevations atan z/ρ of o and i
    cylinder_polyline = 5,          ///< as 2 without α → the inner points of a polyline
    capped_cylinder_polyline = 6,   ///< as 4 without α, likewise
    over_cap_polyline = 7,          ///< origin above or beside the cap, insertion beside the barrel
  };
  /// One path: its anchors in S and the surface's radius [m].
  template <class T>
  struct Path {
    Point<T> o, i;
    double radius;
  };

  /// `name` appears in errors. Throws an Error if the file's content fits no encoding.
  WrapNetwork(MlpFile file, std::string name);

  const std::string& name() const { return name_; }
  Encoding encoding() const { return encoding_; }
  const Mlp& mlp() const { return mlp_; }
  /// Of the polyline whose inner points are its answer; 0 if it gives x_α for any α.
  int pieces() const { return pieces_; }

  /// Throws Error unless every declared range holds for the path.
  void require_in_range(const Path<double>& path) const;

  /// x_α for all paths (of one muscle or of many) and all fractions at once:
  /// out[p · alphas.size() + k]. Checks the ranges. Allocates on the first use in a thread. The
  /// alphas of a polyline are inner points of it, k / pieces().
  template <class T>
  void points(std::span<const Path<T>> paths, std::span<const double> alphas,
              std::span<Point<T>> out) const;

 private:
  /// What a network is told: the numbers of Wang 2022, or invariants of the path.
  enum class Chart { raw, invariant, over_cap };

  [[noreturn]] void fail(std::string problem) const;
  void require(const MlpFile::Range& range, double value) const;
  void require_fractions(std::span<const double> alphas) const;
  /// Inputs that depend on the anchors.
  int features() const {
    return chart_ == Chart::raw ? 6 : chart_ == Chart::over_cap || capped_ ? 5 : 3;
  }
  /// Numbers in a point of the answer.
  int dimensions() const { return chart_ == Chart::invariant && !capped_ ? 2 : 3; }

  template <class T>
  T wrapping_angle(const Point<T>& o, const Point<T>& i) const;
  template <class T>
  void encode(const Path<T>& path, std::span<T> features) const;
  /// Puts features, α and the radius in the network's order.
  template <class T>
  void arrange(const T* features, double alpha, double radius, T* inputs) const;
  /// Answers with the derivatives of T from those by the N features.
  template <class T, int N>
  void answer(std::span<const Path<T>> paths, std::span<const double> alphas,
              const std::vector<T>& features, std::vector<T>& answers) const;
  template <class T>
  Point<T> decode(const Path<T>& path, double alpha, const T* y) const;

  std::string name_;
  Encoding encoding_;
  Chart chart_ = Chart::raw;
  bool capped_ = false;
  int pieces_ = 0;
  std::vector<MlpFile::Range> ranges_;
  double cut_ = 0;  ///< wrapping angles are in (cut − 2π, cut], opposite to the declared range
  Mlp mlp_;
};

}  // namespace sinew
