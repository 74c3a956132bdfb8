#pragma once

#include <cfenv>

namespace sinew::test {

/// While it lives, an operation on this thread that has no answer (0/0, ∞ − ∞, the root of a
/// negative number), that divides by zero or that overflows ends the program, at the place where it
/// happens.
class FloatingPointTraps {
 public:
  FloatingPointTraps() {
    std::feclearexcept(FE_ALL_EXCEPT);
    before_ = feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  }
  ~FloatingPointTraps() {
    fedisableexcept(FE_ALL_EXCEPT);
    feenableexcept(before_);
  }
  FloatingPointTraps(const FloatingPointTraps&) = delete;
  FloatingPointTraps& operator=(const FloatingPointTraps&) = delete;

 private:
  int before_;
};

}  // namespace sinew::test
