#include "integrate/feature_pairs.hpp"

namespace sinew {
namespace feature_pairs_test {

using test::feature_pairs::check_pair;
using test::feature_pairs::contents;
using test::feature_pairs::Count;

TEST(FeaturePairs, AreSteppedWithTheOrderOfEveryIntegratorThatTheTableAllows) {
  const std::vector<Feature> list = contents();
  Count count;
  for (size_t i = 0; i < list.size(); ++i)
    for (size_t j = i; j < list.size(); ++j)
      check_pair(list[i], list[j], test::StrandVariant::nodes, count);
  fmt::print("{} of {} allowed\n", count.allowed, count.allowed + count.refused);
}

/// With a rope that becomes taut; all others take longer, in tests/validate.
TEST(FeaturePairs, SoAreStrandsAroundGuidesWithLimits) {
  Count count;
  check_pair(Feature::strands, Feature::contacts, test::StrandVariant::guides, count);
  EXPECT_EQ(count.allowed, 3);
}

}  // namespace feature_pairs_test
}  // namespace sinew
