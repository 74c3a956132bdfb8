#!/usr/bin/env python3
"""Runs models under constant random excitations and tabulates how the runs end.

    scripts/random_excitations.py PROGRAM MODEL.osim... [--runs 100] [--until 2] [--jobs 2]

A run may pass its audit, finish with a failed one that names muscle and time, or stop with a reason. Anything else
(a crash, no result, a failure without a reason) is a defect: the script ends with 1.
"""

import argparse
import collections
import concurrent.futures
import json
import random
import re
import subprocess
import sys
from pathlib import Path


def muscles_of(program, model):
    result = subprocess.run([program, "info", model, "--json"], capture_output=True, text=True, check=True)
    return [path["name"] for path in json.loads(result.stdout)["paths"] if "Muscle" in path["type"]]


def run(program, model, muscles, seed, until):
    """How a run ended, and a line about it: without numbers, so that equal ends can be counted."""
    dice = random.Random(seed)
    command = [program, "simulate", model, "--until", str(until), "--json"]
    for name in muscles:
        command += ["--excitation", f"{name}={dice.random():.4f}"]
    result = subprocess.run(command, capture_output=True, text=True)
    try:
        report = json.loads(result.stdout)
    except json.JSONDecodeError:
        return "defect", f"seed {seed}: exit code {result.returncode}, no result: {result.stderr.strip()[-200:]}"
    audit = report["audit"]
    expected = {"finished": 0 if audit["passed"] else 4, "failed": 3}
    if result.returncode != expected.get(report["status"]):
        return "defect", f"seed {seed}: {report['status']} with exit code {result.returncode}"
    if report["status"] == "finished":
        return ("passed", "") if audit["passed"] else ("audit failed", audit["verdict"])
    if not report.get("failure"):
        return "defect", f"seed {seed}: stopped without a reason"
    return "stopped", report["failure"]


def summary(line):
    """The line without times and sizes."""
    line = re.sub(r" at t = [0-9.e+-]+ s(, the largest of \d+ jumps)?", "", line)
    return re.sub(r" by [+-][0-9.e+-]+ mm", "", line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--until", type=float, default=2)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    defects = 0
    print("| model | runs | passed | audit failed | stopped | most frequent reasons |")
    print("|---|---|---|---|---|---|")
    for model in options.models:
        muscles = muscles_of(options.program, model)
        if not muscles:
            continue
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            ends = list(pool.map(lambda seed: run(options.program, model, muscles, seed, options.until),
                                 range(options.runs)))
        count = collections.Counter(kind for kind, _ in ends)
        reasons = collections.Counter(summary(line) for kind, line in ends if kind in ("audit failed", "stopped"))
        told = "; ".join(f"{line} ({n})" for line, n in reasons.most_common(3))
        print(f"| {Path(model).stem} | {options.runs} | {count['passed']} | {count['audit failed']} | "
              f"{count['stopped']} | {told} |", flush=True)
        for kind, line in ends:
            if kind == "defect":
                defects += 1
                print(f"{Path(model).stem}: {line}", file=sys.stderr)
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
