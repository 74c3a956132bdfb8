#!/usr/bin/env python3
"""Trains neural wrap models on exact shortest paths and writes them as network files.

Needs numpy and PyTorch. Runs on a GPU, and slowly on a CPU.

The networks that Sinew ships, side by side (ten minutes on an H200):
  python3 scripts/neural/train.py shipped --device cuda --out models/neural

A single network, here a trial on a CPU:
  python3 scripts/neural/train.py cylinder-invariant --hidden 2x32 --steps 2000 --pool 50000 --out /tmp

Writes OUT/<encoding>.mlp and OUT/<encoding>.json: recipe, time, losses.
Then: python3 scripts/neural/evaluate.py OUT/<encoding>.mlp
"""

import argparse
import json
import math
import os
import time

from wrap_encodings import ENCODINGS

SHIPPED = {
    "cylinder-raw": {"hidden": "6x256", "rate": 1.5e-3, "derivative_weight": 0.5},
    "cylinder-invariant": {"hidden": "4x128", "rate": 3e-3, "derivative_weight": 0.2},
    "capped-cylinder-raw": {"hidden": "6x256", "rate": 1.5e-3, "derivative_weight": 0.5},
    "capped-cylinder-invariant": {"hidden": "5x192", "rate": 2e-3, "derivative_weight": 0.05},
    "cylinder-polyline": {
        "hidden": "5x96", "rate": 2e-3, "derivative_weight": 0.2, "steps": 170_000, "threshold": 0.005, "deep": 0.05,
    },
    "over-cap-polyline": {
        "hidden": "4x96", "rate": 2e-3, "derivative_weight": 0.02, "steps": 170_000, "pool": 2_000_000,
    },
}  # fmt: skip
DEFAULTS = {
    "hidden": "4x96", "rate": 2e-3, "derivative_weight": 0.05, "pool": 4_000_000, "steps": 90_000, "batch": 4096,
    "threshold": 0.01, "deep": 0.1, "attached": 0.5, "seed": 1, "device": "cpu",
}  # fmt: skip


def shape(text):
    depth, width = text.split("x")
    return [int(width)] * int(depth)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoding", choices=["shipped", *ENCODINGS])
    parser.add_argument("--out", required=True, help="folder")
    parser.add_argument("--hidden", help="depth x width (default: as shipped)")
    parser.add_argument("--rate", type=float, help="largest learning rate (default: as shipped)")
    parser.add_argument("--derivative-weight", type=float, help="weight of the Jacobian's error; 0: none (default: as shipped)")
    parser.add_argument("--device", choices=["cpu", "cuda"], help="(default: cpu)")
    parser.add_argument("--pool", type=int, help="training samples (default: as shipped, or 4 million)")
    parser.add_argument("--steps", type=int, help="(default: as shipped, or 90 000)")
    parser.add_argument("--batch", type=int, help="(default: 4096)")
    parser.add_argument("--threshold", type=float, help="least wrapped fraction kept (default: as shipped, or 0.01)")
    parser.add_argument("--deep", type=float,
                        help="wrapped angle [rad] from which samples are kept for any fraction (default: as shipped, or 0.1); "
                             "inf: the rule of Wang 2022")
    parser.add_argument("--attached", type=float, help="share of wrapped samples (default 0.5; 0: as they come)")
    parser.add_argument("--seed", type=int, help="(default: 1)")
    return parser.parse_args()  # fmt: skip


def recipe_of(args, name):
    """The options of one network, by default those of the one that is shipped."""
    given = {key: value for key, value in vars(args).items() if value is not None}
    shipped = DEFAULTS | SHIPPED.get(name, {})
    return shipped | {key: given[key] for key in given if key not in ("encoding", "out")} | {"encoding": name}


def begin(recipe):
    """Makes the samples and the training of one network; the outputs' scale."""
    import training

    encoding = ENCODINGS[recipe["encoding"]]
    start = time.time()
    pool = training.make_pool(
        encoding, recipe["pool"], recipe["threshold"], recipe["deep"], recipe["attached"],
        recipe["derivative_weight"] > 0, recipe["seed"], recipe["device"],
    )  # fmt: skip
    output_scale = math.sqrt(pool["y"].square().mean().item()) if encoding.chart != "raw" else 1.0
    for key in ("y", "dy"):
        if key in pool:
            pool[key] /= output_scale
    recipe["samples"] = len(pool["x"])
    recipe["pool_seconds"] = round(time.time() - start, 1)
    print(f"{encoding.name}: {len(pool['x'])} samples in {recipe['pool_seconds']} s", flush=True)
    return output_scale, training.Training(
        [pool], shape(recipe["hidden"]), recipe["steps"], recipe["batch"], recipe["rate"],
        recipe["derivative_weight"], recipe["seed"], recipe["device"], points=encoding.points,
    )  # fmt: skip


def main():
    args = arguments()
    try:
        import torch
    except ImportError:
        raise SystemExit("train.py needs PyTorch, which this Python does not have")
    import network_file
    import training

    torch.set_float32_matmul_precision("highest")
    names = list(SHIPPED) if args.encoding == "shipped" else [args.encoding]
    recipes = [recipe_of(args, name) for name in names]
    begun = [begin(recipe) for recipe in recipes]
    for _, one in begun:
        one.start = time.time()
    training.train([one for _, one in begun], lambda line: print(line, flush=True))
    for recipe, (output_scale, one) in zip(recipes, begun):
        network = training.as_network(ENCODINGS[recipe["encoding"]], one.layers, 0, output_scale)
        path = os.path.join(args.out, recipe["encoding"])
        network_file.save(network, path + ".mlp")
        recipe |= {
            "training_seconds": round(one.seconds, 1), "beside": [n for n in names if n != recipe["encoding"]],
            "weights": network.weights(), "output_scale": output_scale, "losses": one.losses,
            "machine": torch.cuda.get_device_name() if recipe["device"] == "cuda" else "CPU",
        }  # fmt: skip
        with open(path + ".json", "w") as file:
            json.dump(recipe, file, indent=1)
            file.write("\n")
        print(f"wrote {path}.mlp: {network.weights()} weights, trained {one.seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
