#include "sinew/system/state.hpp"

#include <bit>

namespace sinew {
namespace {

/// Bitwise, so that equality and hash agree (−0 ≠ 0, a NaN equals itself).
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same(const MatX& a, const MatX& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Eigen::Index i = 0; i < a.size(); ++i)
    if (!same(a.data()[i], b.data()[i])) return false;
  return true;
}
bool same(const VecX& a, const VecX& b) {
  if (a.size() != b.size()) return false;
  for (Eigen::Index i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

struct Fnv1a {
  std::uint64_t value = 14695981039346656037ull;
  void add(std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) {
      value ^= (word >> (8 * byte)) & 0xff;
      value *= 1099511628211ull;
    }
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(const VecX& x) {
    add(static_cast<std::uint64_t>(x.size()));
    for (Eigen::Index i = 0; i < x.size(); ++i) add(x[i]);
  }
  void add(const MatX& x) {
    add(static_cast<std::uint64_t>(x.cols()));
    for (Eigen::Index i = 0; i < x.size(); ++i) add(x.data()[i]);
  }
};

}  // namespace

bool StepMemory::operator==(const StepMemory& o) const {
  return owner == o.owner && steps == o.steps && seal == o.seal && same(h, o.h) &&
         same(h_next, o.h_next) && same(power, o.power) && same(q_1, o.q_1) &&
         same(qdot_1, o.qdot_1) && same(qddot, o.qddot) && same(momentum, o.momentum) &&
         same(differences, o.differences) && same(z_1, o.z_1) && same(zdot, o.zdot);
}

bool State::operator==(const State& o) const {
  return same(t, o.t) && same(q, o.q) && same(qdot, o.qdot) && same(z, o.z) && memory == o.memory;
}

std::uint64_t hash(const State& state) {
  Fnv1a h;
  h.add(state.t);
  h.add(state.q);
  h.add(state.qdot);
  const StepMemory& m = state.memory;
  h.add(static_cast<std::uint64_t>(m.owner));
  h.add(static_cast<std::uint64_t>(m.steps));
  h.add(m.seal);
  h.add(m.h);
  h.add(m.h_next);
  h.add(m.power);
  h.add(m.q_1);
  h.add(m.qdot_1);
  h.add(m.qddot);
  h.add(m.momentum);
  h.add(m.differences);
  // absent parts do not change the hash
  for (const VecX* x : {&state.z, &m.z_1, &m.zdot})
    if (x->size() > 0) h.add(*x);
  return h.value;
}

}  // namespace sinew
