#pragma once

#include "sinew/model/joint_motion.hpp"

/// Joints in series with no body between (Wang et al. 2019 section 5.1): Q = Q₁ Q₂ …, the
/// coordinates one after the other. Parts are appended one by one; each append is the formula for
/// two joints, the series so far and the next one.

namespace sinew {

/// Builds the JointMotion of a series in `out`.
class SeriesMotion {
 public:
  /// `q` and `qdot` hold the coordinates of all parts; `out` becomes the motion of the empty
  /// series.
  SeriesMotion(Coordinates q, Coordinates qdot, JointMotion& out);

  template <class Part>
  void append(const Part& part) {
    const size_t n = static_cast<size_t>(part.dof());
    JointMotion next;
    part.evaluate(q_.subspan(done_, n), qdot_.subspan(done_, n), next);
    append(next);
  }

 private:
  void append(const JointMotion& next);

  Coordinates q_, qdot_;
  JointMotion& out_;
  size_t done_ = 0;  ///< coordinates of the parts appended so far
};

/// Builds the JointMotionDerivatives of a series in `out`.
class SeriesDerivatives {
 public:
  SeriesDerivatives(Coordinates q, Coordinates qdot, JointMotionDerivatives& out);

  template <class Part>
  void append(const Part& part) {
    const size_t n = static_cast<size_t>(part.dof());
    const Coordinates q = q_.subspan(done_, n), qdot = qdot_.subspan(done_, n);
    JointMotion next;
    JointMotionDerivatives next_derivatives;
    part.evaluate(q, qdot, next);
    part.differentiate(q, qdot, next_derivatives);
    append(next, next_derivatives);
  }

 private:
  void append(const JointMotion& next, const JointMotionDerivatives& next_derivatives);

  Coordinates q_, qdot_;
  JointMotionDerivatives& out_;
  Mat6Xb S_;                                  ///< S of the parts appended so far
  Vec6 u_ = Vec6::Zero(), w_ = Vec6::Zero();  ///< Sq̇ and Ṡq̇ of these parts
  size_t done_ = 0;
};

}  // namespace sinew
