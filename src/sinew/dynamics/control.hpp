#pragma once

#include <string>

#include "sinew/math/time_function.hpp"

namespace sinew {

enum class ControlKind {
  excitation,  ///< excitation of a Hill muscle, 0 to 1
  tension,     ///< tension of a muscle [N]
  actuator,    ///< control of a motor: its force at control 1 is the motor's strength
  pull,        ///< pull of a hand at a body
};

/// An input that an element reads, and that the caller may set: the excitation of a muscle, the
/// control of a motor.
struct Control {
  std::string name;  ///< that of the element
  ControlKind kind = ControlKind::actuator;
  TimeFunction value = 0.0;  ///< unless it is set
};

}  // namespace sinew
