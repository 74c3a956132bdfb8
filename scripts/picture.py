#!/usr/bin/env python3
"""Draws a run as one SVG: the bodies at evenly spaced times, and the energies over time; or, with a second run of
the same scene, the coordinates of both over each other in place of the bodies.

    scripts/picture.py out/run out/picture.svg
    scripts/picture.py out/moving out/picture.svg --beside out/lumped

Reads the results of `sinew simulate --out`: states.sto, bodies.sto, energy.sto and run.json. Standard library only.
"""

import argparse
import json
import math
import pathlib

FRAMES = 26
PANEL = 520  # px, side of the left picture
INK, GRID = "#1b1f24", "#d0d4da"
FIRST, SECOND = "#c2410c", "#64748b"
MOST_CURVES = 4  # coordinates that fit into the left picture


def read_sto(path):
    lines = path.read_text().splitlines()
    start = lines.index("endheader") + 1
    names = lines[start].split("\t")
    rows = [[float(x) for x in line.split("\t")] for line in lines[start + 1 :] if line]
    return names, rows


def polyline(points, color, width, opacity=1.0):
    path = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
    return (
        f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}" '
        f'stroke-opacity="{opacity:.3f}" stroke-linejoin="round" stroke-linecap="round"/>'
    )


def strobe(names, rows, parents):
    """Chains of bodies at FRAMES times, seen along the axis they move least in."""
    bodies = [n[:-2] for n in names if n.endswith("_X")]
    column = {n: i for i, n in enumerate(names)}
    last = len(rows) - 1
    frames = [rows[round(k * last / (FRAMES - 1))] for k in range(FRAMES)]
    place = lambda row, b: tuple(row[column[f"{b}_{axis}"]] for axis in "XYZ")
    spread = [
        max(place(r, b)[a] for r in frames for b in bodies)
        - min(place(r, b)[a] for r in frames for b in bodies)
        for a in range(3)
    ]
    hidden = spread.index(min(spread))
    across, up = [a for a in range(3) if a != hidden]
    xs = [place(r, b)[across] for r in frames for b in bodies] + [0.0]
    ys = [place(r, b)[up] for r in frames for b in bodies] + [0.0]
    scale = (PANEL - 60) / max(max(xs) - min(xs), max(ys) - min(ys), 1e-9)
    to_page = lambda p: (
        PANEL / 2 + (p[across] - (max(xs) + min(xs)) / 2) * scale,
        PANEL / 2 - (p[up] - (max(ys) + min(ys)) / 2) * scale,
    )
    out = []
    for k, row in enumerate(frames):
        late = k / (FRAMES - 1)
        color = f"hsl({215 - 190 * late:.0f},75%,{62 - 22 * late:.0f}%)"
        for b in bodies:
            start = parents.get(b, "world")
            tail = place(row, start) if start in bodies else None
            if tail:
                out.append(polyline([to_page(tail), to_page(place(row, b))], color, 1.8, 0.35 + 0.65 * late))
            else:
                x, y = to_page(place(row, b))
                out.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="2.2" fill="{color}"/>')
    return out


def coordinates(runs):
    """The coordinates (angles) of two runs over time, one plot for each coordinate."""
    tables = [read_sto(run / "states.sto") for run in runs]
    names = list(json.loads((runs[0] / "run.json").read_text())["final"])[:MOST_CURVES]
    height = (PANEL - 60) / len(names)
    out = []
    for k, (run, color) in enumerate(zip(runs, (FIRST, SECOND))):
        out.append(f'<text x="{40 + 130 * k}" y="26" fill="{color}">{run.name}</text>')
    out.append(f'<text x="{PANEL - 20}" y="26" text-anchor="end">{tables[0][1][-1][0]:.3g} s</text>')
    for k, name in enumerate(names):
        top, bottom = 40 + k * height + 12, 40 + (k + 1) * height - 12
        curves = [[math.degrees(row[t_names.index(name)]) for row in rows] for t_names, rows in tables]
        low, high = min(map(min, curves)), max(map(max, curves))
        y = lambda v: bottom - (v - low) / ((high - low) or 1) * (bottom - top)
        out.append(f'<line x1="40" x2="{PANEL - 20}" y1="{y(0):.1f}" y2="{y(0):.1f}" stroke="{GRID}"/>')
        for (_, rows), values, color in reversed(list(zip(tables, curves, (FIRST, SECOND)))):
            end = rows[-1][0] or 1
            step = max(1, len(rows) // 800)
            points = [(40 + row[0] / end * (PANEL - 60), y(v)) for row, v in zip(rows, values)]
            out.append(polyline(points[::step], color, 1.6))
        out.append(f'<text x="40" y="{bottom + 10:.1f}">{name}: {low:.0f}° … {high:.0f}°</text>')
    return out


def energies(names, rows, left, width, height):
    curves = {"kinetic": "#c2410c", "potential": "#1d4ed8", "total": INK}
    column = {n: i for i, n in enumerate(names)}
    t = [r[0] for r in rows]
    potential = [r[column["gravity"]] + r[column["elastic"]] for r in rows]
    values = {
        "kinetic": [r[column["kinetic"]] for r in rows],
        "potential": [p - potential[0] for p in potential],
    }
    values["total"] = [a + b for a, b in zip(values["kinetic"], values["potential"])]
    low = min(min(v) for v in values.values())
    high = max(max(v) for v in values.values())
    top, bottom = 40, height - 40
    y = lambda e: bottom - (e - low) / ((high - low) or 1) * (bottom - top)
    x = lambda time: left + (time - t[0]) / ((t[-1] - t[0]) or 1) * width
    out = [
        f'<line x1="{left}" x2="{left + width}" y1="{y(0):.1f}" y2="{y(0):.1f}" stroke="{GRID}"/>',
        f'<text x="{left}" y="{top - 14}">energy since the start: {low:.3g} … {high:.3g} J</text>',
        f'<text x="{left + width}" y="{bottom + 24}" text-anchor="end">{t[-1]:.3g} s</text>',
        f'<text x="{left}" y="{bottom + 24}">0</text>',
    ]
    step = max(1, len(t) // 800)
    for k, (name, color) in enumerate(curves.items()):
        points = [(x(t[i]), y(values[name][i])) for i in range(0, len(t), step)]
        out.append(polyline(points, color, 1.6))
        out.append(
            f'<text x="{left + 100 + 90 * k}" y="{bottom + 24}" fill="{color}">{name}</text>'
        )
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=pathlib.Path, help="folder as written by sinew simulate --out")
    parser.add_argument("picture", type=pathlib.Path, help="SVG to write")
    parser.add_argument("--beside", type=pathlib.Path, help="a second run of the same scene")
    options = parser.parse_args()
    for run in filter(None, (options.run, options.beside)):
        if not (run / "run.json").exists():
            parser.error(f"{run} has no run.json: give a folder written by sinew simulate --out")
    info = json.loads((options.run / "run.json").read_text())
    width = PANEL + 460
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {PANEL}" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="{INK}" role="img">',
        f"<title>{info['scene']}, {info['integrator']}, {info['steps']} steps</title>",
        f'<rect width="{width}" height="{PANEL}" fill="#fbfbfa"/>',
    ]
    if options.beside:
        parts += coordinates([options.run, options.beside])
    else:
        parts += strobe(*read_sto(options.run / "bodies.sto"), info.get("parents", {}))
    parts += energies(*read_sto(options.run / "energy.sto"), PANEL + 30, 400, PANEL)
    parts.append("</svg>")
    options.picture.write_text("\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
