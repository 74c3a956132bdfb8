#include "integrate/random_contacts.hpp"

#include <gtest/gtest.h>

namespace sinew {
namespace random_contacts_test {

TEST(RandomContacts, ThreeThousandFinishOrSayWhyNot) {
  const test::ContactOutcome outcome = test::run_random_contacts(1000, 3000);
  RecordProperty("finished", outcome.finished);
  RecordProperty("failed", outcome.failed);
  RecordProperty("refused", outcome.refused);
  EXPECT_EQ(outcome.finished, 3000);
}

}  // namespace random_contacts_test
}  // namespace sinew
