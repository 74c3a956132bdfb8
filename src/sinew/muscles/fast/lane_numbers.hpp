#pragma once

// Numbers for the lanes of vector registers, and their derivatives. Nothing here has linkage beyond
// its file: it is compiled for one instruction set after another.

namespace sinew::lanes {
namespace {

/// Vectors of n doubles, and the results of comparing them.
template <int n>
struct Vector;
template <>
struct Vector<2> {
  typedef double V __attribute__((vector_size(16)));
  typedef long long Mask __attribute__((vector_size(16)));
};
template <>
struct Vector<4> {
  typedef double V __attribute__((vector_size(32)));
  typedef long long Mask __attribute__((vector_size(32)));
};
template <>
struct Vector<8> {
  typedef double V __attribute__((vector_size(64)));
  typedef long long Mask __attribute__((vector_size(64)));
};

template <int n>
struct Numbers {
  using V = typename Vector<n>::V;
  using Mask = typename Vector<n>::Mask;

  static V load(const double* x) { return *reinterpret_cast<const V*>(x); }
  static void store(double* x, V value) { *reinterpret_cast<V*>(x) = value; }
  static V root(V x) {
    V y;
    for (int k = 0; k < n; ++k) y[k] = __builtin_sqrt(x[k]);
    return y;
  }
  static V select(Mask mask, V yes, V no) { return mask ? yes : no; }
  static V clamp01(V x) {
    const V zero = {};
    const V upper = select(x < 1.0, x, zero + 1.0);
    return select(upper > 0.0, upper, zero);
  }
  static bool any(Mask mask) {
    long long all = 0;
    for (int k = 0; k < n; ++k) all |= mask[k];
    return all != 0;
  }

  /// The angle of (x, y) in [−π, π]. It takes the smaller coordinate over the larger, or the rest
  /// beyond π/4, by the series for |t| < tan(π/8): its last term is below 1e-17.
  static V arctangent(V y, V x) {
    constexpr double pi = 3.14159265358979323846;
    const V zero = {};
    const V ax = select(x < 0.0, -x, x), ay = select(y < 0.0, -y, y);
    const Mask steep = ay > ax;
    const V small = select(steep, ax, ay), large = select(steep, ay, ax);
    const Mask beyond = small > 0.41421356237309503 * large;
    const V t = select(beyond, small - large, small) / select(beyond, small + large, large);
    const V t2 = t * t;
    V sum = zero + 1.0 / 43;
    for (int k = 41; k >= 1; k -= 2) sum = 1.0 / k - t2 * sum;
    V angle = t * sum + select(beyond, zero + 0.25 * pi, zero);
    angle = select(steep, 0.5 * pi - angle, angle);
    angle = select(x < 0.0, pi - angle, angle);
    return select(y < 0.0, -angle, angle);
  }

  /// Value, ∂/∂q, second derivative in time.
  struct Q {
    V v, d, e;
    Q operator+(const Q& y) const { return {v + y.v, d + y.d, e + y.e}; }
    Q operator-(const Q& y) const { return {v - y.v, d - y.d, e - y.e}; }
    Q operator+(V c) const { return {v + c, d, e}; }
    Q operator-(V c) const { return {v - c, d, e}; }
    Q operator*(V c) const { return {v * c, d * c, e * c}; }
  };
  static Q select(Mask mask, const Q& yes, const Q& no) {
    return {select(mask, yes.v, no.v), select(mask, yes.d, no.d), select(mask, yes.e, no.e)};
  }

