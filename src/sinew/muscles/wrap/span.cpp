#include "sinew/muscles/wrap/span.hpp"

namespace sinew {

const char* name_of(SpanStatus status) {
  switch (status) {
    case SpanStatus::free:
      return "free";
    case SpanStatus::wrapped:
      return "wrapped";
    case SpanStatus::slipped_off:
      return "slipped off the end";
    case SpanStatus::anchor_inside:
      return "anchor inside the surface";
    case SpanStatus::no_path:
      return "no path on the chosen side";
    case SpanStatus::not_converged:
      return "not converged";
    case SpanStatus::no_room:
      return "no room for the belly between its tendons";
  }
  return "unknown";
}

}  // namespace sinew
