#!/usr/bin/env python3
"""Draws the results of `sinew compare-inertia --out`: one moment with all mass on the bones and with part of it in the
muscles, one panel for each result; and says in words where muscle mass matters.

    scripts/moment_plot.py ankle_angle_r_moment out/ankle.svg out/demo/10 out/demo/19.1

Reads moments.sto and run.json. Standard library only.
"""

import argparse
import json
import pathlib

WIDTH, HEIGHT, MARGIN = 400, 300, 56  # px, per panel
INK, GRID = "#1b1f24", "#d0d4da"
BONES, MUSCLES = "#1d4ed8", "#c2410c"
MATTERS = 0.1  # share of a peak above which a difference is worth mentioning
COLUMNS = 2


def read_sto(path):
    lines = path.read_text().splitlines()
    start = lines.index("endheader") + 1
    names = lines[start].split("\t")
    rows = [[float(x) for x in line.split("\t")] for line in lines[start + 1 :] if line]
    return names, rows


class Study:
    """One folder."""

    def __init__(self, folder, moment):
        self.name = folder.name
        self.moments = json.loads((folder / "run.json").read_text())["moments"]
        names, rows = read_sto(folder / "moments.sto")
        self.time = [row[0] for row in rows]
        self.curves = {
            which: [row[names.index(f"{moment}_{which}")] for row in rows] for which in ("bones", "muscles")
        }


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
    for which, color in (("bones", BONES), ("muscles", MUSCLES)):
        points = " ".join(f"{x(t):.2f},{y(m):.2f}" for t, m in zip(study.time, study.curves[which]))
        out.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2" stroke-linejoin="round"/>')
    out.append(f'<text x="{x(0):.1f}" y="{top + MARGIN - 14}" font-weight="600">{study.name}</text>')
    out.append(f'<text x="{x(end):.1f}" y="{y(low) + 38:.1f}" text-anchor="end">s</text>')
    out.append(f'<text x="{left + 14}" y="{top + MARGIN - 14}">{unit}</text>')
    return out


def draw(studies, title, unit):
    values = [v for s in studies for curve in s.curves.values() for v in curve]
    low, high, end = min(values + [0]), max(values + [0]), max(s.time[-1] for s in studies)
    columns = min(COLUMNS, len(studies))
    rows = -(-len(studies) // columns)
    width, height = columns * WIDTH + 20, rows * HEIGHT + 60
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="13" fill="{INK}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="20" y="30" font-size="16" font-weight="600">{title}</text>',
        f'<text x="20" y="52" fill="{BONES}">all mass on the bones</text>',
        f'<text x="190" y="52" fill="{MUSCLES}">part of it in the muscles</text>',
    ]
    for k, study in enumerate(studies):
        out += panel(study, k % columns * WIDTH, 50 + k // columns * HEIGHT, low, high, end, unit)
    return "\n".join(out + ["</svg>", ""])


def peaks(moment):
    """The larger change of its two peaks, where that peak is at least a tenth of the larger one."""
    largest = max(abs(moment["highest"]), abs(moment["lowest"]))
    return max(
        (abs(moment[f"{side}_change"]) for side in ("highest", "lowest") if abs(moment[side]) > 0.1 * largest),
        default=0,
    )


def conclude(studies):
    """The joints for which it matters, in words."""
    names = [m["name"] for m in studies[0].moments if m["name"].endswith("_moment")]
    largest = {}
    for name in names:
        changes = [peaks(m) for s in studies for m in s.moments if m["name"] == name]
        largest[name] = max(changes)
    matters = sorted((n for n in names if largest[n] >= MATTERS), key=lambda n: -largest[n])
    label = lambda n: n.removesuffix("_moment")
    if not matters:
        worst = max(names, key=lambda n: largest[n])
        return (f"Muscle mass does not matter much here: no peak of a moment changes by {100 * MATTERS:.0f} % or more. "
                f"The most affected is {label(worst)}, by {100 * largest[worst]:.0f} %.")
    said = ", ".join(f"{label(n)} (a peak changes by up to {100 * largest[n]:.0f} %)" for n in matters)
    rest = [n for n in names if n not in matters and largest[n] > 0]
    text = f"Muscle mass matters for {said}."
    if rest:
        worst = max(rest, key=lambda n: largest[n])
        text += f" For the others it does not: the most affected of them is {label(worst)}, by {100 * largest[worst]:.0f} %."
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("moment", help="a column of moments.sto without _bones or _muscles")
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--title", help="title of the picture (default: the moment's name)")
    arguments = parser.parse_args()
    studies = [Study(folder, arguments.moment) for folder in arguments.folders]
    unit = "N" if arguments.moment.endswith("_force") else "N m"
    arguments.picture.write_text(draw(studies, arguments.title or arguments.moment, unit))
    print(conclude(studies))


if __name__ == "__main__":
    main()
