#!/usr/bin/env python3
"""Prints how `sinew evaluate` agrees with OpenSim, as the tables of docs/validation.md.

Usage: opensim_agreement.py PROGRAM [REFERENCE]

PROGRAM is the built `sinew`; REFERENCE the folder with opensim/, by default $SINEW_REFERENCE_DIR, or
../shared/reference beside the sources. Every pose battery there is fed to the program unchanged.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RELATIVE = ["M", "id_tau", "id_tau_udot0", "id_tau_gravity", "kinetic_energy",
            "potential_energy_gravity", "com"]


def flat(value):
    """All numbers of nested lists, in order."""
    if isinstance(value, list):
        return [x for entry in value for x in flat(entry)]
    return [value]


def difference(ours, theirs):
    """Largest difference of two nested lists of numbers."""
    return max((abs(a - b) for a, b in zip(flat(ours), flat(theirs), strict=True)), default=0.0)


def relative(ours, theirs):
    """The same over the largest entry; absolute if all are zero."""
    size = max((abs(b) for b in flat(theirs)), default=0.0)
    return difference(ours, theirs) / (size if size > 0 else 1.0)


def ask(program, *arguments):
    """The program's answer, a JSON object."""
    run = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"{arguments}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def classes_of(info):
    """The surfaces each path may wrap around: none, one of a kind, several."""
    kinds = {}
    for path in info["paths"]:
        surfaces = [surface["kind"] for surface in path["surfaces"]]
        kinds[path["name"]] = ("none" if not surfaces else
                               surfaces[0] if len(surfaces) == 1 else "several")
    return kinds


def compare_paths(ours, theirs, kinds, sums):
    """Adds the differences of the paths of one pose, by the surfaces they may wrap around."""
    by_name = {path["m"]: path for path in ours["paths"]}
    for path in theirs["paths"]:
        mine = by_name[path["m"]]
        entry = sums.setdefault(kinds[path["m"]], {"L": [], "tau": [], "arm": [], "other": []})
        same = ([p[3] for p in mine["points"] if len(p) > 3] ==
                [p[3] for p in path["points"] if len(p) > 3])
        if not same:
            entry["other"].append(mine["L"] - path["L"])
            continue
        entry["L"].append(mine["L"] - path["L"])
        entry["tau"].append(difference(mine["unit_tension_genforce"],
                                       path["unit_tension_genforce"]))
        entry["arm"].append(difference(mine["moment_arms"], path["moment_arms"]))


