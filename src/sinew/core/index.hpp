#pragma once

namespace sinew {

/// An index that cannot be mistaken for an index into another list: it converts to int for
/// subscripts, but never implicitly from int.
template <class Tag>
struct Index {
  int value = -1;

  constexpr Index() = default;
  constexpr explicit Index(int v) : value(v) {}
  constexpr operator int() const { return value; }
  constexpr bool valid() const { return value >= 0; }
};

using BodyIndex = Index<struct BodyTag>;  ///< A body, in the order the user added them.
using LinkIndex = Index<struct LinkTag>;  ///< A rigid cluster of bodies, in depth-first order.
using DofIndex = Index<struct DofTag>;    ///< One scalar of q.

/// The ground. It is not a body of the skeleton: it has no inertia and does not move.
inline constexpr BodyIndex kWorld{-1};

}  // namespace sinew
