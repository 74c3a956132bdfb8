#include <gtest/gtest.h>

#include "sinew/model/joint.hpp"
#include "support/allocation_guard.hpp"
#include "support/finite_difference.hpp"
#include "support/joint_evaluation.hpp"
#include "support/joint_examples.hpp"
#include "support/random.hpp"

/// The laws that make Q, S, Ṡ, ∂S/∂q and ∂(Ṡq̇)/∂q one joint, checked for every joint type.

namespace sinew {
namespace joint_laws_test {

using test::as_span;
using test::derivatives;
using test::JointExample;
using test::motion;

class JointLaws : public ::testing::TestWithParam<JointExample> {
 protected:
  const Joint& joint() const { return GetParam().joint; }
  int n() const { return joint().dof(); }
  VecX rate() const { return test::Random(5).vecx(n(), 2); }

  /// Runs law(q) at every point of the example.
  template <class Law>
  void everywhere(Law&& law) const {
    for (const auto* points : {&GetParam().regular, &GetParam().singular})
      for (const VecX& q : *points) {
        SCOPED_TRACE(::testing::Message() << "q = " << q.transpose());
        law(q);
      }
  }

  /// `claimed` is the derivative of f at q. The best step of a central difference leaves about
  /// (rounding)^(2/3) ≈ 4e-11 of the function's own scale; 1e-7 leaves room for scales such as 1/b
  /// in a narrow ellipse, and no wrong term would hide below it. Where the derivative vanishes but
  /// for rounding, as at the vertices of an ellipse, the function's size is the scale instead.
  void expect_derivative(const VectorFunction& f, const VecX& q, const MatX& claimed) const {
    if (n() == 0) return;
    const DifferenceSweep sweep = check_derivative(f, q, claimed);
    const double scale = std::max(sweep.scale, f(q).cwiseAbs().maxCoeff());
    EXPECT_LE(sweep.best_error * sweep.scale, 1e-7 * scale) << sweep.table();
    // Slope 2 before the best step, unless there is no truncation error to see: the difference
    // agrees to rounding, or the derivative vanishes.
    const bool nothing_to_see =
        sweep.best_error * sweep.scale < 1e-13 * scale || sweep.exact || sweep.scale < 1e-9 * scale;
    EXPECT_TRUE(nothing_to_see || sweep.slope > 1.8) << sweep.table();
  }
};

TEST_P(JointLaws, SIsTheDerivativeOfQ) {
  everywhere([&](const VecX& q) {
    const JointMotion at_q = motion(joint(), q, rate());
    const Pose inverse = at_q.Q.inverse();
    // log has derivative 1 at the identity, so the twist from Q(q) to Q(x) has derivative S at x =
    // q.
    const auto twist = [&](const VecX& x) -> VecX {
      return log(inverse * motion(joint(), x, rate()).Q);
    };
    ASSERT_EQ(at_q.S.cols(), n());
    expect_derivative(twist, q, at_q.S);
  });
}

TEST_P(JointLaws, SdotIsTheRateOfS) {
  everywhere([&](const VecX& q) {
    const VecX qdot = rate();
    const auto S_at = [&](const VecX& t) -> VecX {
      const Mat6Xb S = motion(joint(), q + t[0] * qdot, qdot).S;
      return Eigen::Map<const VecX>(S.data(), S.size());
    };
    const Mat6Xb Sdot = motion(joint(), q, qdot).Sdot;
    ASSERT_EQ(Sdot.cols(), n());
    expect_derivative(S_at, VecX::Zero(1), Eigen::Map<const VecX>(Sdot.data(), Sdot.size()));
  });
}

TEST_P(JointLaws, DSIsTheDerivativeOfS) {
  everywhere([&](const VecX& q) {
    const JointMotionDerivatives d = derivatives(joint(), q, rate());
    MatX claimed(6 * n(), n());
    for (int k = 0; k < n(); ++k) {
      ASSERT_EQ(d.dS[k].cols(), n());
      claimed.col(k) = Eigen::Map<const VecX>(d.dS[k].data(), d.dS[k].size());
    }
    const auto S_at = [&](const VecX& x) -> VecX {
      const Mat6Xb S = motion(joint(), x, rate()).S;
      return Eigen::Map<const VecX>(S.data(), S.size());
    };
    expect_derivative(S_at, q, claimed);
  });
}

TEST_P(JointLaws, DSdotQdotIsTheDerivativeOfTheBias) {
  everywhere([&](const VecX& q) {
    const VecX qdot = rate();
    const auto bias = [&](const VecX& x) -> VecX { return motion(joint(), x, qdot).Sdot * qdot; };
    const Mat6Xb claimed = derivatives(joint(), q, qdot).dSdot_qdot;
    ASSERT_EQ(claimed.cols(), n());
    expect_derivative(bias, q, claimed);
  });
}

// Ṡ = Σ_k ∂S/∂q_k q̇_k ties the two calls together, to rounding.
TEST_P(JointLaws, SdotIsDSContractedWithQdot) {
  everywhere([&](const VecX& q) {
    const VecX qdot = rate();
    const Mat6Xb Sdot = motion(joint(), q, qdot).Sdot;
    const JointMotionDerivatives d = derivatives(joint(), q, qdot);
    Mat6Xb sum = Mat6Xb::Zero(6, n());
    double scale = 1;
    for (int k = 0; k < n(); ++k) {
      sum += d.dS[k] * qdot[k];
      scale = std::max(scale, d.dS[k].cwiseAbs().maxCoeff());
    }
    // Rounding of a handful of products, relative to the largest term.
    EXPECT_LE((Sdot - sum).norm(), 1e-13 * scale);
  });
}

// Q depends on q alone, so its mixed derivatives commute: ∂_mS_i − ∂_iS_m + ad(S_m) S_i = 0.
TEST_P(JointLaws, MaurerCartanHolds) {
  everywhere([&](const VecX& q) {
    const Mat6Xb S = motion(joint(), q, rate()).S;
    const JointMotionDerivatives d = derivatives(joint(), q, rate());
    for (int m = 0; m < n(); ++m)
      for (int i = 0; i < m; ++i) {
        const Vec6 bracket = ad_times(S.col(m), S.col(i));
        const double scale = std::max({1.0, bracket.norm(), d.dS[m].norm(), d.dS[i].norm()});
        // Analytic against analytic: rounding only. The coefficients of J_r lose a few digits.
        EXPECT_LE((d.dS[m].col(i) - d.dS[i].col(m) + bracket).norm(), 1e-12 * scale);
      }
  });
}

TEST_P(JointLaws, QIsRigid) {
  everywhere([&](const VecX& q) {
    const Mat3 R = motion(joint(), q, rate()).Q.R;
    // A product of at most six rotations, each orthonormal to rounding.
    EXPECT_LE((R.transpose() * R - Mat3::Identity()).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_GT(R.determinant(), 0);
  });
}

TEST_P(JointLaws, EvaluationAllocatesNothing) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const VecX qdot = rate();
  JointMotion motion_out;
  JointMotionDerivatives derivatives_out;
  const sinew::test::AllocationGuard guard;
  for (const VecX& q : GetParam().regular) {
    joint().evaluate(as_span(q), as_span(qdot), motion_out);
    joint().differentiate(as_span(q), as_span(qdot), derivatives_out);
  }
  EXPECT_EQ(guard.count(), 0);
}

TEST_P(JointLaws, EveryExampleIsValid) { EXPECT_NO_THROW(joint().validate("example")); }

INSTANTIATE_TEST_SUITE_P(EveryJoint, JointLaws, ::testing::ValuesIn(test::joint_examples()),
                         [](const auto& example) { return example.param.name; });

}  // namespace joint_laws_test
}  // namespace sinew
