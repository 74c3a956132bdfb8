#!/usr/bin/env python3
"""Writes scenes/soft-finger.json and the surface of its flesh, scenes/meshes/soft-finger.obj.

Three phalanges of 45, 26 and 20 mm in flesh of 9 mm radius. The knuckle is driven; the other joints have springs. The finger
bends until its pad is pressed on a table.
"""

import json
import math
from pathlib import Path

SCENES = Path(__file__).resolve().parents[2] / "scenes"

LENGTHS = [0.045, 0.026, 0.020]  # [m]
RADIUS = 0.009  # of the flesh
START, END = 0.004, 0.097  # of the flesh, along the finger
HEIGHT = 0.045  # of the knuckle above the table
AROUND, ALONG, CAP = 28, 34, 8  # of the surface


def profile():
    """(x, radius) from one end to the other: a cylinder with round ends, without the two poles."""
    out = []
    for k in range(1, CAP + 1):
        a = 0.5 * math.pi * k / CAP
        out.append((START + RADIUS * (1 - math.cos(a)), RADIUS * math.sin(a)))
    for k in range(1, ALONG):
        out.append((START + RADIUS + k / ALONG * (END - START - 2 * RADIUS), RADIUS))
    for k in range(CAP, 0, -1):
        a = 0.5 * math.pi * k / CAP
        out.append((END - RADIUS * (1 - math.cos(a)), RADIUS * math.sin(a)))
    return out


def write_surface():
    rings = profile()
    vertices = [(START, 0, 0)]
    for x, r in rings:
        vertices += [(x, r * math.cos(2 * math.pi * i / AROUND), r * math.sin(2 * math.pi * i / AROUND))
                     for i in range(AROUND)]
    vertices.append((END, 0, 0))
    last = len(vertices) - 1

    def at(ring, i):
        return 1 + ring * AROUND + i % AROUND

    triangles = []
    for i in range(AROUND):
        triangles.append((0, at(0, i + 1), at(0, i)))
        triangles.append((last, at(len(rings) - 1, i), at(len(rings) - 1, i + 1)))
        for ring in range(len(rings) - 1):
            a, b, c, d = at(ring, i), at(ring, i + 1), at(ring + 1, i), at(ring + 1, i + 1)
            triangles += [(a, b, d), (a, d, c)]
    lines = ["# Written by models/soft-finger/make_soft_finger.py"]
    lines += ["v %.6f %.6f %.6f" % v for v in vertices]
    lines += ["f %d %d %d" % (a + 1, b + 1, c + 1) for a, b, c in triangles]
    (SCENES / "meshes" / "soft-finger.obj").write_text("\n".join(lines) + "\n")


def scene():
    bodies, attach = [], []
    names = ["proximal", "middle", "distal"]
    joints = ["mcp", "pip", "dip"]
    for k, length in enumerate(LENGTHS):
        joint = {"name": joints[k] + "_joint", "type": "revolute", "axis": [0, 0, -1], "coordinates": [joints[k]],
                 "placement": [0, HEIGHT, 0] if k == 0 else [LENGTHS[k - 1], 0, 0]}
        if k > 0:
            joint |= {"stiffness": 0.05, "damping": 0.0005, "rest": 0.35}
        bodies.append({"name": names[k], "parent": "world" if k == 0 else names[k - 1], "joint": joint,
                       "shapes": [{"type": "capsule", "radius": 0.003, "height": length, "density": 1900,
                                   "placement": {"position": [length / 2, 0, 0],
                                                 "rotation": {"axis": [0, 1, 0], "angle": math.pi / 2}}}]})
        attach.append({"body": names[k], "to": [round(0.9 * length, 6), 0, 0], "radius": 0.0046})
    return {
        "sinew_scene": 1,
        "title": "Soft finger",
        "description": "A finger of three bones in soft flesh bends until its pad is pressed on a table. The knuckle is driven, the other two joints "
                       "have springs; flesh and bones are coupled both ways and implicitly.",
        "bodies": bodies,
        "soft_bodies": [{
            "type": "solid", "name": "flesh", "surface": "meshes/soft-finger.obj", "lattice": [0.0062, 0.0062, 0.0062],
            "placement": [0, HEIGHT, 0],
            "material": {"model": "neo-hookean", "young": 4e4, "poisson": 0.42, "density": 1000, "viscosity": 20},
            "attach": attach,
            "ground": [{"by": "surface", "stiffness": 60, "onset": 0.0005, "friction": 0.6, "creep_velocity": 0.002}]}],
        "constraints": [{"type": "prescribed-coordinate", "name": "knuckle", "coordinate": "mcp",
                         "function": {"type": "logistic", "amplitude": 0.55, "rate": 8, "center": 0.8}}],
        "simulation": {"integrator": "bdf1", "dt": 0.005, "until": 2, "newton_tolerance": 1e-9,
                       "output_interval": 0.02},
    }


def main():
    write_surface()
    (SCENES / "soft-finger.json").write_text(json.dumps(scene(), indent=1) + "\n")


if __name__ == "__main__":
    main()
