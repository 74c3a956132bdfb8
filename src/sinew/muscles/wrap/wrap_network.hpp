#pragma once

#include <span>
#include <string>

#include "sinew/math/mlp_file.hpp"

namespace sinew {

/// A network that was trained on the shortest paths around a surface (000 §5.3.3): from anchors,
/// radius and fraction α of the length to the material point x_α. Frame S of the surface: axis z,
/// the cap of a capped cylinder on z > 0, paths counter-clockwise about +z from o to i. Derivation
/// and encodings: docs/theory/neural_wrapping.md, docs/neural_format.md.
///
/// It works only within the ranges that its file declares; outside it throws an Error with the
/// quantity, its value and the range.
class WrapNetwork {
 public:
  enum class Encoding {
    cylinder_raw = 1,         ///< (o, i, α, r) → x_α, lengths in metres: the inputs of 000
    cylinder_invariant = 2,   ///< (acos r/ρ_o, acos r/ρ_i, θ, α) → deviation from the chord
    capped_cylinder_raw = 3,  ///< as 1
    capped_cylinder_invariant = 4,  ///< as 2, and the elevations atan z/ρ of o and i
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

  /// Throws Error unless every declared range holds for the path.
  void require_in_range(const Path<double>& path) const;

  /// x_α for all paths (of one muscle or of many) and all fractions at once:
  /// out[p · alphas.size() + k]. Checks the ranges. Allocates on the first use in a thread.
  template <class T>
  void points(std::span<const Path<T>> paths, std::span<const double> alphas,
              std::span<Point<T>> out) const;

 private:
  void require(const MlpFile::Range& range, double value) const;
  bool capped() const { return encoding_ >= Encoding::capped_cylinder_raw; }
  bool invariant() const {
    return encoding_ == Encoding::cylinder_invariant ||
           encoding_ == Encoding::capped_cylinder_invariant;
  }
  template <class T>
  T wrapping_angle(const Point<T>& o, const Point<T>& i) const;
  template <class T>
  void encode(const Path<T>& path, std::span<T> features) const;
  template <class T>
  Point<T> decode(const Path<T>& path, double alpha, std::span<const T> out) const;

  std::string name_;
  Encoding encoding_;
  std::vector<MlpFile::Range> ranges_;
  double cut_ = 0;  ///< wrapping angles are in (cut − 2π, cut], opposite to the declared range
  Mlp mlp_;
};

}  // namespace sinew
