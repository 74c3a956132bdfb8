#!/usr/bin/env python3
"""Draws a run as one SVG: the bodies at evenly spaced times, and the energies over time.

    scripts/picture.py out/demo/run out/demo/picture.svg

Reads what `sinew simulate --out` leaves: bodies.sto, energy.sto and run.json. Standard library only.
"""

import json
import pathlib
import sys

FRAMES = 26
PANEL = 520  # px, side of the left picture
INK, GRID = "#1b1f24", "#d0d4da"


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
            f'<text x="{left + width - 4}" y="{top + 8 + 17 * k}" text-anchor="end" fill="{color}">{name}</text>'
        )
    return out


def main():
    if len(sys.argv) != 3 or not (pathlib.Path(sys.argv[1]) / "bodies.sto").exists():
        sys.exit("usage: scripts/picture.py RUN_DIR PICTURE.svg   (RUN_DIR as written by sinew simulate --out)")
    run = pathlib.Path(sys.argv[1])
    info = json.loads((run / "run.json").read_text())
    parents = info.get("parents", {})
    width = PANEL + 460
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {PANEL}" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="{INK}" role="img">',
        f"<title>{info['scene']}, {info['integrator']}, {info['steps']} steps</title>",
        f'<rect width="{width}" height="{PANEL}" fill="#fbfbfa"/>',
    ]
    parts += strobe(*read_sto(run / "bodies.sto"), parents)
    parts += energies(*read_sto(run / "energy.sto"), PANEL + 30, 400, PANEL)
    parts.append("</svg>")
    pathlib.Path(sys.argv[2]).write_text("\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