def print_paths(sums):
    """The table of paths."""
    print("\n| may wrap around | paths × poses | median abs ΔL [m] | largest abs ΔL | "
          "ours longer by at most | median Δ(−∂L/∂q) | largest | largest Δ moment arm | "
          "contact differs | ΔL there |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for kind in sorted(sums):
        entry = sums[kind]
        absolute = sorted(abs(x) for x in entry["L"]) or [0.0]
        tau = sorted(entry["tau"]) or [0.0]
        other = max((abs(x) for x in entry["other"]), default=0.0)
        print(f"| {kind} | {len(entry['L'])} | {absolute[len(absolute) // 2]:.1e} | "
              f"{absolute[-1]:.1e} | {max(entry['L'], default=0.0):.1e} | "
              f"{tau[len(tau) // 2]:.1e} | {tau[-1]:.1e} | {max(entry['arm'], default=0.0):.1e} | "
              f"{len(entry['other'])} | {other:.1e} |")


def compare_pose(ours, theirs, worst):
    """Adds the differences of one pose to the worst ones."""
    by_body = {t["body"]: t for t in ours["body_transforms"]}
    for t in theirs["body_transforms"]:
        for key in ("R", "p", "omega", "v"):
            worst[key] = max(worst.get(key, 0.0), difference(by_body[t["body"]][key], t[key]))
    for key in RELATIVE:
        worst[key] = max(worst.get(key, 0.0), relative(ours[key], theirs[key]))


def hill_scales(muscle):
    """The scales of the 19 numbers of a Hill muscle."""
    force, length = muscle["max_isometric_force"], muscle["optimal_fiber_length"]
    speed = muscle["max_contraction_velocity"] * length
    return ([1, length, 1, 1, length, 1, speed, 1, 1, 1, 1] + [force] * 5 +
            [force / length, force / muscle["tendon_slack_length"], force])


def compare_hill(ours, theirs, scales, entry):
    """Adds the differences of the Hill muscles of one pose, over their scales; stiffnesses over
    themselves if they are larger."""
    lengths = {path["m"]: path["L"] for path in ours["paths"]}
    same = {path["m"]: abs(path["L"] - lengths[path["m"]]) < 1e-12 for path in theirs["paths"]}
    for mine, their in zip(ours["hill"], theirs["hill"], strict=True):
        by_name = {muscle["m"]: muscle for muscle in mine["muscles"]}
        for muscle in their["muscles"]:
            if "error" in muscle or "error" in by_name[muscle["m"]]:
                entry["errors"].append("error" in muscle and "error" in by_name[muscle["m"]])
                continue
            worst = 0.0
            for k, (a, b) in enumerate(zip(by_name[muscle["m"]]["v"], muscle["v"], strict=True)):
                if a is None or b is None:
                    worst = max(worst, 0.0 if a == b else 1.0)
                    continue
                scale = scales[muscle["m"]][k]
                worst = max(worst, abs(a - b) / max(scale, abs(b) if k in (16, 17) else 0.0))
            entry["same" if same[muscle["m"]] else "other"].append(worst)


def print_hill(hill):
    """The table of Hill muscles."""
    print("\n| model | entries on the same path | largest difference | on other wrapped paths | "
          "median there | largest | errors, in both |")
    print("|---|---|---|---|---|---|---|")
    for model, entry in hill.items():
        other = sorted(entry["other"]) or [0.0]
        print(f"| {model} | {len(entry['same'])} | {max(entry['same'], default=0.0):.1e} | "
              f"{len(entry['other'])} | {other[len(other) // 2]:.1e} | {other[-1]:.1e} | "
              f"{len(entry['errors'])}, {sum(entry['errors'])} |")


def rounded(text):
    """OpenSim keeps six digits of places of joints and of moments of inertia when it converts a 3.x
    document: its answers are those of the rounded model."""
    places = r"<(location_in_parent|orientation_in_parent|location|orientation|inertia_..)>([^<]*)<"
    return re.sub(places, lambda m: f"<{m[1]}>" + " ".join(f"{float(x):.6g}" for x in m[2].split())
                  + "<", text)


def batteries(folder):
    """The pose batteries: files with a list of poses."""
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text())
        if isinstance(data, dict) and "poses" in data:
            yield path, data


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    default = Path(__file__).resolve().parents[1] / "../shared/reference"
    reference = Path(sys.argv[2] if len(sys.argv) > 2 else
                     os.environ.get("SINEW_REFERENCE_DIR", default)) / "opensim"
    if not reference.is_dir():
        raise SystemExit(f"no reference data in {reference}: set SINEW_REFERENCE_DIR")
    print("| model | poses | R | p [m] | ω, v | M | inverse dynamics | energies, centre of mass |")
    print("|---|---|---|---|---|---|---|---|")
    sums, hill = {}, {}
    for path, theirs in batteries(reference):
        with tempfile.TemporaryDirectory() as folder:
            text = (reference / "models" / theirs["file"]).read_text()
            model = Path(folder) / theirs["file"]
            model.write_text(rounded(text) if 'Version="30000"' in text else text)
            ours = ask(sys.argv[1], "evaluate", str(model), str(path))
            kinds = classes_of(ask(sys.argv[1], "info", str(model), "--json"))
        worst = {}
        scales = {muscle["name"]: hill_scales(muscle) for muscle in theirs["muscles"]}
        entry = {"same": [], "other": [], "errors": []}
        for a, b in zip(ours["poses"], theirs["poses"], strict=True):
            compare_pose(a, b, worst)
            compare_paths(a, b, kinds, sums)
            if scales:
                compare_hill(a, b, scales, entry)
        if scales:
            hill[path.stem] = entry
        dynamics = max(worst[key] for key in ("id_tau", "id_tau_udot0", "id_tau_gravity"))
        energies = max(worst[key] for key in ("kinetic_energy", "potential_energy_gravity", "com"))
        print(f"| {path.stem} | {len(theirs['poses'])} | {worst['R']:.1e} | {worst['p']:.1e} | "
              f"{max(worst['omega'], worst['v']):.1e} | {worst['M']:.1e} | {dynamics:.1e} | "
              f"{energies:.1e} |")
    print_paths(sums)
    print_hill(hill)


if __name__ == "__main__":
    main()
