#pragma once

#include <cstdint>

namespace sinew::test {

/// Counts the heap allocations that the current thread makes while the guard lives, by whatever
/// call: every form of operator new, malloc and its relatives (Eigen's matrices use those). Freeing
/// memory does not count.
///
///     AllocationGuard guard;
///     step(system, state, ws);
///     EXPECT_EQ(guard.count(), 0);
///
/// Works with glibc, and with the address and thread sanitisers (of which the latter does not
/// report aligned_alloc and posix_memalign, though it does report aligned new); elsewhere
/// `supported()` is false and a test that needs the count skips itself.
class AllocationGuard {
 public:
  AllocationGuard();

  /// Allocations of this thread since the guard was made.
  std::int64_t count() const;

  static bool supported();

 private:
  std::int64_t start_;
};

}  // namespace sinew::test

/// For the first line of a test that counts.
#define SINEW_NEEDS_ALLOCATION_COUNTS()                  \
  if (!sinew::test::AllocationGuard::supported())        \
  GTEST_SKIP() << "allocations cannot be counted here: " \
                  "neither glibc nor a sanitiser that reports them"
