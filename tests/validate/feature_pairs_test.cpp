#include "integrate/feature_pairs.hpp"

namespace sinew {
namespace feature_pairs_validation {

using test::feature_pairs::check_pair;
using test::feature_pairs::contents;
using test::feature_pairs::Count;

TEST(FeaturePairsLong, OfStrandsAroundGuidesAreSteppedWithTheOrderOfEveryIntegrator) {
  Count count;
  for (const Feature other : contents())
    check_pair(Feature::strands, other, test::StrandVariant::guides, count);
  fmt::print("{} of {} allowed\n", count.allowed, count.allowed + count.refused);
}

}  // namespace feature_pairs_validation
}  // namespace sinew
