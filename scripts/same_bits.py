#!/usr/bin/env python3
"""Compares the ends of runs of the same scenes with fewer instructions, and by other compilers.

usage: scripts/same_bits.py [--until S] SINEW [SINEW...]

Runs every scene of scenes/, models/leg and, if SINEW_REFERENCE_DIR is set, the OpenSim models there, with each
program and each of four sets of instructions that the C library and our muscles in lanes may use, and prints a table:
the largest difference of a final coordinate or speed from the first program with all instructions, relative to the
largest final coordinate or speed of the scene (at least 1). "same" means the same bits of the whole state.
"""

import argparse
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Name, features hidden from the C library (glibc 2.33 and later), our vector unit ("": the widest).
SETS = [
    ("all", "", ""),
    ("no AVX-512", "-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD", "avx2"),
    ("no AVX2, FMA", "-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-AVX2,-FMA,-FMA4", "sse2"),
    ("SSE2 alone", "-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-AVX2,-FMA,-FMA4,-AVX,-SSE4_2,-SSE4_1,-SSSE3", "sse2"),
]


def run(program, scene, until, without, unit):
    environment = {k: v for k, v in os.environ.items() if k not in ("GLIBC_TUNABLES", "SINEW_VECTOR_UNIT")}
    if without:
        environment["GLIBC_TUNABLES"] = "glibc.cpu.hwcaps=" + without
    if unit:
        environment["SINEW_VECTOR_UNIT"] = unit
    command = [program, "simulate", str(scene), "--json", "--until", str(until)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    # A part of a run may fail its audit (4); its bits count all the same.
    if done.returncode not in (0, 4):
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    report = json.loads(done.stdout)
    return report["final_hash"], list(report["final"].values()) + list(report["final_speeds"].values())


def own_end(scene):
    """Behind it a scene may have nothing left to run: a rope that has slipped out."""
    if scene.suffix != ".json":
        return float("inf")
    return json.loads(scene.read_text()).get("simulation", {}).get("until", float("inf"))


def difference(values, expected):
    scale = max([1.0] + [abs(x) for x in expected])
    return max((abs(a - b) for a, b in zip(values, expected)), default=0.0) / scale


def scenes():
    out = sorted((ROOT / "scenes").glob("*.json")) + sorted((ROOT / "models/leg").glob("*.osim"))
    reference = os.environ.get("SINEW_REFERENCE_DIR")
    return out + (sorted(pathlib.Path(reference).glob("opensim/models/*.osim")) if reference else [])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--until", type=float, default=0.5, help="simulated time of each scene [s] (0.5)")
    arguments.add_argument("sinew", nargs="+", help="a program; several, built by several compilers")
    options = arguments.parse_args()
    columns = [(k, program, s) for k, program in enumerate(options.sinew) for s in SETS]
    same, worst, rows = [0] * len(columns), [0.0] * len(columns), []
    for scene in scenes():
        cells, first = [], None
        for c, (_, program, (_, without, unit)) in enumerate(columns):
            hash_, values = run(program, scene, min(options.until, own_end(scene)), without, unit)
            first = first or (hash_, values)
            if hash_ == first[0]:
                cells.append("same")
                same[c] += 1
            else:
                cells.append(f"{difference(values, first[1]):.1e}")
                worst[c] = max(worst[c], difference(values, first[1]))
        if set(cells) != {"same"}:
            rows.append([scene.stem] + cells)
    head = [f"{k + 1}: {name}" for k, _, (name, _, _) in columns]
    print("| scene | " + " | ".join(head) + " |")
    print("|---" * (len(head) + 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print("| the same bits | " + " | ".join(f"{n} of {len(scenes())}" for n in same) + " |")
    print("| largest | " + " | ".join(f"{w:.1e}" for w in worst) + " |")


if __name__ == "__main__":
    main()
