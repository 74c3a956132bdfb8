#!/usr/bin/env python3
"""Measures whole runs of models: CPU seconds per simulated second, and the error made.

usage: scripts/bench_runs.py SINEW [--accuracy E ...] [--integrator NAME ...] [--repeat N] [--json FILE] [--svg FILE]

Each model of SINEW_REFERENCE_DIR/opensim/models in the list below runs from its default pose with excitations of 0.05. The
error is the largest of all coordinates at the end, against dopri5 with tolerances of 1e-11. CPU time is that of stepping and
audit: the time of the whole program less that of the same program without a step, fastest of N. Prints a table; --svg draws
error against cost.
"""

import argparse
import json
import math
import os
import resource
import subprocess
import sys
from pathlib import Path

MODELS = {"gait2392_thelen2003muscle": 1.0, "gait10dof18musc": 1.0, "arm26": 1.0, "Rajagopal2016": 0.4}
# CPU seconds per simulated second of OpenSim 4.5.2 at its default accuracy, measured on another machine.
OPENSIM = {"gait2392_thelen2003muscle": (2.3, 3.2), "gait10dof18musc": (0.14, 0.14), "arm26": (0.06, 0.56)}
COLORS = {"dopri5": "#3b7dd8", "sdirk2": "#d98c1f", "sdirk4": "#2e9e5b"}


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Bench:
    def __init__(self, program, models, repeat):
        self.program, self.models, self.repeat = program, models, repeat

    def run(self, model, until, options):
        before = cpu_seconds()
        done = subprocess.run([self.program, "simulate", str(self.models / f"{model}.osim"), "--until", str(until),
                               "--excitation", "all=0.05", "--output-interval", "0", "--json", *options],
                              capture_output=True, text=True, check=False)
        spent = cpu_seconds() - before
        if not done.stdout:
            sys.exit(f"{model}: {done.stderr.strip().splitlines()[-1] if done.stderr else 'no answer'}")
        return json.loads(done.stdout), spent

    def fastest(self, model, until, options):
        runs = [self.run(model, until, options) for _ in range(self.repeat)]
        return runs[0][0], min(spent for _, spent in runs)

    def rows(self, accuracies, integrators):
        for model, until in MODELS.items():
            exact, _ = self.run(model, until, ["--integrator", "dopri5", "--tolerance", "1e-11"])
            # A run of one tiny step: reading the model, and all that comes before and after stepping.
            _, idle = self.fastest(model, 1e-9, ["--integrator", "sdirk2", "--dt", "1e-9"])
            for integrator in integrators:
                for accuracy in accuracies:
                    options = ["--integrator", integrator, "--accuracy", str(accuracy)]
                    result, spent = self.fastest(model, until, options)
                    error = max(abs(result["final"][name] - value) for name, value in exact["final"].items())
                    yield {"model": model, "integrator": integrator, "accuracy": accuracy, "status": result["status"],
                           "steps": result["steps"], "rejected": result["rejected_steps"],
                           "linearizations": result["linearizations"], "error": error,
                           "cpu_per_second": max(spent - idle, 0) / until}


def table(rows):
    yield "| model | integrator | accuracy | steps | rejected | CPU s per simulated s | error [rad, m] |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        ended = "" if row["status"] == "finished" else f" ({row['status']})"
        yield (f"| {row['model']} | {row['integrator']} | {row['accuracy']:g} | {row['steps']}{ended} | {row['rejected']} | "
               f"{row['cpu_per_second']:.3g} | {row['error']:.1e} |")


def diagram(rows):
    """Error over cost, both logarithmic, one panel per model; OpenSim's cost as a band."""
    width, height, left, top = 380, 280, 56, 34
    panels = []
    for k, model in enumerate(MODELS):
        own = [row for row in rows if row["model"] == model and row["error"] > 0 and row["cpu_per_second"] > 0]
        costs = [row["cpu_per_second"] for row in own] + list(OPENSIM.get(model, ()))
        errors = [row["error"] for row in own] + [1e-3]
        x0, x1 = math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)))
        y0, y1 = math.floor(math.log10(min(errors))), math.ceil(math.log10(max(errors)))

        def x(cost):
            return left + (math.log10(cost) - x0) / max(1, x1 - x0) * (width - left - 14)

        def y(error):
            return height - 40 - (math.log10(error) - y0) / max(1, y1 - y0) * (height - 40 - top)

        parts = [f'<g transform="translate({k % 2 * width},{k // 2 * height})"><text x="{left}" y="20" class="t">{model}</text>']
        for p in range(x0, x1 + 1):
            parts.append(f'<line x1="{x(10.0**p):.1f}" x2="{x(10.0**p):.1f}" y1="{top}" y2="{height - 40}" class="g"/>'
                         f'<text x="{x(10.0**p):.1f}" y="{height - 26}" text-anchor="middle">{10.0**p:g}</text>')
        for p in range(y0, y1 + 1):
            parts.append(f'<line x1="{left}" x2="{width - 14}" y1="{y(10.0**p):.1f}" y2="{y(10.0**p):.1f}" class="g"/>'
                         f'<text x="{left - 6}" y="{y(10.0**p) + 4:.1f}" text-anchor="end">1e{p}</text>')
        if model in OPENSIM:
            a, b = OPENSIM[model]
            parts.append(f'<rect x="{x(a) - 2:.1f}" y="{top}" width="{x(b) - x(a) + 4:.1f}" height="{height - 40 - top}" class="o"/>'
                         f'<text x="{x(a) - 6:.1f}" y="{top + 12}" text-anchor="end">OpenSim</text>')
        for integrator, color in COLORS.items():
            line = sorted((row for row in own if row["integrator"] == integrator), key=lambda row: row["accuracy"])
            places = [(x(row["cpu_per_second"]), y(row["error"])) for row in line]
            parts.append(f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in places)}" stroke="{color}"/>')
            parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{color}"/>' for a, b in places]
        parts.append(f'<text x="{(left + width) / 2}" y="{height - 8}" text-anchor="middle">CPU s per simulated s</text></g>')
        panels.append("".join(parts))
    key = "".join(f'<g transform="translate({left + 90 * k},{2 * height + 16})"><circle r="4" cy="-4" fill="{color}"/>'
                  f'<text x="10">{name}</text></g>' for k, (name, color) in enumerate(COLORS.items()))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * width} {2 * height + 28}" font-family="sans-serif" '
            f'font-size="11"><style>.g{{stroke:#ddd}}.t{{font-size:13px;font-weight:600}}.o{{fill:#8882}}'
            f'polyline{{fill:none;stroke-width:1.6}}</style><rect width="100%" height="100%" fill="#fff"/>'
            f'{"".join(panels)}{key}</svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="SINEW")
    parser.add_argument("--accuracy", type=float, nargs="+", default=[1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
    parser.add_argument("--integrator", nargs="+", default=list(COLORS), choices=list(COLORS))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--svg", metavar="FILE")
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parents[1]
    models = Path(os.environ.get("SINEW_REFERENCE_DIR", root / "../shared/reference")) / "opensim/models"
    if not (models / "arm26.osim").exists():
        sys.exit(f"bench_runs: no models: set SINEW_REFERENCE_DIR ({models} has none)")
    rows = list(Bench(arguments.program, models, arguments.repeat).rows(arguments.accuracy, arguments.integrator))
    print("\n".join(table(rows)))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    if arguments.svg:
        Path(arguments.svg).write_text(diagram(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
