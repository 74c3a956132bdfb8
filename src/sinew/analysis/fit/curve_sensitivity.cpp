#include "sinew/analysis/fit/curve_sensitivity.hpp"

#include "sinew/math/se3_jacobian.hpp"

namespace sinew {

CurveSensitivity::CurveSensitivity(const std::vector<Pose>& frames, const CubicBSpline& spline)
    : frames_(frames), spline_(spline) {
  const size_t n = frames.size();
  steps_.reserve(n);
  for (size_t j = 0; j < n; ++j) {
    // exp(z) = C_{j−1}⁻¹ C_j, hence J_r(z) dz = u_j − Ad(exp(−z)) u_{j−1}, and
    // J_r(z)⁻¹ Ad(exp(−z)) = J_r(−z)⁻¹.
    const Vec6 z = log(frames[(j + n - 1) % n].inverse() * frames[j]);
    steps_.push_back({z, right_jacobian_se3_inverse(z), right_jacobian_se3_inverse(-z)});
  }
}

std::array<int, 4> CurveSensitivity::indices(int first) const {
  const int n = static_cast<int>(frames_.size());
  return {first % n, (first + 1) % n, (first + 2) % n, (first + 3) % n};
}

std::array<Mat6, 4> CurveSensitivity::by_frames(int first, const std::array<Mat6, 3>& by_z) const {
  std::array<Mat6, 4> out;
  out[0].setZero();
  for (int i = 0; i < 3; ++i) {
    const Step& s = step(first + i + 1);
    out[i].noalias() -= by_z[i] * s.by_previous;
    out[i + 1].noalias() = by_z[i] * s.by_frame;
  }
  return out;
}

// Q = C_k E₁ E₂ E₃, E_i = exp(z_i b_i): factor i adds the twist b_i J_r(z_i b_i) dz_i, carried
// through the factors behind it.
CurvePoseSensitivity CurveSensitivity::pose(double q) const {
  const CubicBasis basis = spline_.cumulative_basis(q);
  CurvePoseSensitivity out;
  out.S.setZero();
  std::array<Mat6, 3> by_z;
  Pose behind;  // E_{i+1} … E₃
  for (int i = 2; i >= 0; --i) {
    const Vec6& z = step(basis.first + i + 1).z;
    const double b = basis.d[0][i + 1];
    const Mat6 carried = Ad(behind.inverse());
    by_z[i].noalias() = b * carried * right_jacobian_se3(z * b);
    out.S += carried * z * basis.d[1][i + 1];
    behind = exp(z * b) * behind;
  }
  out.frames = indices(basis.first);
  out.dQ = by_frames(basis.first, by_z);
  out.dQ[0] += Ad(behind.inverse());
  out.Q = frames_[static_cast<size_t>(out.frames[0])] * behind;
  return out;
}

// Lee and Terzopoulos 2008 Eq 29 and 31 with their derivatives by z, factor by factor. With
// A = Ad(exp(−z b)) and w = b J_r(z b) dz, the twist of the factor: d(A x) = A dx + ad(A x) w.
CurveRateSensitivity CurveSensitivity::rates(double q) const {
  const CubicBasis basis = spline_.cumulative_basis(q);
  Vec6 S = Vec6::Zero(), h = Vec6::Zero();
  std::array<Mat6, 3> dS, dh;
  for (int i = 0; i < 3; ++i) {
    const Vec6& z = step(basis.first + i + 1).z;
    const auto [b, b1, b2, b3] = basis.derivatives(i + 1);
    const Mat6 A = Ad(exp(-z * b));
    const Mat6 w = b * right_jacobian_se3(z * b);
    const Vec6 carried_S = A * S, carried_h = A * (h + ad_times(S, z) * b1);
    const Mat6 ad_z = ad(z);
    for (int l = 0; l < i; ++l) {
      dh[l] = A * (dh[l] - b1 * ad_z * dS[l]);
      dS[l] = A * dS[l];
    }
    dS[i] = b1 * Mat6::Identity() + ad(carried_S) * w;
    dh[i] = b2 * Mat6::Identity() + b1 * A * ad(S) + ad(carried_h) * w;
    S = z * b1 + carried_S;
    h = z * b2 + carried_h;
  }
  return {S, h, indices(basis.first), by_frames(basis.first, dS), by_frames(basis.first, dh)};
}

}  // namespace sinew
