#include "support/allocation_guard.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace sinew::test {
namespace allocation_guard_test {

/// Hides a pointer from the optimiser, which may otherwise remove an unused allocation.
void keep(void* block) { asm volatile("" : : "g"(block) : "memory"); }

class AllocationGuardTest : public ::testing::Test {
 protected:
  void SetUp() override { SINEW_NEEDS_ALLOCATION_COUNTS(); }
};

TEST_F(AllocationGuardTest, CountsNothingWhereNothingIsAllocated) {
  const AllocationGuard guard;
  Eigen::Matrix<double, 6, 6> a = Eigen::Matrix<double, 6, 6>::Identity();
  a = (a * a + a).eval();
  keep(&a);
  EXPECT_EQ(guard.count(), 0);
}

TEST_F(AllocationGuardTest, CountsEveryFormOfNewOnce) {
  struct alignas(64) Aligned {
    double values[8];
  };
  const AllocationGuard guard;
  auto one = std::make_unique<double>(1.0);
  keep(one.get());
  EXPECT_EQ(guard.count(), 1);
  auto several = std::make_unique<double[]>(4);
  keep(several.get());
  EXPECT_EQ(guard.count(), 2);
  auto aligned = std::make_unique<Aligned>();
  keep(aligned.get());
  EXPECT_EQ(guard.count(), 3);
  std::unique_ptr<double> nothrow(new (std::nothrow) double(1.0));
  keep(nothrow.get());
  EXPECT_EQ(guard.count(), 4);
}

TEST_F(AllocationGuardTest, CountsMallocAndItsRelatives) {
  const AllocationGuard guard;
  void* block = std::malloc(8);
  keep(block);
  EXPECT_EQ(guard.count(), 1);
  block = std::realloc(block, 1024);
  keep(block);
  EXPECT_EQ(guard.count(), 2);
  void* zeroed = std::calloc(2, 8);
  keep(zeroed);
  EXPECT_EQ(guard.count(), 3);
  std::free(block);
  std::free(zeroed);
  EXPECT_EQ(guard.count(), 3) << "freeing is not allocating";
}

TEST_F(AllocationGuardTest, CountsAlignedAllocations) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitiser does not report these calls";
#endif
  const AllocationGuard guard;
  void* aligned = std::aligned_alloc(64, 128);
  keep(aligned);
  EXPECT_EQ(guard.count(), 1);
  void* posix = nullptr;
  EXPECT_EQ(posix_memalign(&posix, 64, 128), 0);
  keep(posix);
  EXPECT_EQ(guard.count(), 2);
  std::free(aligned);
  std::free(posix);
}

TEST_F(AllocationGuardTest, CountsTheTemporariesOfEigen) {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Identity(20, 20);
  Eigen::MatrixXd b(20, 20);
  const AllocationGuard guard;
  b.noalias() = a + a;
  EXPECT_EQ(guard.count(), 0);
  b = a * b;  // aliases: needs a temporary
  EXPECT_GE(guard.count(), 1);
}

TEST_F(AllocationGuardTest, CountsAreNestedAndOfThisThreadOnly) {
  std::int64_t elsewhere = -1;
  const AllocationGuard outer;
  auto first = std::make_unique<int>(1);
  keep(first.get());
  {
    const AllocationGuard inner;
    EXPECT_EQ(inner.count(), 0);
    auto second = std::make_unique<int>(2);
    keep(second.get());
    EXPECT_EQ(inner.count(), 1);
  }
  EXPECT_EQ(outer.count(), 2);

  std::thread other([&elsewhere] {
    const AllocationGuard guard;
    for (int i = 0; i < 100; ++i) {
      auto third = std::make_unique<int>(3);
      keep(third.get());
    }
    elsewhere = guard.count();
  });
  const AllocationGuard after_start;
  other.join();
  EXPECT_EQ(after_start.count(), 0);
  EXPECT_EQ(elsewhere, 100);
}

}  // namespace allocation_guard_test
}  // namespace sinew::test
