#!/usr/bin/env python3
"""Which excitations does muscle mass change? Prints the table of docs/optimizing.md.

    scripts/swing_excitations.py build/release/bin/sinew

Searches the task `track-swing` with the muscles' mass, and from there once without and once more with it. There are
many solutions that are nearly as good: what the second search with mass changes is no effect of mass.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

TASK = pathlib.Path(__file__).resolve().parent.parent / "tasks" / "track-swing.json"


def search(program, task, folder, evaluations, start=None):
    """The record of a search; says how it ended."""
    command = [program, "optimize", str(task), "--evaluations", str(evaluations), "--out", str(folder)]
    subprocess.run(command + (["--at", str(start)] if start else []), check=True, stdout=subprocess.DEVNULL)
    record = json.loads((folder / "run.json").read_text())
    print(f"{folder.name}: {record['end']}, {record['iterations']} iterations, value {record['value']:.6f}, "
          f"gap {record['intervals']['gap']:.1e}, gradient {record['gradient_norm']:.1e}", flush=True)
    return record


def excitations(record, muscles):
    """Time and value of the knots of each muscle."""
    found = {muscle: [] for muscle in muscles}
    for parameter in record["parameters"]:
        control, _, time = parameter["name"].partition("@")
        if control in found:
            found[control].append((float(time), parameter["value"]))
    return found


def mean(knots):
    return sum(value for _, value in knots) / len(knots)


def largest(before, after):
    """The largest change, and its time."""
    return max(((b[1] - a[1], a[0]) for a, b in zip(before, after)), key=lambda change: abs(change[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--evaluations", type=int, default=200, help="of each search")
    options = parser.parse_args()
    program = str(options.program.resolve())
    task = json.loads(TASK.read_text())
    muscles = task["parameters"][0]["control"]
    task["objectives"][0]["file"] = str(TASK.parent / task["objectives"][0]["file"])
    task["set"] = {"muscles.share": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "massless.json").write_text(json.dumps(task))
        search(program, TASK, folder / "first", options.evaluations)
        start = folder / "first" / "run.json"
        runs = [search(program, which, folder / label, options.evaluations, start)
                for which, label in ((folder / "massless.json", "without"), (TASK, "with"))]
        begin, without, massive = (excitations(run, muscles) for run in [json.loads(start.read_text()), *runs])
    print("\n| muscle | mean excitation without mass | with mass | change | largest change, and when "
          "| largest change by searching on |\n|---|---|---|---|---|---|")
    for muscle in sorted(muscles, key=lambda m: -abs(mean(massive[m]) / mean(without[m]) - 1)):
        by_mass, when = largest(without[muscle], massive[muscle])
        by_search, _ = largest(begin[muscle], massive[muscle])
        print(f"| {muscle.replace('_', ' ')} | {mean(without[muscle]):.4f} | {mean(massive[muscle]):.4f} "
              f"| {100 * (mean(massive[muscle]) / mean(without[muscle]) - 1):+.1f} % | {by_mass:+.3f} at {when:.2f} s "
              f"| {by_search:+.3f} |")


if __name__ == "__main__":
    main()
