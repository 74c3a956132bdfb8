#pragma once

#include <memory>

#include "sinew/muscles/wrap/geodesic.hpp"

/// Level functions given by the user, behind one interface: F and its derivatives up to the fourth
/// at a point, from which numbers with derivatives are assembled.

namespace sinew {

/// F(x) and its derivatives: `third[c]` is ∂H/∂x_c, `fourth[c][d]` is ∂²H/∂x_c∂x_d. Only the
/// requested orders are set.
struct LevelTaylor {
  LevelValue jet;
  std::array<Mat3, 3> third;
  std::array<std::array<Mat3, 3>, 3> fourth;
};

class LevelFunction {
 public:
  virtual ~LevelFunction() = default;
  /// F, G, H, and with order 3 or 4 the derivatives up to that order.
  virtual void evaluate(const Vec3& x, int order, LevelTaylor& out) const = 0;

  LevelValue jet(const Vec3& x) const {
    LevelTaylor out;
    evaluate(x, 2, out);
    return out.jet;
  }
};

/// F and G of a number with derivatives near x0, by their Taylor polynomial: exact, since powers of
/// the difference vanish beyond the orders that the number carries.
template <class T>
struct LevelAt {
  T value;
  Point<T> gradient;

  LevelAt(const LevelFunction& f, const Point<T>& x) {
    constexpr int kOrder = derivative_order<T>;
    const Vec3 x0(value_of(x[0]), value_of(x[1]), value_of(x[2]));
    LevelTaylor at;
    f.evaluate(x0, std::max(2, kOrder + 1), at);
    const Point<T> d(x[0] - x0[0], x[1] - x0[1], x[2] - x0[2]);
    const Point<T> hd = times(at.jet.hessian, d);
    gradient = at.jet.gradient.template cast<T>() + hd;
    value = T(at.jet.value) + dot(at.jet.gradient, d);
    if constexpr (kOrder >= 2) {
      value += 0.5 * (d[0] * hd[0] + d[1] * hd[1] + d[2] * hd[2]);
      for (size_t c = 0; c < 3; ++c) {
        const Point<T> td = times(at.third[c], d);
        const T& dc = d[static_cast<Eigen::Index>(c)];
        gradient += (0.5 * dc) * td;
        if constexpr (kOrder >= 3) {
          value += (1.0 / 6) * (dc * (d[0] * td[0] + d[1] * td[1] + d[2] * td[2]));
          for (size_t e = 0; e < 3; ++e)
            gradient +=
                ((1.0 / 6) * (dc * d[static_cast<Eigen::Index>(e)])) * times(at.fourth[c][e], d);
        }
      }
    }
  }

 private:
  static T dot(const Vec3& a, const Point<T>& x) { return a[0] * x[0] + a[1] * x[1] + a[2] * x[2]; }
  static Point<T> times(const Mat3& m, const Point<T>& x) {
    return {dot(m.row(0), x), dot(m.row(1), x), dot(m.row(2), x)};
  }
};

/// A level function from a formula: any callable that takes Point<T> and returns T for every
/// number, such as [](const auto& x) { return x.dot(x) - 1.0; }.
template <class Formula>
class FormulaLevel final : public LevelFunction {
 public:
  explicit FormulaLevel(Formula formula) : formula_(std::move(formula)) {}

  void evaluate(const Vec3& x, int order, LevelTaylor& out) const override {
    if (order <= 2) return read(nested<Second>(x), out.jet);
    if (order == 3) {
      const Third f = nested<Third>(x);
      read(f.v, out.jet);
      for (size_t c = 0; c < 3; ++c) out.third[c] = hessian(f.d[c]);
      return;
    }
    const Fourth f = nested<Fourth>(x);
    read(f.v.v, out.jet);
    for (size_t c = 0; c < 3; ++c) {
      out.third[c] = hessian(f.v.d[c]);
      for (size_t e = 0; e < 3; ++e) out.fourth[c][e] = hessian(f.d[c].d[e]);
    }
  }

 private:
  using First = Dual<double, 3>;
  using Second = Dual<First, 3>;
  using Third = Dual<Second, 3>;
  using Fourth = Dual<Third, 3>;

  template <class T>
  static T variable(double x, int k) {
    if constexpr (std::is_same_v<T, double>)
      return x;
    else
      return T::Variable(variable<typename T::Base>(x, k), k);
  }
  template <class T>
  T nested(const Vec3& x) const {
    const Point<T> at(variable<T>(x[0], 0), variable<T>(x[1], 1), variable<T>(x[2], 2));
    return formula_(at);
  }
  static Mat3 hessian(const Second& f) {
    Mat3 h;
    for (size_t r = 0; r < 3; ++r)
      for (size_t c = 0; c < 3; ++c)
        h(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = f.d[r].d[c];
    return h;
  }
  static void read(const Second& f, LevelValue& out) {
    out.value = f.v.v;
    out.gradient = Vec3(f.d[0].v, f.d[1].v, f.d[2].v);
    out.hessian = hessian(f);
  }

  Formula formula_;
};

template <class Formula>
std::shared_ptr<const LevelFunction> level_from_formula(Formula formula) {
  return std::make_shared<FormulaLevel<Formula>>(std::move(formula));
}

}  // namespace sinew
