#!/usr/bin/env python3
"""Checks that runs keep the accuracy they are given.

usage: scripts/accuracy_runs.py SINEW [MODEL ...] [--integrator NAME] [--until T]

A step may add an error of E, so a run of n steps promises n E. Runs each scene (or those given) that the integrator can
step, and the OpenSim models of SINEW_REFERENCE_DIR, with three accuracies, and compares the coordinates at the end with a
run at E = 1e-9. Prints the error and how many times n E it is. Fails if that is more than 10, or if the
error does not fall with E.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ACCURACIES = [1e-3, 1e-4, 1e-5]
CONVERGED = 1e-9
ROUNDING = 1e-8  # errors below this need not fall
MODELS = ["arm26", "gait10dof18musc", "gait2392_thelen2003muscle", "Rajagopal2016"]


def run(program, model, until, integrator, accuracy):
    """The object that the program prints, or one line about why there is none."""
    command = [program, "simulate", model, "--until", str(until), "--integrator", integrator, "--accuracy", str(accuracy),
               "--least-step", "0", "--output-interval", "0", "--json"]
    if model.endswith(".osim"):
        command += ["--excitation", "all=0.05"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        return (done.stderr.strip().splitlines() or ["no answer"])[-1]
    result = json.loads(done.stdout)
    return result if result["status"] == "finished" else result["failure"]


def judge(program, model, until, integrator):
    """Cells of the row of a model, and whether they are as they should be; None if it cannot be stepped."""
    exact = run(program, model, until, integrator, CONVERGED)
    if isinstance(exact, str):
        return None if "cannot step" in exact else ([exact], False)
    cells, errors, kept = [], [], True
    for accuracy in ACCURACIES:
        result = run(program, model, until, integrator, accuracy)
        if isinstance(result, str):
            return cells + [result], False
        errors.append(max(abs(result["final"][name] - value) for name, value in exact["final"].items()))
        times = errors[-1] / (accuracy * result["steps"])
        cells.append(f"{errors[-1]:.1e} ({result['steps']} steps, {times:.2g})")
        kept = kept and times <= 10
    return cells, kept and (errors[-1] < errors[0] or errors[-1] < ROUNDING)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="SINEW")
    parser.add_argument("models", metavar="MODEL", nargs="*")
    parser.add_argument("--integrator", default="sdirk4")
    parser.add_argument("--until", type=float, default=0.3)
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parents[1]
    reference = Path(os.environ.get("SINEW_REFERENCE_DIR", root / "../shared/reference")) / "opensim/models"
    models = arguments.models
    if not models:
        # Scenes that stop Newton's method where another program does cannot be more accurate than that.
        models = [str(path) for path in sorted((root / "scenes").glob("*.json")) if "newton_residual" not in path.read_text()]
        models += [str(reference / f"{name}.osim") for name in MODELS if (reference / f"{name}.osim").exists()]
    print("| model | " + " | ".join(f"E = {accuracy:g}" for accuracy in ACCURACIES) + " |")
    print("|---|" + "---|" * len(ACCURACIES))
    kept, missed = 0, []
    for model in models:
        answer = judge(arguments.program, model, arguments.until, arguments.integrator)
        if answer is None:
            continue
        name = Path(model).stem
        cells, good = answer
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
        kept += good
        if not good:
            missed.append(name)
    print(f"{kept} keep their accuracy")
    if missed:
        sys.exit(f"accuracy_runs: {', '.join(missed)} missed it")


if __name__ == "__main__":
    main()
