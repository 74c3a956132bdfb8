#include "sinew/analysis/inertia_verdict.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace inertia_verdict_test {

/// One joint, whose moment is a sine of amplitude 1.
MatX sine() {
  MatX out(1, 101);
  for (Eigen::Index k = 0; k < out.cols(); ++k) out(0, k) = std::sin(0.1 * static_cast<double>(k));
  return out / out.cwiseAbs().maxCoeff();
}

struct Case {
  double change, least, most, filter, inertia;
};

JointAnswer answer(const Case& c, double scale = 1) {
  InertiaComparison comparison{sine(), (1 + c.change) * sine(), {}, {}};
  InertiaUncertainty uncertainty{{(1 + c.least) * sine(), (1 - c.most) * sine()},
                                 sine(),
                                 (1 + c.filter) * sine(),
                                 c.inertia * sine().cwiseAbs()};
  return judge_joint(comparison, uncertainty, 0, scale);
}

TEST(InertiaVerdict, ComparesWithFilterAndInertias) {
  EXPECT_EQ(answer({0.2, 0.15, 0.25, 0.1, 0.12}).verdict, Verdict::matters);
  EXPECT_EQ(answer({0.2, 0.15, 0.25, 0.1, 0.16}).verdict, Verdict::may_matter);
  EXPECT_EQ(answer({0.2, 0.15, 0.25, 0.3, 0.01}).verdict, Verdict::below);
  EXPECT_EQ(answer({0, 0, 0, 0.3, 0.1}).verdict, Verdict::no_effect);
  EXPECT_EQ(answer({0.2, 0.15, 0.25, 0.1, 0.12}, 200).verdict, Verdict::small_moment);
}

TEST(InertiaVerdict, GivesPartsOfTheLargestMoment) {
  const JointAnswer out = answer({0.2, 0.15, 0.25, 0.1, 0.12});
  EXPECT_DOUBLE_EQ(out.moment, 1);
  EXPECT_NEAR(out.change, 0.2, 1e-12);
  EXPECT_NEAR(out.least, 0.15, 1e-12);
  EXPECT_NEAR(out.most, 0.25, 1e-12) << "the sign of a change does not matter";
  EXPECT_NEAR(out.filter, 0.1, 1e-12);
  EXPECT_NEAR(out.inertia, 0.12, 1e-12);
}

TEST(InertiaVerdict, FindsASpikeThatTheMomentDoesNotHave) {
  const MatX smooth = sine();
  EXPECT_TRUE(find_spikes(smooth, 1.3 * smooth).empty());
  MatX spiky = 1.1 * smooth;
  spiky(0, 40) += 0.3;
  const std::vector<MomentSpike> found = find_spikes(smooth, spiky);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].sample, 40);
  EXPECT_NEAR(found[0].size, 0.3, 0.01);  // and the sine's own curvature
  // Both have it: it is in the motion.
  MatX both = smooth;
  both(0, 40) += 0.3;
  EXPECT_TRUE(find_spikes(both, 1.1 * both).empty());
}

}  // namespace inertia_verdict_test
}  // namespace sinew
