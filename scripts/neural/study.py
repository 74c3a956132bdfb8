#!/usr/bin/env python3
"""Trains the networks of the experiments W8 and W9 and prints their tables (markdown).

Needs numpy and PyTorch.

Example (six minutes on an H200):
  python3 scripts/neural/study.py --device cuda --json study.json

W8: sampling thresholds 1, 3, 5, 10, 20 % with 6x256. W9: depths 1, 2, 3, 4, 6, 8, 10, 12, widths 128 and
256, at 1 % and 5 %. Encoding cylinder-raw, the seeds' rule for the samples, L2 loss of positions, Adam.
Each row is the mean over `--seeds` trainings, with the largest in brackets. Training sets: `--samples`.
"""

import argparse
import itertools
import json
import math
import sys
import time

from wrap_encodings import ENCODINGS

THRESHOLDS = [0.01, 0.03, 0.05, 0.10, 0.20]
DEPTHS = [1, 2, 3, 4, 6, 8, 10, 12]
WIDTHS = [128, 256]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--samples", type=int, nargs="+", default=[2_000_000, 30_000], help="W8 uses the first number only")
    parser.add_argument("--w8-steps", type=int, default=30_000)
    parser.add_argument("--w9-steps", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--depths", type=int, nargs="+", default=DEPTHS)
    parser.add_argument("--widths", type=int, nargs="+", default=WIDTHS)
    parser.add_argument("--only", nargs="+", default=["W8", "W9"], choices=["W8", "W9"])
    parser.add_argument("--json", help="file for the numbers")
    return parser.parse_args()


def one_shape(args, experiment, steps, samples, depth, width, thresholds, pools, name="cylinder-raw"):
    """Trains depth x width on every threshold and seed at once; rows of results."""
    import numpy as np

    import sweeps
    import training

    encoding = ENCODINGS[name]
    members = [(t, s) for t in thresholds for s in range(args.seeds)]
    rate = 3 * args.rate if encoding.invariant else args.rate  # the smaller network bears more
    one = training.Training(
        [pools[name, samples, t, s] for t, s in members], [width] * depth, steps, args.batch, rate, 0.0, 7, args.device
    )
    training.train([one])
    rows = []
    for k, (threshold, seed) in enumerate(members):
        point_of = training.as_network(encoding, one.layers, k, 1.0).point
        row = {
            "experiment": experiment, "encoding": name, "samples": samples, "depth": depth, "width": width,
            "threshold": threshold, "seed": seed, "train_rms": float(np.sqrt(one.losses[-1][1][k])),
            "seconds": one.seconds / len(members),
        }  # fmt: skip
        rows.append(row | sweeps.box_errors(point_of) | sweeps.touch_down(point_of))
    print(f"{name}, {samples} samples, {depth}x{width}: {len(members)} in {one.seconds:.1f} s", file=sys.stderr, flush=True)
    return rows


def table(rows, keys):
    """One line per group of equal `keys`: mean (largest) of each column."""
    columns = ["train_rms", "box_rms", "contact_rms", "contact_max", "position", "jacobian", "variation", "near"]
    print("| " + " | ".join(keys + columns) + " |\n|" + "---|" * (len(keys) + len(columns)))
    for group in sorted({tuple(row[k] for k in keys) for row in rows}):
        of_group = [row for row in rows if tuple(row[k] for k in keys) == group]
        cells = [g if isinstance(g, str) else f"{g:g}" for g in group]
        for column in columns:
            values = [row[column] for row in of_group]
            cells.append(f"{sum(values) / len(values):.2g} ({max(values, key=abs):.2g})")
        print("| " + " | ".join(cells) + " |")
    print(flush=True)


def main():
    args = arguments()
    try:
        import torch
    except ImportError:
        raise SystemExit("study.py needs PyTorch, which this Python does not have")
    import training

    torch.set_float32_matmul_precision("highest")
    start = time.time()
    pools = {
        (name, n, t, s): training.make_pool(ENCODINGS[name], n, t, math.inf, 0.0, False, 100 * s + 1, args.device)
        for name, counts in (("cylinder-raw", args.samples), ("cylinder-invariant", args.samples[:1]))
        for n in counts for t in THRESHOLDS for s in range(args.seeds)
    }  # fmt: skip
    print(f"samples made in {time.time() - start:.1f} s", file=sys.stderr, flush=True)
    n = args.samples[0]
    rows = []
    if "W8" in args.only:
        rows += one_shape(args, "W8", args.w8_steps, n, 6, 256, THRESHOLDS, pools)
        rows += one_shape(args, "W8", args.w8_steps, n, 4, 128, THRESHOLDS, pools, "cylinder-invariant")
    if "W9" in args.only:
        for samples, width, depth in itertools.product(args.samples, args.widths, args.depths):
            rows += one_shape(args, "W9", args.w9_steps, samples, depth, width, [0.01, 0.05], pools)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)
    print("W8: 6x256 raw, 4x128 invariant\n")
    table([row for row in rows if row["experiment"] == "W8"], ["encoding", "threshold"])
    print("W9\n")
    table([row for row in rows if row["experiment"] == "W9"], ["samples", "threshold", "width", "depth"])


if __name__ == "__main__":
    main()