  /// Products need q̇².
  struct Algebra {
    V rate2;
    Q times(const Q& x, const Q& y) const {
      return {x.v * y.v, x.d * y.v + x.v * y.d, x.e * y.v + x.v * y.e + 2.0 * rate2 * (x.d * y.d)};
    }
    Q square(const Q& x) const {
      return {x.v * x.v, 2.0 * (x.v * x.d), 2.0 * (x.v * x.e + rate2 * (x.d * x.d))};
    }
    /// f(x) from f, f′ and f″.
    Q chain(const Q& x, V f, V f1, V f2) const {
      return {f, f1 * x.d, f1 * x.e + f2 * (rate2 * (x.d * x.d))};
    }
    Q inverse(const Q& x) const {
      const V f = 1.0 / x.v, f2 = f * f;
      return chain(x, f, -f2, 2.0 * (f2 * f));
    }
    Q root(const Q& x) const {
      const V f = Numbers::root(x.v), f1 = 0.5 / f;
      return chain(x, f, f1, -0.5 * (f1 / x.v));
    }
    /// The angle of (x, y).
    Q angle(const Q& y, const Q& x) const {
      const V inverse = 1.0 / (x.v * x.v + y.v * y.v);
      const V a = x.v * inverse, b = y.v * inverse;
      Q z;
      z.v = arctangent(y.v, x.v);
      z.d = a * y.d - b * x.d;
      z.e = a * y.e - b * x.e - 2.0 * rate2 * (z.d * (a * x.d + b * y.d));
      return z;
    }
  };

  /// Sine and cosine of |x| up to slightly above 3π/2, by their series about 0 or ±π.
  static void sin_cos(V x, V& sine, V& cosine) {
    constexpr double pi = 3.14159265358979323846;
    const V zero = {};
    const V sign = select(x < 0.0, zero - 1.0, zero + 1.0);
    const Mask far = x * sign > 0.5 * pi;
    const V y = select(far, x - pi * sign, x), y2 = y * y;
    V s = zero + 1, c = zero + 1;
    for (int k = 13; k >= 1; --k) {
      s = 1.0 - y2 * s * (1.0 / ((2 * k) * (2 * k + 1)));
      c = 1.0 - y2 * c * (1.0 / ((2 * k - 1) * (2 * k)));
    }
    sine = select(far, -y * s, y * s);
    cosine = select(far, -c, c);
  }

  /// Averages over ξ from −1 to 1 for ψ = δ ξ. t1 and t3 by their series, good to rounding for
  /// |δ| < 2.5; the others follow without loss.
  struct Averages {
    V c0, s1, c2, s3;      ///< averages of cos ψ, ξ sin ψ, ξ² cos ψ, ξ³ sin ψ
    V c0_twice, s1_twice;  ///< averages of cos 2ψ, ξ sin 2ψ
    explicit Averages(V delta) {
      const V x = delta * delta, zero = {};
      V t1 = zero, t3 = zero;  // s1/δ = Σ (−x)^j/((2j+1)! (2j+3)), s3/δ with 2j+5
      double scale = 1.0 / 1.5511210043330986e25;  // 1/25!
      for (int j = 12; j >= 0; --j) {
        t1 = scale / (2 * j + 3) - x * t1;
        t3 = scale / (2 * j + 5) - x * t3;
        if (j > 0) scale *= 2 * j * (2 * j + 1);
      }
      c0 = 3.0 * t1 - 0.5 * x * (t1 - t3);
      const V cosine = c0 - x * t1;
      c2 = (cosine + x * t3) * (1.0 / 3);
      s1 = delta * t1;
      s3 = delta * t3;
      c0_twice = c0 * cosine;
      s1_twice = 0.5 * (cosine * s1 + delta * (c0 * c0));
    }
  };
};

template <class V>
void cross(const V (&a)[3], const V (&b)[3], V (&out)[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}
template <class V>
void rotate(const V (&R)[9], const V (&x)[3], V (&out)[3]) {
  for (int a = 0; a < 3; ++a) out[a] = R[3 * a] * x[0] + R[3 * a + 1] * x[1] + R[3 * a + 2] * x[2];
}
template <class V>
void rotate_back(const V (&R)[9], const V (&x)[3], V (&out)[3]) {
  for (int a = 0; a < 3; ++a) out[a] = R[a] * x[0] + R[a + 3] * x[1] + R[a + 6] * x[2];
}

}  // namespace
}  // namespace sinew::lanes
