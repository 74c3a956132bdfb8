#!/usr/bin/env python3
"""Runs models under constant random excitations, scenes from random starts, and tabulates how the runs end.

    scripts/random_runs.py PROGRAM MODEL.osim|SCENE... [--runs 100] [--until 2] [--jobs 2] [--excitation]

In a scene each revolute joint starts up to 0.5 rad from its initial angle and turns at up to 2 rad/s.
With --excitation its Hill-type muscles are excited instead.

A run may pass its audit, finish with a failed one that names muscle and time, or stop with a reason that names the
muscle or coordinate and the time. Anything else (a crash, no result, a failure
without a reason or a name) is a defect: the script ends with 1.
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


def info(program, model):
    result = subprocess.run([program, "info", model, "--json"], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def random_excitations(program, model):
    """A function from random numbers to options of a run, or None for a model without muscles."""
    told = info(program, model)
    if model.endswith(".osim"):
        muscles = [path["name"] for path in told["paths"] if "Muscle" in path["type"]]
    else:
        muscles = [muscle["name"] for muscle in told["muscles"] if "hill" in muscle]
    if not muscles:
        return None
    return lambda dice: [word for name in muscles for word in ("--excitation", f"{name}={dice.random():.4f}")]


def random_starts(program, scene):
    description = json.loads(Path(info(program, scene)["path"]).read_text())
    dependent = {entry["coordinate"] for entry in description.get("dependent_coordinates", [])}

    def options(dice):
        words = []
        for body in description["bodies"]:
            joint = body.get("joint", {})
            if joint.get("type") != "revolute" or dependent.intersection(joint.get("coordinates", [])):
                continue
            place = f"bodies.{body['name']}.joint"
            words += ["--set", f"{place}.q0={joint.get('q0', 0) + dice.uniform(-0.5, 0.5):.4f}"]
            words += ["--set", f"{place}.qdot0={dice.uniform(-2, 2):.4f}"]
        return words

    return options


def run(program, model, randomise, seed, until):
    """The outcome of a run, and a line about it."""
    command = [program, "simulate", model, "--until", str(until), "--json"] + randomise(random.Random(seed))
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
        if audit["passed"]:
            return "passed", ""
        verdict = audit["verdict"]
        # A path is one muscle's, at one time; energy is that of all.
        if "path" in verdict and not (names_something(verdict) and re.search(r" at t = [0-9.e+-]+ s", verdict)):
            return "defect", f"seed {seed}: the verdict lacks muscle or time: {verdict}"
        return "audit failed", verdict
    failure = report.get("failure", "")
    if not names_something(failure) or " at t = " not in failure:
        return "defect", f"seed {seed}: stopped without a reason, a name or a time: {failure}"
    return "stopped", failure


def names_something(text):
    """Whether it names a muscle, a coordinate, a body or the like: in quotes."""
    return re.search(r"'[^']+'", text) is not None


def summary(line):
    """The line without times and sizes."""
    line = re.sub(r" at t = [0-9.e+-]+ s(, the largest of \d+ jumps)?", "", line)
    line = re.sub(r" by [+-][0-9.e+-]+ mm", "", line)
    return re.sub(r"energy error of [0-9.e+-]+", "energy error", line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--until", type=float, default=2)
    parser.add_argument("--excitation", action="store_true",
                        help="excite the Hill-type muscles of scenes, too, from the starts that they have")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    defects = 0
    print("| model | runs | passed | audit failed | stopped | most frequent reasons |")
    print("|---|---|---|---|---|---|")
    for model in options.models:
        excited = options.excitation or model.endswith(".osim")
        randomise = (random_excitations if excited else random_starts)(options.program, model)
        if randomise is None:
            continue
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            ends = list(pool.map(lambda seed: run(options.program, model, randomise, seed, options.until),
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
