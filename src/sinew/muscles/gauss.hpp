#pragma once

#include <array>
#include <span>

#include "sinew/muscles/mass_distribution.hpp"
#include "sinew/muscles/span.hpp"

namespace sinew {

/// Nodes and weights of Gauss's rules on [0, 1]. n of them are exact for polynomials of degree
/// 2n − 1.
struct GaussNode {
  double x, w;
};
inline constexpr std::array<GaussNode, 2> kGauss2{
    {{0.21132486540518711775, 0.5}, {0.78867513459481288225, 0.5}}};
inline constexpr std::array<GaussNode, 3> kGauss3{
    {{0.11270166537925831148, 0.27777777777777777778},
     {0.5, 0.44444444444444444444},
     {0.88729833462074168852, 0.27777777777777777778}}};
inline constexpr std::array<GaussNode, 4> kGauss4{
    {{0.069431844202973712388, 0.17392742256872692869},
     {0.33000947820757186760, 0.32607257743127307131},
     {0.66999052179242813240, 0.32607257743127307131},
     {0.93056815579702628761, 0.17392742256872692869}}};
inline constexpr std::array<GaussNode, 7> kGauss7{
    {{0.025446043828620737737, 0.064742483084434846635},
     {0.12923440720030278007, 0.13985269574463833395},
     {0.29707742431130141655, 0.19091502525255947248},
     {0.5, 0.2089795918367346939},
     {0.70292257568869858345, 0.19091502525255947248},
     {0.87076559279969721993, 0.13985269574463833395},
     {0.97455395617137926226, 0.064742483084434846635}}};

/// Nodes for the mass of a piece. On straight ones velocity is linear and density at most
/// quadratic: exact. On half a turn of a helix four nodes are right to 1e-5 of its inertia.
inline std::span<const GaussNode> gauss_nodes(PieceKind kind, const MassRegion& region) {
  if (kind == PieceKind::helix) return kGauss4;
  if (kind == PieceKind::sampled) return kGauss7;
  if (region.c1 == 0 && region.c2 == 0) return kGauss2;
  return kGauss3;
}

/// Shares of a belly below this carry no mass that matters, and no directions that are defined.
inline constexpr double kSmallestShare = 1e-12;

}  // namespace sinew
