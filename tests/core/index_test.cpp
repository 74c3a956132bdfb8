#include "sinew/core/index.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace sinew {
namespace index_test {

// The purpose of the type is the code that does not compile.
static_assert(!std::is_convertible_v<int, BodyIndex>, "made from an int only on purpose");
static_assert(!std::is_convertible_v<DofIndex, BodyIndex>, "never one index for another");
static_assert(!std::is_convertible_v<LinkIndex, BodyIndex>);
static_assert(!std::is_assignable_v<BodyIndex&, int>);
static_assert(!std::is_assignable_v<BodyIndex&, DofIndex>);
static_assert(std::is_convertible_v<BodyIndex, int>, "subscripts");
static_assert(std::is_trivially_copyable_v<BodyIndex> && sizeof(BodyIndex) == sizeof(int));

TEST(Index, SubscriptsAndCompares) {
  constexpr BodyIndex i(2);
  const int list[] = {10, 11, 12};
  EXPECT_EQ(list[i], 12);
  EXPECT_EQ(i.value, 2);
  EXPECT_TRUE(i == BodyIndex(2));
  EXPECT_TRUE(i != BodyIndex(1));
  EXPECT_TRUE(BodyIndex(1) < i);
}

TEST(Index, PointsNowhereUntilItIsSet) {
  EXPECT_FALSE(DofIndex().valid());
  EXPECT_TRUE(DofIndex(0).valid());
}

TEST(Index, OfTheWorldIsNoBody) {
  EXPECT_FALSE(kWorld.valid());
  EXPECT_TRUE(kWorld == BodyIndex());
}

}  // namespace index_test
}  // namespace sinew
