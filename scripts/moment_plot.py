#!/usr/bin/env python3
"""Draws the results of `sinew compare-inertia --out`: one moment with all mass on the bones and with part of it in the
muscles, one panel for each result, with the largest and smallest value of each curve marked.

    scripts/moment_plot.py ankle_angle_r_moment out/ankle.svg out/demo/10kmh out/demo/19.1kmh \\
        --case "80 % in the muscles=muscles" --case "16 % in the muscles=muscles_0.205"

A case is a label and the ending of a column of moments.sto. Standard library only.
"""

import argparse
import pathlib

WIDTH, HEIGHT, MARGIN = 400, 300, 56  # px, per panel
INK, GRID = "#1b1f24", "#d0d4da"
BONES, MUSCLES = "#1d4ed8", ("#c2410c", "#15803d", "#7c3aed")
COLUMNS = 2


def read_sto(path):
    lines = path.read_text().splitlines()
    start = lines.index("endheader") + 1
    names = lines[start].split("\t")
    rows = [[float(x) for x in line.split("\t")] for line in lines[start + 1 :] if line]
    return names, rows


class Study:
    """One folder."""

    def __init__(self, folder, moment, endings):
        self.name = folder.name
        names, rows = read_sto(folder / "moments.sto")
        self.time = [row[0] for row in rows]
        self.curves = [[row[names.index(f"{moment}_{which}")] for row in rows] for which in endings]


def ticks(low, high):
    """Round numbers, four to eight, that cover the range."""
    step = 10.0 ** -3
    while (high - low) / step > 8:
        step *= 2.5 if f"{step:e}"[0] == "2" else 2
    first = int(low / step) - (low < 0)
    out = [k * step for k in range(first, int(high / step) + 2)]
    return [t for t in out if low - step < t < high + step]


def panel(study, left, top, low, high, end, unit):
    marks = ticks(low, high)
    low, high = min(marks[0], low), max(marks[-1], high)
    x = lambda t: left + MARGIN + t / end * (WIDTH - MARGIN - 14)
    y = lambda m: top + HEIGHT - MARGIN - (m - low) / (high - low) * (HEIGHT - 2 * MARGIN)
    out = []
    for m in marks:
        out.append(f'<line x1="{x(0):.1f}" x2="{x(end):.1f}" y1="{y(m):.1f}" y2="{y(m):.1f}" stroke="{INK if m == 0 else GRID}"/>')
        out.append(f'<text x="{x(0) - 8:.1f}" y="{y(m) + 4:.1f}" text-anchor="end">{m:g}</text>')
    for t in ticks(0, end):
        if t <= end:
            out.append(f'<text x="{x(t):.1f}" y="{y(low) + 20:.1f}" text-anchor="middle">{t:g}</text>')
    bones = study.curves[0]
    for curve, color in zip(study.curves, (BONES, *MUSCLES)):
        points = " ".join(f"{x(t):.2f},{y(m):.2f}" for t, m in zip(study.time, curve))
        out.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2" stroke-linejoin="round"/>')
        for peak in (max, min):
            k = curve.index(peak(curve))
            out.append(f'<circle cx="{x(study.time[k]):.1f}" cy="{y(curve[k]):.1f}" r="4" fill="{color}"/>')
    for j, (curve, color) in enumerate(zip(study.curves[1:], MUSCLES)):
        k = curve.index(min(curve))
        change = 100 * (min(curve) / min(bones) - 1)
        out.append(f'<text x="{x(study.time[k]) - 46:.1f}" y="{y(min(bones)) + 22 - 18 * j:.1f}" text-anchor="end" '
                   f'font-weight="600" fill="{color}">{change:+.{0 if abs(change) > 9.5 else 1}f} %</text>')
    out.append(f'<text x="{x(0):.1f}" y="{top + MARGIN - 14}" font-weight="600">{study.name}</text>')
    out.append(f'<text x="{x(end):.1f}" y="{y(low) + 38:.1f}" text-anchor="end">s</text>')
    out.append(f'<text x="{left + 14}" y="{top + MARGIN - 14}">{unit}</text>')
    return out


def draw(studies, labels, title, unit):
    values = [v for s in studies for curve in s.curves for v in curve]
    low, high, end = min(values + [0]), max(values + [0]), max(s.time[-1] for s in studies)
    columns = min(COLUMNS, len(studies))
    rows = -(-len(studies) // columns)
    width, height = columns * WIDTH + 20, rows * HEIGHT + 60
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="13" fill="{INK}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="20" y="30" font-size="16" font-weight="600">{title}</text>',
    ]
    at = 20
    for label, color in zip(["all mass on the bones", *labels], (BONES, *MUSCLES)):
        out.append(f'<text x="{at}" y="52" fill="{color}">{label}</text>')
        at += 30 + 7 * len(label)
    for k, study in enumerate(studies):
        out += panel(study, k % columns * WIDTH, 50 + k // columns * HEIGHT, low, high, end, unit)
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("moment", help="a column of moments.sto without _bones or _muscles")
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--case", action="append", metavar="LABEL=ENDING", help="a curve beside that of the bones")
    parser.add_argument("--title", help="title of the picture (default: the moment's name)")
    arguments = parser.parse_args()
    cases = [case.rsplit("=", 1) for case in arguments.case or ["part of it in the muscles=muscles"]]
    studies = [Study(folder, arguments.moment, ["bones"] + [ending for _, ending in cases]) for folder in arguments.folders]
    unit = "N" if arguments.moment.endswith("_force") else "N m"
    labels = [label for label, _ in cases]
    arguments.picture.write_text(draw(studies, labels, arguments.title or arguments.moment, unit))


if __name__ == "__main__":
    main()
