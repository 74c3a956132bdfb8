#pragma once

#include "sinew/math/dual.hpp"

/// The chain rule for an expensive function y(f) of N variables, where the f_j carry more
/// derivatives than N: y is evaluated with `Number`, which has derivatives by the N variables
/// alone, from `seed(f_j, j)`; `chain(y, f)` then makes them those that f carries. All derivatives
/// are exact to rounding, the value has the same bits.
///
///     struct FewerDerivatives { using Number; Number seed(const T&, size_t j);
///                               T chain(const Number& y, const T* f); };

namespace sinew {

/// Without a saving: the number itself.
template <class T, int N>
struct FewerDerivatives {
  using Number = T;
  static const T& seed(const T& f, size_t) { return f; }
  static const T& chain(const T& y, const T*) { return y; }
};

/// ∂y = Σ_j y_j ∂f_j
template <int K, int N>
requires(N < K) struct FewerDerivatives<Dual<double, K>, N> {
  using Number = Dual<double, N>;
  static Number seed(const Dual<double, K>& f, size_t j) {
    return Number::Variable(f.v, static_cast<int>(j));
  }
  static Dual<double, K> chain(const Number& y, const Dual<double, K>* f) {
    Dual<double, K> z(y.v);
    for (size_t j = 0; j < N; ++j)
      for (size_t k = 0; k < K; ++k) z.d[k] += y.d[j] * f[j].d[k];
    return z;
  }
};

/// ∂_k ∂_c y = Σ_j y_j ∂_k ∂_c f_j + Σ_jl y_jl ∂_k f_j ∂_c f_l
template <int C, int K, int N>
requires(N < K) struct FewerDerivatives<Dual<Dual<double, C>, K>, N> {
  using T = Dual<Dual<double, C>, K>;
  using Number = Dual<Dual<double, N>, N>;
  static Number seed(const T& f, size_t j) {
    return Number::Variable(Dual<double, N>::Variable(f.v.v, static_cast<int>(j)),
                            static_cast<int>(j));
  }
  static T chain(const Number& y, const T* f) {
    T z(y.v.v);
    for (size_t j = 0; j < N; ++j)
      for (size_t c = 0; c < C; ++c) z.v.d[c] += y.v.d[j] * f[j].v.d[c];
    for (size_t j = 0; j < N; ++j) {
      Dual<double, C> slope(y.d[j].v);  // y_j, as it varies with f
      for (size_t l = 0; l < N; ++l)
        for (size_t c = 0; c < C; ++c) slope.d[c] += y.d[j].d[l] * f[l].v.d[c];
      for (size_t k = 0; k < K; ++k) z.d[k] += slope * f[j].d[k];
    }
    return z;
  }
};

/// Along a motion, with g = Σ_j y_j f_j″ + Σ_jl y_jl f_j′ f_l′ its second derivative and
/// h_j = Σ_l y_jl f_l′ the rate of y_j:  ∂y′ = Σ_j h_j ∂f_j + y_j ∂f_j′,
/// ∂y″ = Σ_j (∂g/∂f_j) ∂f_j + 2 h_j ∂f_j′ + y_j ∂f_j″.
template <int C, int N>
requires(N < C) struct FewerDerivatives<Taylor2<Dual<double, C>>, N> {
  using T = Taylor2<Dual<double, C>>;
  using Number = Taylor2<Dual<double, N>>;
  static Number seed(const T& f, size_t j) {
    return {Dual<double, N>::Variable(f.v.v, static_cast<int>(j)), Dual<double, N>(f.d1.v),
            Dual<double, N>(f.d2.v)};
  }
  static T chain(const Number& y, const T* f) {
    T z{y.v.v, y.d1.v, y.d2.v};
    for (size_t j = 0; j < N; ++j)
      for (size_t c = 0; c < C; ++c) {
        const double by_f = f[j].v.d[c], by_rate = f[j].d1.d[c], by_second = f[j].d2.d[c];
        z.v.d[c] += y.v.d[j] * by_f;
        z.d1.d[c] += y.d1.d[j] * by_f + y.v.d[j] * by_rate;
        z.d2.d[c] += y.d2.d[j] * by_f + 2 * (y.d1.d[j] * by_rate) + y.v.d[j] * by_second;
      }
    return z;
  }
};

/// Along a motion; the partial derivatives as above.
template <int K, int N>
requires(N < K) struct FewerDerivatives<MotionDual<K>, N> {
  using Number = MotionDual<N>;
  static Number seed(const MotionDual<K>& f, size_t j) {
    Number x(f.v);
    x.d[j] = 1;
    x.d[N] = f.rate();
    x.d2 = f.d2;
    return x;
  }
  static MotionDual<K> chain(const Number& y, const MotionDual<K>* f) {
    MotionDual<K> z(y.v);
    for (size_t j = 0; j < N; ++j)
      for (size_t k = 0; k < K; ++k) z.d[k] += y.d[j] * f[j].d[k];
    z.d[K] = y.rate();
    z.d2 = y.d2;
    return z;
  }
};

}  // namespace sinew
