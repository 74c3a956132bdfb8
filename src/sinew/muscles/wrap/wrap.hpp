#pragma once

#include <concepts>
#include <variant>

#include "sinew/muscles/wrap/capped_cylinder_wrap.hpp"
#include "sinew/muscles/wrap/cylinder_wrap.hpp"
#include "sinew/muscles/wrap/double_cylinder_wrap.hpp"
#include "sinew/muscles/wrap/ellipsoid_wrap.hpp"
#include "sinew/muscles/wrap/implicit_wrap.hpp"
#include "sinew/muscles/wrap/length_gradient.hpp"
#include "sinew/muscles/wrap/neural_wrap.hpp"
#include "sinew/muscles/wrap/pulley_wrap.hpp"
#include "sinew/muscles/wrap/span.hpp"
#include "sinew/muscles/wrap/sphere_wrap.hpp"
#include "sinew/muscles/wrap/torus_wrap.hpp"

namespace sinew {

/// A span without a surface.
struct Straight {
  static constexpr int kMaxPieces = 1;
  SpanSolution solve(const Vec3&, const Vec3&) const { return {}; }
  template <class T>
  void shape(const SpanSolution&, const Point<T>& o, const Point<T>& i, SpanShape<T>& out) const {
    straight_shape(o, i, out);
  }
  void length_gradient(const SpanSolution&, const Vec3& o, const Vec3& i, double& length,
                       Vec3& dl_do, Vec3& dl_di) const {
    straight_gradient(o, i, length, dl_do, dl_di);
  }
};

/// The requirements on a wrap model: see span.hpp.
template <class W>
concept WrapModel = requires(const W w, const SpanSolution& solution, const Vec3& x,
                             SpanShape<double>& out) {
  { w.solve(x, x) } -> std::same_as<SpanSolution>;
  { W::kMaxPieces } -> std::convertible_to<int>;
  w.template shape<double>(solution, x, x, out);
};

/// Every wrap model; laws in tests/muscles run over all of them.
using Wrap = std::variant<Straight, CylinderWrap, SphereWrap, DoubleCylinderWrap, EllipsoidWrap,
                          TorusWrap, CappedCylinderWrap, ImplicitWrap, NeuralWrap, PulleyWrap>;

inline SpanSolution solve(const Wrap& wrap, const Vec3& o, const Vec3& i) {
  return std::visit([&](const WrapModel auto& w) { return w.solve(o, i); }, wrap);
}
template <class T>
void shape(const Wrap& wrap, const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
           SpanShape<T>& out) {
  std::visit([&](const auto& w) { w.template shape<T>(solution, o, i, out); }, wrap);
}

/// Whether its path is smooth over touch-down, with all velocities.
inline bool is_smooth(const Wrap& wrap) {
  return std::visit(
      [](const auto& w) {
        if constexpr (requires { w.model; })
          return w.model == WrapKind::smooth;
        else
          return true;
      },
      wrap);
}

/// The largest number of pieces of its spans.
inline int max_pieces(const Wrap& wrap) {
  return std::visit([](const auto& w) { return std::decay_t<decltype(w)>::kMaxPieces; }, wrap);
}

/// The largest number of groups of material points that stand for the mass of its spans.
inline int max_groups(const Wrap& wrap) {
  if (const auto* pulley = std::get_if<PulleyWrap>(&wrap)) return pulley->max_groups();
  return max_pieces(wrap);
}

/// Length and its derivatives by o and i.
inline void length_gradient(const Wrap& wrap, const SpanSolution& solution, const Vec3& o,
                            const Vec3& i, double& length, Vec3& dl_do, Vec3& dl_di) {
  std::visit(
      [&](const auto& w) {
        if constexpr (requires { w.length_gradient(solution, o, i, length, dl_do, dl_di); })
          w.length_gradient(solution, o, i, length, dl_do, dl_di);
        else
          dual_gradient(w, solution, o, i, length, dl_do, dl_di);
      },
      wrap);
}

}  // namespace sinew
