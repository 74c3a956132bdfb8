#pragma once

#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"

namespace sinew {

/// Finds which segments of a route wrap around which of its surfaces in one pose: the rules of
/// docs/theory/opensim_paths.md.
class WrapSearch {
 public:
  /// `ws` holds the nodes of the points and the poses of the surfaces.
  WrapSearch(const OpenSimPathOnSkeleton& route, OpenSimPathWorkspace& ws)
      : route_(route), ws_(ws) {}

  /// Inserts the nodes on surfaces.
  void wrap();
  double length() const;

 private:
  void remove(int s);
  bool find_range(const OpenSimPathSurface& route, size_t& first, size_t& last) const;
  WrapDecision meet(int s);
  bool same_surface(const OpenSimPathNode& a, const OpenSimPathNode& b) const;
  void insert(int s, const SegmentWrap& contact, size_t after);

  const OpenSimPathOnSkeleton& route_;
  OpenSimPathWorkspace& ws_;
};

}  // namespace sinew
