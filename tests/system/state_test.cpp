#include "sinew/system/state.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace sinew {
namespace state_test {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

State example() {
  State state;
  state.t = 1.5;
  state.q = (VecX(2) << 1, 2).finished();
  state.qdot = (VecX(2) << -3, 0).finished();
  state.memory.owner = 7;
  state.memory.steps = 3;
  state.memory.seal = 12345;
  state.memory.h = 0.01;
  state.memory.h_next = 0.02;
  state.memory.power = 5;
  state.memory.q_1 = state.q;
  state.memory.qdot_1 = state.qdot;
  state.memory.qddot = state.q;
  state.memory.momentum = state.q;
  state.memory.differences = MatX::Ones(2, 3);
  return state;
}

TEST(State, EqualsItsCopy) {
  const State state = example(), copy = state;
  EXPECT_TRUE(copy == state);
  EXPECT_EQ(hash(copy), hash(state));
  EXPECT_TRUE(State() == State());
}

TEST(State, DiffersInEveryPart) {
  const std::vector<std::function<void(State&)>> changes{
      [](State& s) { s.t += 1e-15; },
      [](State& s) { s.q[1] += 1e-15; },
      [](State& s) { s.qdot[0] = 3; },
      [](State& s) { s.q.conservativeResize(1); },
      [](State& s) { std::swap(s.q, s.qdot); },
      [](State& s) { s.memory.owner = 0; },
      [](State& s) { s.memory.steps = 4; },
      [](State& s) { s.memory.seal = 1; },
      [](State& s) { s.memory.h *= 2; },
      [](State& s) { s.memory.h_next *= 2; },
      [](State& s) { s.memory.power = 0; },
      [](State& s) { s.memory.q_1[0] = 0; },
      [](State& s) { s.memory.qdot_1[0] = 0; },
      [](State& s) { std::swap(s.memory.q_1, s.memory.qdot_1); },
      [](State& s) { s.memory.qddot[1] = 0; },
      [](State& s) { s.memory.momentum[1] = 0; },
      [](State& s) { s.memory.momentum.resize(0); },
      [](State& s) { s.memory.differences(1, 2) = 0; },
      [](State& s) { s.memory.differences.setOnes(3, 2); },
  };
  const State state = example();
  for (size_t i = 0; i < changes.size(); ++i) {
    State changed = state;
    changes[i](changed);
    EXPECT_FALSE(changed == state) << "change " << i;
    EXPECT_NE(hash(changed), hash(state)) << "change " << i;
  }
}

// Bits, not numbers: what goes on from −0 may differ from what goes on from 0.
TEST(State, TellsMinusZeroFromZero) {
  State state = example(), other = state;
  other.qdot[1] = -0.0;
  EXPECT_EQ(other.qdot, state.qdot) << "as numbers they are equal";
  EXPECT_FALSE(other == state);
  EXPECT_NE(hash(other), hash(state));
}

TEST(State, EqualsItselfWithNaN) {
  State state = example();
  state.q[0] = kNaN;
  const State copy = state;
  EXPECT_TRUE(copy == state);
  EXPECT_EQ(hash(copy), hash(state));
}

}  // namespace state_test
}  // namespace sinew
