#include "sinew/muscles/fast/vector_unit.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/muscles/fast/cylinder_lanes.hpp"

namespace sinew::lanes {
namespace {

bool is_there(VectorUnit unit) {
  switch (unit) {
    case VectorUnit::avx512:
      return avx512_kernel() != nullptr;
    case VectorUnit::avx2:
      return avx2_kernel() != nullptr;
    case VectorUnit::sse2:
      return true;
  }
  return false;
}

VectorUnit widest() {
  for (const VectorUnit unit : {VectorUnit::avx512, VectorUnit::avx2})
    if (is_there(unit)) return unit;
  return VectorUnit::sse2;
}

VectorUnit named(const std::string& name) {
  const std::vector<std::string> names = {"sse2", "avx2", "avx512"};
  const auto found = std::find(names.begin(), names.end(), name);
  const std::string element = "SINEW_VECTOR_UNIT '" + name + "'";
  if (found == names.end()) throw Error(element, "is not a vector unit", suggest(name, names));
  const auto unit = static_cast<VectorUnit>(found - names.begin());
  if (!is_there(unit))
    throw Error(element, "is not available on this machine", "give a narrower one, or none");
  return unit;
}

}  // namespace

VectorUnit vector_unit() {
  static const VectorUnit unit = [] {
    const char* name = std::getenv("SINEW_VECTOR_UNIT");
    return name == nullptr || *name == '\0' ? widest() : named(name);
  }();
  return unit;
}

}  // namespace sinew::lanes
