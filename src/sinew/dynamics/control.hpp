#pragma once

#include <string>

#include "sinew/math/time_function.hpp"

namespace sinew {

enum class ControlKind {
  excitation,  ///< of a Hill muscle, 0 to 1
  tension,     ///< of a muscle [N]
  actuator,    ///< of a motor: its force at control 1 is the motor's strength
  pull,        ///< of a hand that pulls at a body
};

/// An input that an element reads, and that the caller may set: the excitation of a muscle, the
/// control of a motor.
struct Control {
  std::string name;  ///< that of the element
  ControlKind kind = ControlKind::actuator;
  TimeFunction value = 0.0;  ///< unless it is set
};

}  // namespace sinew
