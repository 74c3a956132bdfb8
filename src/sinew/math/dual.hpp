#pragma once

#include <array>
#include <cmath>

#include "sinew/math/types.hpp"

/// Numbers that carry derivatives along, exact to rounding. `Dual` has N first partial derivatives,
/// `Taylor2` the first and second derivative along one curve. Both are built over any scalar, so
/// they nest: Dual<Dual<double, 8>, 7> has mixed second derivatives, Taylor2<Dual<double, 8>> the
/// derivatives of an acceleration.
///
/// They stand in for double in templates and in Eigen's small matrices. Comparisons look at the
/// value alone: the branch that a function takes depends on the value, not on the derivatives.

namespace sinew {
namespace detail {

/// Operators that follow from the arithmetic of X itself: mixing with plain numbers, which add to
/// the value only, and comparisons. They are friends, so the compiler considers them only if an
/// operand is an X.
template <class X>
struct NumberOperators {
  friend X operator*(double c, const X& x) { return x * c; }
  friend X operator/(const X& x, double c) { return x * (1 / c); }
  friend X operator/(double c, const X& x) { return X(c) / x; }
  friend X operator+(const X& x, double c) {
    X z = x;
    z.v = x.v + c;
    return z;
  }
  friend X operator+(double c, const X& x) { return x + c; }
  friend X operator-(const X& x, double c) { return x + -c; }
  friend X operator-(double c, const X& x) { return -x + c; }
  friend X& operator+=(X& x, const X& y) { return x = x + y; }
  friend X& operator-=(X& x, const X& y) { return x = x - y; }
  friend X& operator*=(X& x, const X& y) { return x = x * y; }
  friend X& operator/=(X& x, const X& y) { return x = x / y; }

#define SINEW_COMPARE(op)                                                                \
  friend bool operator op(const X& x, const X& y) { return value_of(x) op value_of(y); } \
  friend bool operator op(const X& x, double y) { return value_of(x) op y; }             \
  friend bool operator op(double x, const X& y) { return x op value_of(y); }
  SINEW_COMPARE(<)
  SINEW_COMPARE(>)
  SINEW_COMPARE(<=)
  SINEW_COMPARE(>=)
  SINEW_COMPARE(==)
  SINEW_COMPARE(!=)
#undef SINEW_COMPARE
};

}  // namespace detail

template <class T, int N>
struct Dual : detail::NumberOperators<Dual<T, N>> {
  using Base = T;
  T v;                 ///< value
  std::array<T, N> d;  ///< partial derivatives

  Dual() = default;  // uninitialised, as double is
  Dual(double c) : v(c) { d.fill(T(0)); }
  /// The k-th independent variable.
  static Dual Variable(const T& value, int k) {
    Dual x(0);
    x.v = value;
    x.d[static_cast<size_t>(k)] = T(1);
    return x;
  }
};

template <class T>
struct Taylor2 : detail::NumberOperators<Taylor2<T>> {
  using Base = T;
  T v, d1, d2;  ///< value, first and second derivative

  Taylor2() = default;
  Taylor2(double c) : v(c), d1(0), d2(0) {}
  Taylor2(const T& value, const T& rate, const T& acceleration)
      : v(value), d1(rate), d2(acceleration) {}
};

/// Both in one, over plain numbers: K partial derivatives, and first and second derivative along a
/// motion. Common parts are computed once.
template <int K>
struct MotionDual : detail::NumberOperators<MotionDual<K>> {
  using Base = double;
  double v;
  std::array<double, K + 1> d;  ///< partial derivatives; last, the first derivative in time
  double d2;                    ///< second derivative in time

