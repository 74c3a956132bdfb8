#!/usr/bin/env python3
"""Makes the data of the tasks `identify`, `identify-share` and `identify-markers`: runs with their own numbers, and noise.

    scripts/identification_data.py build/release/bin/sinew
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile

TASKS = pathlib.Path(__file__).resolve().parent.parent / "tasks"
DEGREE = 0.017453292519943295


def read_table(path):
    """Labels and rows of a .sto file."""
    lines = path.read_text().splitlines()
    begin = lines.index("endheader") + 1
    return lines[begin].split("\t"), [[float(x) for x in line.split("\t")] for line in lines[begin + 1:]]


def run(program, scene, options, table):
    """A table that `sinew simulate` writes, every step."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "simulate", scene, "--out", folder, "--output-interval", "0", *options],
                       check=True, stdout=subprocess.DEVNULL)
        return read_table(pathlib.Path(folder) / table)


def write_noisy(name, title, columns, labels, rows, every, deviations):
    """Each `every`-th row after the first, with noise of these standard deviations."""
    noise = random.Random(1)
    places = [labels.index(column) for column in columns]
    kept = rows[every::every]
    with open(TASKS / "data" / name, "w") as out:
        out.write(f"{title}\nversion=1\nnRows={len(kept)}\nnColumns={len(columns) + 1}\ninDegrees=no\nendheader\n")
        out.write("\t".join(["time", *columns]) + "\n")
        for row in kept:
            values = [row[place] + noise.gauss(0, deviation) for place, deviation in zip(places, deviations)]
            out.write("\t".join([f"{row[0]:.6g}", *(f"{value:.9g}" for value in values)]) + "\n")


def make_knee(program):
    task = json.loads((TASKS / "identify.json").read_text())
    options = ["--set", "muscles.activation_law=blended", "--set", "simulation.variables=rates",
               "--integrator", task["run"]["integrator"], "--dt", str(task["run"]["dt"]),
               "--until", str(task["run"]["until"])]
    for path, value in task["set"].items():
        options += ["--set", f"{path}={value}"]
    labels, rows = run(program, "knee-spline", options, "states.sto")
    angles = ["knee_angle", "ankle_angle"]
    write_noisy("identify.sto", "angles [rad] of knee-spline, noise of 0.1 degrees", angles, labels, rows, 2,
                [0.1 * DEGREE] * 2)


def make_leg(program):
    options = ["--set", "simulation.variables=rates", "--integrator", "bdf2", "--dt", "0.0025", "--until", "0.3"]
    labels, rows = run(program, "swing-leg", options, "reactions.sto")
    moments = ["hip_flexion_torque", "knee_angle_torque", "ankle_angle_torque"]
    largest = [max(abs(row[labels.index(column)]) for row in rows) for column in moments]
    write_noisy("identify-share.sto", "moments [N m] of swing-leg, noise of 1 % of the largest of each", moments, labels,
                rows, 2, [0.01 * x for x in largest])
    print("weights for independent noise:", [1 / (0.01 * x) ** 2 for x in largest])


def make_rods(program):
    model = TASKS / "data" / "two-rods.osim"
    labels, rows = run(program, str(model), ["--integrator", "bdf2", "--dt", "0.005", "--until", "0.6"], "states.sto")
    places = [labels.index(f"{joint}_angle") for joint in ("shoulder", "elbow")]
    noise = random.Random(1)
    kept = rows[2::2]
    keys = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units", "OrigDataRate", "OrigDataStartFrame",
            "OrigNumFrames"]
    numbers = ["100", "100", str(len(kept)), "2", "m", "100", "1", str(len(kept))]
    with open(TASKS / "data" / "two-rods.trc", "w") as out:
        out.write("PathFileType\t4\t(X/Y/Z)\ttwo-rods.trc\n" + "\t".join(keys) + "\n" + "\t".join(numbers) + "\n")
        out.write("Frame#\tTime\telbow\t\t\twrist\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n")
        for frame, row in enumerate(kept, 1):
            first = row[places[0]]
            both = first + row[places[1]]
            elbow = [0.3 * math.sin(first), 1 - 0.3 * math.cos(first), 0]
            wrist = [elbow[0] + 0.25 * math.sin(both), elbow[1] - 0.25 * math.cos(both), 0]
            values = [x + noise.gauss(0, 0.001) for x in elbow + wrist]
            out.write("\t".join([str(frame), f"{row[0]:.6g}", *(f"{value:.7g}" for value in values)]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program `sinew`")
    arguments = parser.parse_args()
    (TASKS / "data").mkdir(exist_ok=True)
    make_knee(arguments.program)
    make_leg(arguments.program)
    make_rods(arguments.program)


if __name__ == "__main__":
    main()
