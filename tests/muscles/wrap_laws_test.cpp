#include <gtest/gtest.h>

#include "sinew/muscles/wrap.hpp"

namespace sinew {
namespace {

TEST(WrapLaws, AStraightSpanIsAsLongAsItsEndsAreApart) {
  const Wrap wrap = Straight{};
  const Vec3 o(1, 2, 3), i(1, 6, 6);
  SpanShape<double> out;
  shape<double>(wrap, solve(wrap, o, i), o, i, out);
  EXPECT_DOUBLE_EQ(out.length, 5);
  EXPECT_EQ(out.pieces, 1);
}

}  // namespace
}  // namespace sinew
