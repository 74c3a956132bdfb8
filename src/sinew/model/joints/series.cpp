#include "sinew/model/joints/series.hpp"

#include "sinew/model/joints/product_of_exponentials.hpp"

namespace sinew {
namespace {

auto as_vector(Coordinates x) {
  return Eigen::Map<const VecX>(x.data(), static_cast<Eigen::Index>(x.size()));
}

}  // namespace

SeriesMotion::SeriesMotion(Coordinates q, Coordinates qdot, JointMotion& out)
    : q_(q), qdot_(qdot), out_(out) {
  const int n = static_cast<int>(q.size());
  out.Q = Pose();
  out.S.setZero(6, n);
  out.Sdot.setZero(6, n);
}

// With A = Ad(Q₂)⁻¹ and u₂ = S₂q̇₂, Ȧ = −ad(u₂) A:
//     S = [A S₁, S₂],     Ṡ = [A Ṡ₁ − ad(u₂) A S₁, Ṡ₂]
// (Wang et al. 2019 Eq 45 and 49; Eq 51 with Ṡ₂ in place of S₂).
void SeriesMotion::append(const JointMotion& next) {
  const int n1 = static_cast<int>(done_), n2 = static_cast<int>(next.S.cols());
  const Vec6 u2 = next.S * as_vector(qdot_.subspan(done_, static_cast<size_t>(n2)));
  for (int i = 0; i < n1; ++i) {
    const Vec6 A_s = Ad_inverse_times(next.Q, out_.S.col(i));
    out_.Sdot.col(i) = Ad_inverse_times(next.Q, out_.Sdot.col(i)) - ad_times(u2, A_s);
    out_.S.col(i) = A_s;
  }
  out_.S.middleCols(n1, n2) = next.S;
  out_.Sdot.middleCols(n1, n2) = next.Sdot;
  out_.Q = out_.Q * next.Q;
  done_ += static_cast<size_t>(n2);
}

SeriesDerivatives::SeriesDerivatives(Coordinates q, Coordinates qdot, JointMotionDerivatives& out)
    : q_(q), qdot_(qdot), out_(out) {
  const int n = static_cast<int>(q.size());
  set_zero(n, out);
  S_.setZero(6, n);
}

// Twist and bias of the series are u = A u₁ + u₂ and w = A w₁ − ad(u₂) A u₁ + w₂. With ∂_mA = 0 for
// a coordinate of the first and ∂_mA = −ad(S₂ₘ) A for one of the second:
//     m in 1:  ∂_mS = [A ∂_mS₁, 0],            ∂_mw = A ∂_mw₁ − ad(u₂) A ∂_mu₁
//     m in 2:  ∂_mS = [−ad(S₂ₘ) A S₁, ∂_mS₂],   ∂_mw = ∂_mw₂ − ad(S₂ₘ) A w₁ − ad(∂_mu₂) A u₁ +
//     ad(u₂) ad(S₂ₘ) A u₁.
void SeriesDerivatives::append(const JointMotion& next, const JointMotionDerivatives& d_next) {
  const int n1 = static_cast<int>(done_), n2 = static_cast<int>(next.S.cols());
  const auto qdot1 = as_vector(qdot_.first(done_));
  const auto qdot2 = as_vector(qdot_.subspan(done_, static_cast<size_t>(n2)));
  const Vec6 u2 = next.S * qdot2, w2 = next.Sdot * qdot2;
  const Vec6 A_u1 = Ad_inverse_times(next.Q, u_), A_w1 = Ad_inverse_times(next.Q, w_);

  for (int m = 0; m < n1; ++m) {
    const Vec6 du1 = out_.dS[m].leftCols(n1) * qdot1;
    out_.dSdot_qdot.col(m) = Ad_inverse_times(next.Q, out_.dSdot_qdot.col(m)) -
                             ad_times(u2, Ad_inverse_times(next.Q, du1));
    for (int i = 0; i < n1; ++i) out_.dS[m].col(i) = Ad_inverse_times(next.Q, out_.dS[m].col(i));
  }
  for (int i = 0; i < n1; ++i) S_.col(i) = Ad_inverse_times(next.Q, S_.col(i));
  for (int m = 0; m < n2; ++m) {
    const Vec6 s2 = next.S.col(m), du2 = d_next.dS[m] * qdot2;
    out_.dSdot_qdot.col(n1 + m) = d_next.dSdot_qdot.col(m) - ad_times(s2, A_w1) -
                                  ad_times(du2, A_u1) + ad_times(u2, ad_times(s2, A_u1));
    for (int i = 0; i < n1; ++i) out_.dS[n1 + m].col(i) = -ad_times(s2, S_.col(i));
    out_.dS[n1 + m].middleCols(n1, n2) = d_next.dS[m];
  }
  S_.middleCols(n1, n2) = next.S;
  w_ = A_w1 - ad_times(u2, A_u1) + w2;
  u_ = A_u1 + u2;
  done_ += static_cast<size_t>(n2);
}

}  // namespace sinew
