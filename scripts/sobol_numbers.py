#!/usr/bin/env python3
"""Makes src/sinew/math/sobol_numbers.hpp: the numbers with which Sobol's sequence begins in each dimension.

usage: scripts/sobol_numbers.py > src/sinew/math/sobol_numbers.hpp

Dimensions take the primitive polynomials over GF(2) in order. The odd numbers m_k < 2^k that begin a dimension are those
of a few dozen random draws with which it forms the best pairs with all dimensions before it: the sum of t³ is least, t
the quality parameter of the first 2^4, 2^6, … 2^12 points of a pair (Joe and Kuo 2008 choose by pairs, too).
"""

import random

DIMENSIONS = 64
DIGITS = 12
DRAWS = 40


def prime_factors(n):
    out, p = set(), 2
    while p * p <= n:
        while n % p == 0:
            out.add(p)
            n //= p
        p += 1
    return out | ({n} if n > 1 else set())


def power_of_x(exponent, polynomial, degree):
    """x^exponent modulo the polynomial, over GF(2)."""

    def product(a, b):
        out = 0
        while b:
            if b & 1:
                out ^= a
            b >>= 1
            a <<= 1
            if a >> degree & 1:
                a ^= polynomial
        return out

    out, square = 1, 2
    while exponent:
        if exponent & 1:
            out = product(out, square)
        square = product(square, square)
        exponent >>= 1
    return out


def primitive_polynomials():
    yield 1, 0b11
    degree = 2
    while True:
        order = (1 << degree) - 1
        for polynomial in range(1 << degree | 1, 2 << degree, 2):
            if power_of_x(order, polynomial, degree) == 1 and all(
                    power_of_x(order // f, polynomial, degree) != 1 for f in prime_factors(order)):
                yield degree, polynomial
        degree += 1


def generator_rows(degree, polynomial, m):
    """Rows of the generator matrix, most significant digit first; bit k of a row is column k."""
    m = list(m)
    for k in range(degree, DIGITS):
        value = m[k - degree] ^ m[k - degree] << degree
        for i in range(1, degree):
            if polynomial >> (degree - i) & 1:
                value ^= m[k - i] << i
        m.append(value)
    return [sum((m[k] >> (k - r) & 1 if k >= r else 0) << k for k in range(DIGITS)) for r in range(DIGITS)]


def independent(rows):
    basis = []
    for row in rows:
        for b in basis:
            row = min(row, row ^ b)
        if row == 0:
            return False
        basis.append(row)
    return True


def quality(a, b, digits):
    """t of the first 2^digits points of two dimensions: 0 is best."""
    mask = (1 << digits) - 1
    for k in range(digits, 0, -1):
        if all(independent([r & mask for r in a[:j] + b[:k - j]]) for j in range(k + 1)):
            return digits - k
    return digits


def draws(degree, generator):
    if degree > 3:
        for _ in range(DRAWS):
            yield [2 * generator.randrange(1 << i) + 1 for i in range(degree)]
        return
    for number in range(1 << degree * (degree - 1) // 2):
        m = []
        for i in range(degree):
            m.append(2 * (number & ((1 << i) - 1)) + 1)
            number >>= i
        yield m


def main():
    generator = random.Random(20)
    matrices = [[1 << r for r in range(DIGITS)]]
    lines = []
    for degree, polynomial in primitive_polynomials():
        best = None
        for m in draws(degree, generator):
            rows = generator_rows(degree, polynomial, m)
            score = 0
            for other in matrices:
                score += sum(quality(other, rows, digits)**3 for digits in range(4, DIGITS + 1, 2))
                if best and score >= best[0]:
                    break
            if best is None or score < best[0]:
                best = score, m, rows
        matrices.append(best[2])
        lines.append(f"    {{{polynomial}, {{{', '.join(map(str, best[1]))}}}}},")
        if len(matrices) == DIMENSIONS:
            break
    print("""#pragma once

#include <array>
#include <cstdint>

// Made by scripts/sobol_numbers.py.

namespace sinew {

/// A dimension of Sobol's sequence beyond the first: a primitive polynomial over GF(2), highest
/// power first, and as many odd m_k < 2ᵏ as its degree.
struct SobolNumbers {
  std::uint32_t polynomial;
  std::array<std::uint16_t, 9> m;
};

// clang-format off""")
    print(f"inline constexpr std::array<SobolNumbers, {len(lines)}> kSobolNumbers = {{{{")
    print("\n".join(lines))
    print("}};\n// clang-format on\n\n}  // namespace sinew")


if __name__ == "__main__":
    main()
