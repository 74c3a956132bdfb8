#include "integrate/random_contacts.hpp"

#include <gtest/gtest.h>

namespace sinew {
namespace random_contacts_test {

TEST(RandomContacts, FinishWithoutGainingEnergy) {
  EXPECT_EQ(test::run_random_contacts(0, 60).finished, 60);
}

}  // namespace random_contacts_test
}  // namespace sinew
