#!/usr/bin/env python3
"""Checks the exact paths of geodesics.py against an elastic band computed independently.

Example: python3 scripts/neural/check_geodesics.py --pairs 400

Polylines of many knots, started beside the surface on the chosen side, are pulled taut: every knot
moves to the middle of its neighbours and is put back outside the surface. Their length converges to
that of the shortest path from either side, knots outside and edges cutting in by O(1/knots²). The
points at equal fractions of the length are compared too. Also checks that points lie outside, that
the ends are met, and the exact lengths of docs/theory/neural_wrapping.md. Needs numpy only.
"""

import argparse
import math
import sys

import numpy as np

import geodesics


def pushed_out(points, r, capped):
    """The nearest points outside the open surface."""
    x, y, z = points
    height = np.maximum(z, 0) if capped else 0 * z
    m = np.sqrt(x**2 + y**2 + height**2)
    f = np.where(m < r, r / np.maximum(m, 1e-12), 1.0)
    return np.stack([x * f, y * f, np.where(height > 0, z * f, z)])


def taut_band(o, i, theta, r, knots, sweeps, capped):
    """Knots [3, pairs, knots + 1] of bands relaxed on the chosen side."""
    t = np.linspace(0, 1, knots + 1)
    rho_o, rho_i = np.hypot(o[0], o[1]), np.hypot(i[0], i[1])
    a = np.arctan2(o[1], o[0])[:, None] + theta[:, None] * t
    rho = np.maximum(rho_o[:, None] * (1 - t) + rho_i[:, None] * t, 1.05 * r[:, None])
    rho[:, 0], rho[:, -1] = rho_o, rho_i
    x = np.stack([rho * np.cos(a), rho * np.sin(a), o[2][:, None] * (1 - t) + i[2][:, None] * t])
    # Successive over-relaxation, odd and even knots in turn.
    omega = 2 / (1 + math.sin(math.pi / knots))
    for sweep in range(sweeps):
        if sweep > 0.75 * sweeps:
            omega = 1.0
        for start in (1, 2):
            k = np.arange(start, knots, 2)
            middle = 0.5 * (x[:, :, k - 1] + x[:, :, k + 1])
            x[:, :, k] = pushed_out(x[:, :, k] + omega * (middle - x[:, :, k]), r[:, None], capped)
    return x


def random_pairs(rng, count, capped):
    o, i = rng.uniform(-1, 1, (3, 20 * count)), rng.uniform(-1, 1, (3, 20 * count))
    r = rng.uniform(0.1, 0.5, 20 * count)
    core = lambda p: np.sqrt(p[0] ** 2 + p[1] ** 2 + (np.maximum(p[2], 0) ** 2 if capped else 0))
    theta = geodesics.wrapping_angle(np, o, i, 1.5 * math.pi)
    highest = math.pi - 0.05 if capped else 1.4 * math.pi
    fine = (core(o) > 1.02 * r) & (core(i) > 1.02 * r) & (theta > 0) & (theta < highest)
    pick = np.flatnonzero(fine)
    model = geodesics.capped_cylinder if capped else geodesics.cylinder
    attached = model(np, o[:, pick], i[:, pick], r[pick], 0.5)["phi"] > 0
    pick = np.concatenate([pick[attached][: count * 9 // 10], pick[~attached][: count // 10]])
    return o[:, pick], i[:, pick], r[pick], theta[pick]


def compare(name, model, capped, count, knots, rng):
    o, i, r, theta = random_pairs(rng, count, capped)
    band = taut_band(o, i, theta, r, knots, 4000, capped)
    edges = np.linalg.norm(np.diff(band, axis=2), axis=0)
    length = edges.sum(axis=1)
    exact = model(np, o, i, r, 0.5)
    ratio = length / exact["length"] - 1
    worst_point = worst_end = depth = 0.0
    for alpha in np.linspace(0, 1, 11):
        p = np.stack(model(np, o, i, r, alpha)["point"])
        along = np.cumsum(np.concatenate([0 * length[:, None], edges], axis=1), axis=1)
        for j in range(len(r)):
            q = [np.interp(alpha * length[j], along[j], band[k, j]) for k in range(3)]
            worst_point = max(worst_point, float(np.linalg.norm(p[:, j] - q)))
        if alpha in (0.0, 1.0):
            worst_end = max(worst_end, float(np.abs(p - (o if alpha == 0 else i)).max()))
        core = np.sqrt(p[0] ** 2 + p[1] ** 2 + (np.maximum(p[2], 0) ** 2 if capped else 0))
        depth = max(depth, float((r - core).max()))
    print(
        f"{name}: {len(r)} pairs, {int((exact['phi'] > 0).sum())} wrapped; band length over exact − 1 in "
        f"[{ratio.min():.1e}, {ratio.max():.1e}], points {worst_point:.1e}, ends {worst_end:.1e}, depth {depth:.1e}"
    )
    # The band's edges cut corners by (angle per knot)²/24 ≈ 1e-5; it is never longer by more than the error of the
    # relaxation. Points: a sliding band is soft along itself, hence 1e-2.
    return ratio.min() > -3e-4 and ratio.max() < 3e-5 and worst_point < 1e-2 and worst_end < 1e-9 and depth < 1e-9


def published_lengths():
    """The exact lengths of docs/validation.md, to their digits."""
    rows = [
        ((1, 0, 0), (-0.5, 0, 0), 0.15, 1.533945),
        ((1.2, 0, 0), (-0.5, 0, 0), 0.15, 1.732061),
        ((1, 0, 0), (-0.5, 0, 0), 0.20, 1.560628),
        ((1, 0, 0), (-0.5, 0, 0), 0.25, 1.595328),
    ]
    worst = 0.0
    for o, i, r, expected in rows:
        arrays = [tuple(np.array([float(x)]) for x in p) for p in (o, i)]
        found = geodesics.cylinder(np, *arrays, np.array([r]), 0.5)["length"][0]
        worst = max(worst, abs(found - expected))
    print(f"published lengths: worst difference {worst:.1e}")
    return worst < 6e-7


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--knots", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    fine = published_lengths()
    fine &= compare("cylinder", geodesics.cylinder, False, args.pairs, args.knots, rng)
    fine &= compare("capped cylinder", geodesics.capped_cylinder, True, args.pairs, args.knots, rng)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
