#!/usr/bin/env python3
"""Measures a network against the exact paths. Needs numpy only.

Examples:
  python3 scripts/neural/evaluate.py models/neural/cylinder-raw.mlp
  python3 scripts/neural/evaluate.py models/neural/*.mlp --lengths

Samples are drawn in the declared range, uniform in the box of the raw networks and, for invariant ones, uniform in
their features too, then with lengths in units of √(ρ_o² + ρ_i²). Prints the errors of positions and of the Jacobian ∂x_α/∂(o, i), rms and largest,
for free paths, for wrapped ones, and for those within the band around touch-down that training left out;
the ends at α = 0 and 1; the deepest penetration. --lengths prints the length errors on the way out of the box.
"""

import argparse

import numpy as np

import geodesics
import network_file
import sweeps
import wrap_encodings
from wrap_encodings import ENCODINGS

STEP = 1e-6  # step of the central differences for both Jacobians, in units of the anchors


def draw(encoding, count, rng, box, pieces):
    """Paths (o, i, r, alpha) in the declared range, from the features' box or from that of the raw networks.

    Fractions alpha are those of the inner points of a polyline or, without `pieces`, any.
    """
    source = encoding if not box else ENCODINGS["capped-cylinder-raw" if encoding.capped else "cylinder-raw"]
    x = rng.uniform(-1, 1, (source.inputs, 6 * count))
    o, i, r, alpha, _ = source.path_of(np, wrap_encodings.scaled(np, source, x))
    o, i = np.stack(o), np.stack(i)
    if pieces:
        alpha = rng.integers(1, pieces, r.shape) / pieces
    inside = encoding.in_range(np, o, i, r, alpha) & (source.in_range(np, o, i, r, alpha) if box else True)
    pick = np.flatnonzero(inside)[:count]
    return o[:, pick], i[:, pick], r[pick], alpha[pick]


def jacobian(point_of, o, i, r, alpha):
    """∂x/∂(o, i) [3, 6, N] by central differences."""
    columns = []
    for k in range(6):
        d = np.zeros((6, 1))
        d[k] = STEP
        ends = [point_of(o + s * d[:3], i + s * d[3:], r, alpha) for s in (1, -1)]
        columns.append((ends[0] - ends[1]) / (2 * STEP))
    return np.stack(columns, 1)


def errors(network, count, seed, box, pieces):
    """dict: group → (share, position rms, max, Jacobian rms, 99 %, max)."""
    encoding = network.encoding
    o, i, r, alpha = draw(encoding, count, np.random.default_rng(seed), box, pieces)
    found = encoding.shortest(np, o, i, r, alpha)
    exact_point = lambda *path: np.stack(encoding.shortest(np, *path)["point"])
    position = np.linalg.norm(network.point(o, i, r, alpha) - np.stack(found["point"]), axis=0)
    difference = jacobian(network.point, o, i, r, alpha) - jacobian(exact_point, o, i, r, alpha)
    slope = np.sqrt((difference**2).sum((0, 1)))
    groups = {
        "free": found["phi"] <= 0,
        "wrapped": (found["phi"] > 0) & wrap_encodings.kept(found, 0.01, 0.1),
        "left out": ~wrap_encodings.kept(found, 0.01, 0.1),
        "all": found["phi"] == found["phi"],
    }
    rms = lambda v: float(np.sqrt((v**2).mean()))
    return {
        name: (float(g.mean()), rms(position[g]), position[g].max(), rms(slope[g]), np.quantile(slope[g], 0.99), slope[g].max())
        for name, g in groups.items() if g.any()
    }  # fmt: skip


def ends_and_depth(network, count, seed, pieces):
    """Largest miss of the anchors, and deepest point under the surface over the radius."""
    encoding = network.encoding
    o, i, r, alpha = draw(encoding, count, np.random.default_rng(seed), False, pieces)
    miss = max(
        np.linalg.norm(network.point(o, i, r, 0 * r) - o, axis=0).max(),
        np.linalg.norm(network.point(o, i, r, 0 * r + 1) - i, axis=0).max(),
    )
    core = wrap_encodings.core_distance(np, network.point(o, i, r, alpha), encoding.capped)
    return miss, (1 - core / r).max()


def report(path, count, seed, pieces):
    network = network_file.load(path)
    chart, pieces = network.encoding.chart, network.encoding.pieces or pieces
    print(f"{path}: {network.encoding.name}, {network.weights()} weights, {count} samples\n")
    for box in {"raw": [True], "invariant": [True, False], "over-cap": [False]}[chart]:
        unit = "r" if chart == "over-cap" else "√(ρ_o² + ρ_i²)"
        print("In the raw networks' box, metres:\n" if box else f"Over the whole range, lengths in {unit}:\n")
        print("| paths | share | position rms | max | Jacobian rms | 99 % | max |\n|---|---|---|---|---|---|---|")
        for name, (share, *values) in errors(network, count, seed, box, pieces).items():
            print(f"| {name} | {100 * share:.1f} % | " + " | ".join(f"{v:.1e}" for v in values) + " |")
        print()
    miss, depth = ends_and_depth(network, count, seed, pieces)
    print(f"ends missed by at most {miss:.1e}; deepest point {depth:.2f} r under the surface")
    if not network.encoding.capped:
        print("touch-down sweep:", {k: f"{v:.2g}" for k, v in sweeps.touch_down(network.point).items()})
    print()


def lengths(networks):
    """Relative length errors on the way out of the box."""
    for title, sweep, value in (
        ("Sweep A: origin (x, 0, 0)", sweeps.SWEEP_A, lambda p: p[0][0]),
        ("Sweep B: radius", sweeps.SWEEP_B, lambda p: p[2]),
    ):
        columns = [sweeps.length_errors(network.point, sweep) for network in networks]
        print(f"| {title} | exact length | " + " | ".join(n.encoding.name for n in networks) + " |")
        print("|" + "---|" * (2 + len(networks)))
        for k, path in enumerate(sweep):
            cells = []
            for network, column in zip(networks, columns):
                o, i = ([np.array([float(c)]) for c in p] for p in path[:2])
                inside = network.encoding.in_range(np, o, i, np.array([path[2]]), np.array([0.5]))[0]
                cells.append(f"{100 * column[k]:+.2f} %" + ("" if inside else " (refused)"))
            print(f"| {value(path):g} | {sweeps.exact_length(*path):.6f} | " + " | ".join(cells) + " |")
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--samples", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--pieces", type=int, help="only α = k/PIECES, where polylines have their points (polyline networks: always)")
    parser.add_argument("--lengths", action="store_true", help="print the length errors of the sweeps instead (cylinder networks)")
    args = parser.parse_args()
    if args.lengths:
        lengths([n for n in map(network_file.load, args.networks) if not n.encoding.capped])
        return
    for path in args.networks:
        report(path, args.samples, args.seed, args.pieces)


if __name__ == "__main__":
    main()