  MotionDual() = default;
  MotionDual(double c) : v(c), d2(0) { d.fill(0); }
  double rate() const { return d[K]; }
};

/// The plain number within.
inline double value_of(double x) { return x; }
template <class T, int N>
double value_of(const Dual<T, N>& x) {
  return value_of(x.v);
}
template <class T>
double value_of(const Taylor2<T>& x) {
  return value_of(x.v);
}
template <int K>
double value_of(const MotionDual<K>& x) {
  return x.v;
}

namespace detail {

template <class X>
inline constexpr bool carries_derivatives = false;
template <class T, int N>
inline constexpr bool carries_derivatives<Dual<T, N>> = true;
template <class T>
inline constexpr bool carries_derivatives<Taylor2<T>> = true;
template <int K>
inline constexpr bool carries_derivatives<MotionDual<K>> = true;

/// f(x) from f, f′ and f″ at x.v.
template <class T, int N, class Second>
Dual<T, N> chain(const Dual<T, N>& x, const T& f, const T& f1, const Second&) {
  Dual<T, N> y;
  y.v = f;
  for (size_t k = 0; k < N; ++k) y.d[k] = f1 * x.d[k];
  return y;
}
template <class T, class Second>
Taylor2<T> chain(const Taylor2<T>& x, const T& f, const T& f1, const Second& second) {
  return {f, f1 * x.d1, f1 * x.d2 + second() * (x.d1 * x.d1)};
}
template <int K, class Second>
MotionDual<K> chain(const MotionDual<K>& x, double f, double f1, const Second& second) {
  MotionDual<K> y;
  y.v = f;
  for (size_t k = 0; k <= K; ++k) y.d[k] = f1 * x.d[k];
  y.d2 = f1 * x.d2 + second() * (x.rate() * x.rate());
  return y;
}

}  // namespace detail

template <class X>
concept Differentiable = detail::carries_derivatives<X>;

/// The number of orders of derivatives that a number carries. The same number of Newton steps, with
/// factors of plain numbers, makes them all exact.
template <class T>
inline constexpr int derivative_order = 0;
template <class T, int N>
inline constexpr int derivative_order<Dual<T, N>> = 1 + derivative_order<T>;
template <class T>
inline constexpr int derivative_order<Taylor2<T>> = 2 + derivative_order<T>;
template <int K>
inline constexpr int derivative_order<MotionDual<K>> = 2;

// ---- arithmetic

template <class T, int N>
Dual<T, N> operator+(const Dual<T, N>& x, const Dual<T, N>& y) {
  Dual<T, N> z;
  z.v = x.v + y.v;
  for (size_t k = 0; k < N; ++k) z.d[k] = x.d[k] + y.d[k];
  return z;
}
template <class T, int N>
Dual<T, N> operator-(const Dual<T, N>& x, const Dual<T, N>& y) {
  Dual<T, N> z;
  z.v = x.v - y.v;
  for (size_t k = 0; k < N; ++k) z.d[k] = x.d[k] - y.d[k];
  return z;
}
template <class T, int N>
Dual<T, N> operator-(const Dual<T, N>& x) {
  Dual<T, N> z;
  z.v = -x.v;
  for (size_t k = 0; k < N; ++k) z.d[k] = -x.d[k];
  return z;
}
template <class T, int N>
Dual<T, N> operator*(const Dual<T, N>& x, const Dual<T, N>& y) {
  Dual<T, N> z;
  z.v = x.v * y.v;
  for (size_t k = 0; k < N; ++k) z.d[k] = x.d[k] * y.v + x.v * y.d[k];
  return z;
}
template <class T, int N>
Dual<T, N> operator/(const Dual<T, N>& x, const Dual<T, N>& y) {
  Dual<T, N> z;
  const T inverse = T(1) / y.v;
  z.v = x.v * inverse;
  for (size_t k = 0; k < N; ++k) z.d[k] = (x.d[k] - z.v * y.d[k]) * inverse;
  return z;
}

template <class T>
Taylor2<T> operator+(const Taylor2<T>& x, const Taylor2<T>& y) {
  return {x.v + y.v, x.d1 + y.d1, x.d2 + y.d2};
}
template <class T>
Taylor2<T> operator-(const Taylor2<T>& x, const Taylor2<T>& y) {
  return {x.v - y.v, x.d1 - y.d1, x.d2 - y.d2};
}
template <class T>
Taylor2<T> operator-(const Taylor2<T>& x) {
  return {-x.v, -x.d1, -x.d2};
}
template <class T>
Taylor2<T> operator*(const Taylor2<T>& x, const Taylor2<T>& y) {
  return {x.v * y.v, x.d1 * y.v + x.v * y.d1, x.d2 * y.v + 2.0 * (x.d1 * y.d1) + x.v * y.d2};
}
template <class T>
Taylor2<T> operator/(const Taylor2<T>& x, const Taylor2<T>& y) {
  const T inverse = T(1) / y.v;
  const T v = x.v * inverse;
  const T d1 = (x.d1 - v * y.d1) * inverse;
  return {v, d1, (x.d2 - 2.0 * (d1 * y.d1) - v * y.d2) * inverse};
}

template <int K>
MotionDual<K> operator+(const MotionDual<K>& x, const MotionDual<K>& y) {
  MotionDual<K> z;
  z.v = x.v + y.v;
  z.d2 = x.d2 + y.d2;
  for (size_t k = 0; k <= K; ++k) z.d[k] = x.d[k] + y.d[k];
  return z;
}
template <int K>
MotionDual<K> operator-(const MotionDual<K>& x, const MotionDual<K>& y) {
  MotionDual<K> z;
  z.v = x.v - y.v;
  z.d2 = x.d2 - y.d2;
  for (size_t k = 0; k <= K; ++k) z.d[k] = x.d[k] - y.d[k];
  return z;
}
template <int K>
MotionDual<K> operator-(const MotionDual<K>& x) {
  MotionDual<K> z;
  z.v = -x.v;
  z.d2 = -x.d2;
  for (size_t k = 0; k <= K; ++k) z.d[k] = -x.d[k];
  return z;
}
template <int K>
MotionDual<K> operator*(const MotionDual<K>& x, const MotionDual<K>& y) {
  MotionDual<K> z;
  z.v = x.v * y.v;
  z.d2 = x.d2 * y.v + 2 * (x.rate() * y.rate()) + x.v * y.d2;
  for (size_t k = 0; k <= K; ++k) z.d[k] = x.d[k] * y.v + x.v * y.d[k];
  return z;
}
template <int K>
MotionDual<K> operator/(const MotionDual<K>& x, const MotionDual<K>& y) {
  MotionDual<K> z;
  const double inverse = 1 / y.v;
  z.v = x.v * inverse;
  for (size_t k = 0; k <= K; ++k) z.d[k] = (x.d[k] - z.v * y.d[k]) * inverse;
  z.d2 = (x.d2 - 2 * (z.rate() * y.rate()) - z.v * y.d2) * inverse;
  return z;
}

// times a plain number: every component scales

template <class T, int N>
Dual<T, N> operator*(const Dual<T, N>& x, double c) {
  Dual<T, N> z;
  z.v = x.v * c;
  for (size_t k = 0; k < N; ++k) z.d[k] = x.d[k] * c;
  return z;
}
template <class T>
Taylor2<T> operator*(const Taylor2<T>& x, double c) {
  return {x.v * c, x.d1 * c, x.d2 * c};
}
template <int K>
MotionDual<K> operator*(const MotionDual<K>& x, double c) {
  MotionDual<K> z;
  z.v = x.v * c;
  z.d2 = x.d2 * c;
  for (size_t k = 0; k <= K; ++k) z.d[k] = x.d[k] * c;
  return z;
}

// ---- functions

template <Differentiable X>
X sqrt(const X& x) {
  using std::sqrt;
  const auto f = sqrt(x.v);
  const auto f1 = 0.5 / f;
  return detail::chain(x, f, f1, [&] { return -0.5 * (f1 / x.v); });
}
template <Differentiable X>
X exp(const X& x) {
  using std::exp;
  const auto f = exp(x.v);
  return detail::chain(x, f, f, [&] { return f; });
}
template <Differentiable X>
X log(const X& x) {
  using std::log;
  const auto f1 = 1.0 / x.v;
  return detail::chain(x, log(x.v), f1, [&] { return -(f1 * f1); });
}
/// Sine and cosine for the price of one.
inline void sin_cos(double x, double& sine, double& cosine) {
  sine = std::sin(x);
  cosine = std::cos(x);
}
template <Differentiable X>
void sin_cos(const X& x, X& sine, X& cosine) {
  typename X::Base s, c;
  sin_cos(x.v, s, c);
  const typename X::Base minus = -s;
  sine = detail::chain(x, s, c, [&] { return minus; });
  cosine = detail::chain(x, c, minus, [&] { return -c; });
}

template <Differentiable X>
X sin(const X& x) {
  X s, c;
  sin_cos(x, s, c);
  return s;
}
template <Differentiable X>
X cos(const X& x) {
  X s, c;
  sin_cos(x, s, c);
  return c;
}
template <Differentiable X>
X tanh(const X& x) {
  using std::tanh;
  const auto f = tanh(x.v);
  const auto f1 = 1.0 - f * f;
  return detail::chain(x, f, f1, [&] { return -2.0 * (f * f1); });
}
template <Differentiable X>
X asin(const X& x) {
  using std::asin, std::sqrt;
  const auto f1 = 1.0 / sqrt(1.0 - x.v * x.v);
  return detail::chain(x, asin(x.v), f1, [&] { return x.v * f1 * f1 * f1; });
}
template <Differentiable X>
X acos(const X& x) {
  using std::acos, std::sqrt;
  const typename X::Base f1 = -1.0 / sqrt(1.0 - x.v * x.v);
  return detail::chain(x, acos(x.v), f1, [&] { return x.v * f1 * f1 * f1; });
}
template <Differentiable X>
X abs(const X& x) {
  return value_of(x) < 0 ? -x : x;
}

/// The angle of (x, y); its derivatives are those of x dy − y dx over x² + y².
template <class T, int N>
Dual<T, N> atan2(const Dual<T, N>& y, const Dual<T, N>& x) {
  using std::atan2;
  const T inverse = 1.0 / (x.v * x.v + y.v * y.v);
  const T a = x.v * inverse, b = y.v * inverse;
  Dual<T, N> z;
  z.v = atan2(y.v, x.v);
  for (size_t k = 0; k < N; ++k) z.d[k] = a * y.d[k] - b * x.d[k];
  return z;
}
template <class T>
Taylor2<T> atan2(const Taylor2<T>& y, const Taylor2<T>& x) {
  using std::atan2;
  const T inverse = 1.0 / (x.v * x.v + y.v * y.v);
  const T d1 = (x.v * y.d1 - y.v * x.d1) * inverse;
  const T half_rate = x.v * x.d1 + y.v * y.d1;  // rate of ρ²/2
  return {atan2(y.v, x.v), d1, (x.v * y.d2 - y.v * x.d2 - 2.0 * (d1 * half_rate)) * inverse};
}

template <int K>
MotionDual<K> atan2(const MotionDual<K>& y, const MotionDual<K>& x) {
  const double inverse = 1 / (x.v * x.v + y.v * y.v);
  const double a = x.v * inverse, b = y.v * inverse;
  MotionDual<K> z;
  z.v = std::atan2(y.v, x.v);
  for (size_t k = 0; k <= K; ++k) z.d[k] = a * y.d[k] - b * x.d[k];
  const double half_rate = a * x.rate() + b * y.rate();
  z.d2 = a * y.d2 - b * x.d2 - 2 * (z.rate() * half_rate);
  return z;
}

template <class T>
using Point = Eigen::Matrix<T, 3, 1>;

}  // namespace sinew

namespace Eigen {

template <class X>
struct SinewNumTraits : NumTraits<double> {
  using Real = X;
  using NonInteger = X;
  using Nested = X;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 0,
    ReadCost = 8,
    AddCost = 8,
    MulCost = 16
  };
};
template <class T, int N>
struct NumTraits<sinew::Dual<T, N>> : SinewNumTraits<sinew::Dual<T, N>> {};
template <class T>
struct NumTraits<sinew::Taylor2<T>> : SinewNumTraits<sinew::Taylor2<T>> {};
template <int K>
struct NumTraits<sinew::MotionDual<K>> : SinewNumTraits<sinew::MotionDual<K>> {};

template <sinew::Differentiable X, class Op>
struct ScalarBinaryOpTraits<X, double, Op> {
  using ReturnType = X;
};
template <sinew::Differentiable X, class Op>
struct ScalarBinaryOpTraits<double, X, Op> {
  using ReturnType = X;
};

}  // namespace Eigen
