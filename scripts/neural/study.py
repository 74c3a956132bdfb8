#!/usr/bin/env python3
"""Trains networks with different sampling thresholds and sizes and prints their tables (markdown).

Needs numpy and PyTorch.

Examples (eight, seven and six minutes on an H200):
  python3 scripts/neural/study.py --device cuda --only thresholds --json thresholds.json
  python3 scripts/neural/study.py --device cuda --only sizes --json sizes.json
  python3 scripts/neural/study.py --device cuda --only slopes

thresholds: sampling thresholds 1, 3, 5, 10, 20 % with 6x256. sizes: depths 1, 2, 3, 4, 6, 8, 10, 12, widths 128 and
256, at 1 % and 5 %. Encoding cylinder-raw, the rule of Wang 2022 for the samples, L2 loss of positions, Adam; each
on many samples and on 30 000, as in Wang 2022. thresholds also trains cylinder-invariant; slopes is thresholds with
derivatives in the loss. Each row of a table is the mean over `--seeds` trainings, with the largest in brackets. Columns:
sweeps.py.
"""

import argparse
import concurrent.futures
import itertools
import json
import math
import sys
import time

from wrap_encodings import ENCODINGS

THRESHOLDS = [0.01, 0.03, 0.05, 0.10, 0.20]
DEPTHS = [12, 10, 8, 6, 4, 3, 2, 1]
WIDTHS = [256, 128]
EXPERIMENTS = ["thresholds", "sizes", "slopes"]
DERIVATIVE_WEIGHT = 0.5  # for slopes: as in the shipped raw network


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--samples", type=int, nargs="+", default=[4_000_000, 30_000])
    parser.add_argument("--thresholds-steps", type=int, default=450_000)
    parser.add_argument("--slopes-steps", type=int, default=220_000)
    parser.add_argument("--sizes-steps", type=int, default=200_000)
    parser.add_argument("--thresholds-batch", type=int, default=1024)
    parser.add_argument("--sizes-batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--coarse", type=float, default=0.95, help="share of the steps in TF32, the first ones")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--depths", type=int, nargs="+", default=DEPTHS)
    parser.add_argument("--widths", type=int, nargs="+", default=WIDTHS)
    parser.add_argument("--only", nargs="+", default=EXPERIMENTS, choices=EXPERIMENTS)
    parser.add_argument("--json", help="file for the numbers")
    return parser.parse_args()


class Shape:
    """Networks depth x width, one for each of `samples` x `thresholds` x seeds, trained together."""

    def __init__(self, args, experiment, name, depth, width, samples, thresholds, steps, batch, weight=0.0):
        import training

        self.common = {"experiment": experiment, "encoding": name, "depth": depth, "width": width}
        self.encoding = ENCODINGS[name]
        self.members = list(itertools.product(samples, thresholds, range(args.seeds)))
        pools = [
            training.make_pool(self.encoding, n, t, math.inf, 0.0, weight > 0, 100 * s + 1, args.device)
            for n, t, s in self.members
        ]
        rate = 2 * args.rate if self.encoding.chart != "raw" else args.rate  # the smaller network tolerates more
        self.training = training.Training(
            pools, [width] * depth, steps, batch, rate, weight, 7, args.device, stride=10, coarse=args.coarse
        )

    def rows(self):
        """One dict of results per network."""
        import numpy as np

        import sweeps
        import training

        one, train_rms = self.training, self.training.rms()

        def row(k):
            n, threshold, seed = self.members[k]
            point_of = training.as_network(self.encoding, one.layers, k, 1.0).point
            found = {
                "samples": n, "threshold": threshold, "seed": seed, "train_rms": train_rms[k], "seconds": one.seconds,
                "losses": [float(np.sqrt(loss[k])) for _, loss in one.losses],
            }  # fmt: skip
            measured = sweeps.box_errors(point_of) | sweeps.touch_down(point_of) | sweeps.turned_touch_downs(point_of)
            return self.common | found | measured

        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            return list(threads.map(row, range(len(self.members))))


def shapes(args):
    """The networks to train, as a list of Shape."""
    both, many, found = args.samples, args.samples[:1], []

    def add(*what, **more):
        found.append(Shape(args, *what, **more))

    if "thresholds" in args.only:
        add("thresholds", "cylinder-raw", 6, 256, both, THRESHOLDS, args.thresholds_steps, args.thresholds_batch)
        add("thresholds", "cylinder-invariant", 4, 128, many, THRESHOLDS, args.thresholds_steps, args.thresholds_batch)
    if "slopes" in args.only:
        add("slopes", "cylinder-raw", 6, 256, many, THRESHOLDS, args.slopes_steps, args.thresholds_batch, weight=DERIVATIVE_WEIGHT)
    if "sizes" in args.only:
        for depth, width in itertools.product(args.depths, args.widths):
            add("sizes", "cylinder-raw", depth, width, both, [0.01, 0.05], args.sizes_steps, args.sizes_batch)
    return found


def table(rows, keys):
    """One line per group of equal `keys`: mean (largest) of each column."""
    columns = ["train_rms", "box_rms", "contact_rms", "contact_max", "position", "turned", "slope", "fluctuation", "touch"]
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
        import torch  # noqa: F401
    except ImportError:
        raise SystemExit("study.py needs PyTorch, which this Python does not have")
    import training

    start = time.time()
    log = lambda line: print(f"{time.time() - start:.0f} s: {line}", file=sys.stderr, flush=True)
    all_shapes = shapes(args)
    log(f"{sum(len(shape.members) for shape in all_shapes)} networks begun")
    training.train([shape.training for shape in all_shapes])
    log("trained")
    rows = [row for shape in all_shapes for row in shape.rows()]
    log("measured")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)
    for experiment in args.only:
        print(f"{experiment}\n")
        keys = ["samples", "threshold", "width", "depth"] if experiment == "sizes" else ["encoding", "samples", "threshold"]
        table([row for row in rows if row["experiment"] == experiment], keys)


if __name__ == "__main__":
    main()
