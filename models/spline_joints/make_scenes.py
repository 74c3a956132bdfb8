#!/usr/bin/env python3
"""Writes the scenes flower-beads, coastline, letters, letters-sliding and scapula: poses along an outline, or on a surface,
are written to a table, `sinew fit-joint` makes a spline joint of them, and the scene gets its control frames or grids.
README.md says where the numbers come from. Standard library only; the same bytes every time.

    python3 models/spline_joints/make_scenes.py build/release/bin/sinew
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCENES = ROOT / "scenes"

LEE = "of Lee, Terzopoulos: Spline Joints for Multibody Dynamics. ACM Transactions on Graphics 27 (3), 2008."


# Vectors are tuples of three numbers, rotations three columns.
def add(a, b, scale=1.0):
    return tuple(x + scale * y for x, y in zip(a, b))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    return tuple(x / math.sqrt(dot(a, a)) for x in a)


# Joints from poses, by sinew fit-joint.


def fitted(program, poses, coordinates, *words):
    """The keys "joint" and "placement" of the joint that comes closest to the poses, each a position and the columns of
    a rotation. `coordinates` has a list of values for each column of the table that they are known in."""
    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder) / "poses.csv", Path(folder) / "joint.json"
        labels = [*coordinates, "tx", "ty", "tz", *(f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))]
        lines = [",".join(labels)]
        for k, (position, columns) in enumerate(poses):
            rows = [columns[j][i] for i in range(3) for j in range(3)]
            known = [values[k] for values in coordinates.values()]
            lines.append(",".join(f"{v:.12g}" for v in (*known, *position, *rows)))
        table.write_text("\n".join(lines) + "\n")
        subprocess.run([program, "fit-joint", str(table), *words, "--out", str(out)], check=True, stdout=subprocess.DEVNULL)
        return json.loads(out.read_text())


def curve(program, poses, frames, length, coordinates=None, period=None):
    """Control frames of a loop, as rotation matrices. Its q counts frames."""
    known = ["--period", str(period)] if period else []
    joint = fitted(program, poses, coordinates or {}, "--type", "curve", "--closed", "--frames", str(frames),
                   "--length", str(length), *known)["joint"]  # fmt: skip
    return joint["frames"]


def rounded(value, digits=6):
    if isinstance(value, dict):
        return {k: rounded(v, digits) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(v, digits) for v in value]
    return round(value, digits) + 0.0 if isinstance(value, float) else value


def matrix(frame):
    return frame["rotation"] if "rotation" in frame else [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def planar(frame, turn=0.0):
    """A frame in the plane z = 0, further turned about z."""
    R = matrix(frame)
    return {"position": [*frame["position"][:2], 0],
            "rotation": {"axis": [0, 0, 1], "angle": (math.atan2(R[1][0], R[0][0]) + turn) % (2 * math.pi)}}


def on_globe(frame):
    """A frame by rotations about y, x and z, shorter than its matrix."""
    R = matrix(frame)
    angles = [math.atan2(R[0][2], R[2][2]), math.asin(-R[1][2]), math.atan2(R[1][0], R[1][1])]
    return {"position": frame["position"], "rotation": {"euler": "yxz", "angles": angles}}


# Closed outlines: lists of points, evenly spaced.


def resampled(points, count):
    """As many points on the closed polygon, equally far apart along it."""
    ends = points[1:] + points[:1]
    lengths = [math.dist(a, b) for a, b in zip(points, ends)]
    step = sum(lengths) / count
    out, walked, k = [], 0.0, 0
    for i in range(count):
        while walked + lengths[k] < i * step:
            walked += lengths[k]
            k += 1
        out.append(add(points[k], add(ends[k], points[k], -1), (i * step - walked) / lengths[k]))
    return out


def length_of(points):
    return sum(math.dist(a, b) for a, b in zip(points, points[1:] + points[:1]))


def rounded_off(points, width):
    """Evenly spaced points, each replaced by the mean of those around it, of normal weights; `width` is their standard
    deviation along the outline [m]."""
    step = length_of(points) / len(points)
    reach = math.ceil(4 * width / step)
    weights = [math.exp(-0.5 * (i * step / width) ** 2) for i in range(-reach, reach + 1)]
    total = sum(weights)
    out = []
    for k in range(len(points)):
        mean = (0.0, 0.0, 0.0)
        for i, w in enumerate(weights):
            mean = add(mean, points[(k + i - reach) % len(points)], w / total)
        out.append(mean)
    return out


def tangents(points):
    return [unit(add(points[(k + 1) % len(points)], points[k - 1], -1)) for k in range(len(points))]


# The flower.

FLOWER_FRAMES, FLOWER_POSES = 80, 400


def flower_poses():
    """x along r = 1 + 0.3 cos 5t [m], z normal to its plane."""
    out = []
    for k in range(FLOWER_POSES):
        t = 2 * math.pi * k / FLOWER_POSES
        r, slope = 1 + 0.3 * math.cos(5 * t), -1.5 * math.sin(5 * t)
        x = unit((slope * math.cos(t) - r * math.sin(t), slope * math.sin(t) + r * math.cos(t), 0))
        out.append(((r * math.cos(t), r * math.sin(t), 0), (x, cross((0, 0, 1), x), (0, 0, 1))))
    return out


def flower_beads(program):
    q = [FLOWER_FRAMES * k / FLOWER_POSES for k in range(FLOWER_POSES)]
    frames = curve(program, flower_poses(), FLOWER_FRAMES, 0.05, {"q": q}, FLOWER_FRAMES)

    def bead(letter, q0):
        return {"name": f"bead_{letter}", "parent": "wire",
                "joint": {"name": letter, "type": "spline-curve", "frames": "flower", "closed": True, "q0": q0},
                "shapes": [{"type": "sphere", "radius": 0.05, "density": 2000}]}

    return {
        "sinew_scene": 1,
        "title": "Beads on a flower-shaped wire",
        "description": (
            "Three beads slide along a closed spline curve, r = (1 + 0.3 cos 5t) m, on a wire frame that spins about"
            " its axis and leans by 3 degrees. The 80 control frames were fitted to 400 poses of the formula (sinew "
            "fit-joint): within 0.5 mm and 1.1 degrees. q counts frames. Steps of 50 ms."),
        "citation": "After figure 5(a) " + LEE,
        "curves": [{"name": "flower", "frames": [planar(f) for f in frames]}],
        "bodies": [
            {"name": "wire", "parent": "world",
             "joint": {"name": "spin", "type": "revolute", "axis": [0, 0, 1], "qdot0": 0.3,
                       "placement": {"rotation": {"axis": [1, 0, 0], "angle": -1.5184}}},
             "inertia": {"mass": 5, "moments": [2.5, 2.5, 5]}},
            bead("a", 5), bead("b", 29), bead("c", 57),
        ],
        "simulation": {"integrator": "sdirk2", "dt": 0.05, "until": 20},
    }  # fmt: skip


# The coasts.

GLOBE, ABOVE = 0.3, 0.01  # radius of the globe, height of the curves over it [m]
COAST_ROUNDING, COAST_SPACING, COAST_LENGTH = 0.012, 0.008, 0.02  # [m]
# Longitude and latitude [degrees], clockwise. Coarse, and drawn for this scene.
COASTS = {
    "africa": [
        (-6, 35.8), (3, 36.8), (10.5, 37), (11, 34), (18, 30.8), (20.5, 32.5), (25, 31.7), (30, 31.2), (32.5, 30),
        (34, 27), (35.5, 24), (37.3, 19.5), (39.7, 15.3), (43, 11.8), (47, 11.5), (50, 12), (51, 10.5), (48.5, 5.5), (45.5, 2),
        (39.8, -4), (39.4, -7), (40.6, -12), (40.3, -15.5), (35, -20), (35.4, -23.5), (32.8, -26), (31, -30),
        (28, -33), (25.6, -34), (20, -34.8), (18.3, -34), (16.5, -28.7), (14.4, -23), (12, -17), (13.5, -12.4),
        (13.2, -8.8), (12, -6), (9, -1), (9.7, 3.8), (6, 4.3), (3.5, 6.4), (0, 5.6), (-4, 5), (-7.7, 4.4),
        (-10.8, 6.3), (-13.2, 8.5), (-16, 11.8), (-17.3, 14.7), (-16.3, 18), (-17, 21), (-14.5, 26), (-9.8, 30.4),
        (-7.6, 33.6),
    ],
    "south-america": [
        (-75.5, 10.4), (-71.7, 12.2), (-67, 10.6), (-62, 10.5), (-58, 6.8), (-52.3, 5), (-50, 0.8), (-44.2, -2.5),
        (-38.5, -3.7), (-35.2, -5.8), (-35.2, -9), (-38.5, -13), (-39.2, -18), (-42, -22.5), (-46.3, -24),
        (-48.5, -27.6), (-52, -32), (-55, -34.8), (-57.5, -37), (-62, -39.5), (-65, -42.5), (-67, -46), (-68, -51),
        (-65.5, -54), (-68, -55.8), (-72, -54), (-75, -50), (-75.5, -46), (-74, -42), (-73.4, -37), (-71.6, -33), (-70.4, -23.6),
        (-70.5, -18.5), (-76.2, -13.8), (-79.5, -7.5), (-81, -4.6), (-80.5, -1), (-79.5, 1), (-77.4, 3.8), (-77.5, 7.5),
    ],
    "australia": [
        (141.8, -10.7), (143.6, -10.9), (144.5, -14), (145.8, -17), (146.8, -19.3), (149.2, -21), (150.8, -23.4), (153.2, -25.5),
        (153.5, -28.7), (151.8, -33), (150, -37.2), (146.4, -38.8), (141.5, -38.4), (139.6, -36.5), (138, -35),
        (135.5, -34.5), (133.6, -32.4), (131, -31.5), (128.9, -31.8), (124, -33), (120, -34), (117.5, -35),
        (115.3, -34.2), (115.7, -31.5), (114.3, -28), (113.5, -25), (114.2, -22), (118, -20.4), (122, -18),
        (123.2, -16.3), (126, -14.2), (129, -14.8), (131, -12.4), (133, -11.7), (135.8, -11.9), (136.7, -12.8), (135.8, -15),
        (138.8, -17), (140.3, -16.5), (140.8, -14), (140.6, -11.5),
    ],
}  # fmt: skip


def coast_poses(outline):
    """z normal to the globe, x along the coast."""
    def lifted(p):
        return tuple((GLOBE + ABOVE) * x for x in unit(p))

    corners = []
    for longitude, latitude in outline:
        a, b = math.radians(longitude), math.radians(latitude)
        corners.append((math.cos(b) * math.sin(a), math.sin(b), math.cos(b) * math.cos(a)))
    points = [lifted(p) for p in resampled([lifted(p) for p in corners], 1000)]
    points = [lifted(p) for p in rounded_off(points, COAST_ROUNDING)]
    points = [lifted(p) for p in resampled(points, 5 * round(length_of(points) / COAST_SPACING))]
    out = []
    for p, along in zip(points, tangents(points)):
        z = unit(p)
        x = unit(add(along, z, -dot(along, z)))
        out.append((p, (x, cross(z, x), z)))
    return out


def coastline(program):
    curves, bodies = [], [
        {"name": "globe", "parent": "world", "joint": {"name": "spin", "type": "spherical"},
         "shapes": [{"type": "sphere", "radius": GLOBE, "density": 3}]},
    ]  # fmt: skip
    for k, (name, outline) in enumerate(COASTS.items()):
        poses = coast_poses(outline)
        frames = curve(program, poses, len(poses) // 5, COAST_LENGTH)
        curves.append({"name": name, "frames": [on_globe(f) for f in frames]})
        bodies.append({
            "name": f"aircraft_{k + 1}", "parent": "globe",
            "joint": {"name": "abc"[k], "type": "spline-curve", "frames": name, "closed": True, "knots": "natural",
                      "characteristic_length": COAST_LENGTH, "q0": 0, "qdot0": 0.1},
            "shapes": [{"type": "capsule", "radius": 0.004, "height": 0.04, "density": 3000,
                        "placement": {"rotation": {"axis": [0, 1, 0], "angle": 1.5708}}},
                       {"type": "cuboid", "sides": [0.01, 0.045, 0.002], "density": 3000}]})  # fmt: skip
    return {
        "sinew_scene": 1,
        "title": "Aircraft along three coasts",
        "description": (
            "Three toy aircraft slide along the coasts of Africa, South America and Australia on a freely turning "
            "globe of 0.3 m radius in free fall: what the one wins in spin the others lose. The outlines are coarse,"
            " and rounded. The control frames, fitted to poses along them (sinew fit-joint), have their z axis "
            "normal to the globe and their x axis along the coast. Steps of 5 ms."),
        "citation": "After figure 5(b) " + LEE,
        "gravity": [0, 0, 0],
        "curves": curves,
        "bodies": bodies,
        "simulation": {"integrator": "variational", "dt": 0.005, "until": 20},
    }


# The letters.

STROKE, WIRE = 0.02, 0.004  # half the width of a stroke, distance of the outline from it [m]
NOTCH = 0.012  # least radius of the outline where it is concave [m]
LETTER_ROUNDING, LETTER_SPACING, LETTER_LENGTH = 0.004, 0.009, 0.02  # [m]
CELL = 0.002  # of the grid on which outlines are found [m]


def arc(x, y, radius, start, end):
    """A part of a stroke: an arc about (x, y), angles in degrees."""
    def points(step):
        parts = math.ceil(abs(end - start) / step)
        angles = [math.radians(start + (end - start) * k / parts) for k in range(parts + 1)]
        return [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]

    return points


# Strokes: points [m] and arcs in order.
LETTERS = {
    "S": [[arc(0, 0.05, 0.05, 40, 270), arc(0, -0.05, 0.05, 90, -140)]],
    "I": [[(0, 0.1), (0, -0.1)]],
    "G": [[arc(0, 0.035, 0.065, 45, 180), arc(0, -0.035, 0.065, 180, 360), (0.065, -0.02), (0.03, -0.02)]],
    "R": [[(-0.045, -0.1), (-0.045, 0.1), arc(0.015, 0.05, 0.05, 90, -90), (-0.045, 0)], [(0.025, 0), (0.065, -0.1)]],
    "A": [[(-0.07, -0.1), (0, 0.1), (0.07, -0.1)], [(-0.047, -0.035), (0.047, -0.035)]],
    "P": [[(-0.03, -0.1), (-0.03, 0.1), arc(0.02, 0.05, 0.05, 90, -90), (-0.03, 0)]],
    "H": [[(-0.06, 0.08), (-0.06, -0.08)], [(-0.06, 0), (0.06, 0)], [(0.06, 0.08), (0.06, -0.08)]],
}  # fmt: skip


def segments(letter, step):
    """Of a letter's strokes, arcs in parts of so many degrees."""
    out = []
    for stroke in LETTERS[letter]:
        points = []
        for part in stroke:
            points += part(step) if callable(part) else [part]
        out += [(a, b) for a, b in zip(points, points[1:]) if math.dist(a, b) > 1e-9]
    return out


def contour(value, level):
    """The longest closed line, clockwise, on which a function of two coordinates, about the origin, has this value:
    marching squares."""
    n = round(0.2 / CELL)
    grid = [[value(i * CELL, j * CELL) - level for j in range(-n, n + 1)] for i in range(-n, n + 1)]

    def crossing(i, j, ii, jj):
        """On an edge of the grid, named by its ends."""
        a, b = grid[i][j], grid[ii][jj]
        t = a / (a - b)
        return ((i - n + t * (ii - i)) * CELL, (j - n + t * (jj - j)) * CELL, 0.0)

    following = {}  # from the edge that a line enters a cell by to the one that it leaves it by
    for i in range(2 * n):
        for j in range(2 * n):
            ring = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            inside = [grid[a][b] < 0 for a, b in ring]
            enter = [k for k in range(4) if not inside[k] and inside[(k + 1) % 4]]
            leave = [k for k in range(4) if inside[k] and not inside[(k + 1) % 4]]
            for k in enter:
                # With the inside to the right: the next edge backwards round the cell.
                to = min(leave, key=lambda m: (m - k) % 4)
                following[frozenset((ring[k], ring[(k + 1) % 4]))] = frozenset((ring[to], ring[(to + 1) % 4]))
    longest = []
    while following:
        first = min(following, key=sorted)
        edge, loop = first, []
        while edge in following:
            loop.append(crossing(*sorted(edge)[0], *sorted(edge)[1]))
            edge = following.pop(edge)
        longest = max(longest, loop, key=len)
    area = sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(longest, longest[1:] + longest[:1]))
    return longest if area < 0 else longest[::-1]


def outline(letter):
    """Around a letter, clockwise. At first NOTCH too far out; moved back by that, every notch has that radius."""
    parts = segments(letter, 6)

    def distance(x, y):
        least = math.inf
        for (ax, ay), (bx, by) in parts:
            dx, dy, px, py = bx - ax, by - ay, x - ax, y - ay
            t = min(max((dx * px + dy * py) / (dx * dx + dy * dy), 0), 1)
            least = min(least, (px - t * dx) ** 2 + (py - t * dy) ** 2)
        return math.sqrt(least)

    far = contour(distance, STROKE + WIRE + NOTCH)
    far = resampled(far, round(length_of(far) / (0.5 * CELL)))
    out = []
    angles = [math.atan2(b[1] - a[1], b[0] - a[0]) for a, b in zip(far, far[1:] + far[:1])]
    for k, p in enumerate(far):
        turn = math.remainder(angles[k] - angles[k - 1], 2 * math.pi)
        # Clockwise, the letter is to the right; a notch turns left, and a point moves back in a fan.
        parts_of_turn = max(1, math.ceil(turn / math.radians(3)))
        for i in range(parts_of_turn):
            a = angles[k - 1] + turn * (i + 0.5) / parts_of_turn - 0.5 * math.pi
            out.append((p[0] + NOTCH * math.cos(a), p[1] + NOTCH * math.sin(a), 0.0))
    points = rounded_off(resampled(out, 1000), LETTER_ROUNDING)
    return resampled(points, 5 * round(length_of(points) / LETTER_SPACING))


def extreme(points, sign):
    """The highest point of an outline (1), or the lowest (−1); of several the leftmost."""
    return min(range(len(points)), key=lambda k: (round(-sign * points[k][1], 6), points[k][0]))


class Letter:
    def __init__(self, program, name):
        points = outline(name)
        along = tangents(points)
        up = (0, 0, 1)
        self.frames = curve(program, [(p, (x, cross(up, x), up)) for p, x in zip(points, along)],
                            len(points) // 5, LETTER_LENGTH)  # fmt: skip
        k = extreme(points, 1)
        self.top, self.top_angle = points[k], math.atan2(along[k][1], along[k][0])
        self.q_of_top, self.q_of_bottom = self.q_near(points[k]), self.q_near(points[extreme(points, -1)])
        self.shapes = []
        for a, b in segments(name, 36):
            x, y = b[0] - a[0], b[1] - a[1]
            height = math.hypot(x, y)
            # From z to the segment, by a right angle about an axis normal to both.
            self.shapes.append({
                "type": "capsule", "radius": STROKE, "height": height, "density": 200,
                "placement": {"position": [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0],
                              "rotation": {"axis": [-y / height, x / height, 0], "angle": 1.5708}}})  # fmt: skip

    def q_near(self, point):
        """Where the nearest control frame weighs most: at its number less one, as they count from 0."""
        nearest = min(range(len(self.frames)), key=lambda j: math.dist(self.frames[j]["position"], point))
        return (nearest - 1) % len(self.frames)


CHAIN = [("s", "S"), ("i", "I"), ("g_1", "G"), ("g_2", "G"), ("r", "R"), ("a", "A"), ("p", "P"), ("h", "H")]


def letters(made, sliding):
    def on(name):
        return {"type": "spline-curve", "frames": name, "closed": True}

    bodies = []
    for k, (body, name) in enumerate(CHAIN):
        letter = made[name]
        if k == 0:
            joint = {"name": "hang", "type": "revolute", "axis": [0, 0, 1], "q0": 0.3}
            bodies.append({"name": body, "parent": "world", "joint": joint,
                           "placement": [-letter.top[0], -letter.top[1], 0], "shapes": letter.shapes})  # fmt: skip
            continue
        parent, parent_name = CHAIN[k - 1]
        below = made[parent_name].q_of_bottom
        joint = {"name": f"{body}_on_{parent}"}
        if sliding:
            joint.update({"type": "composite", "parts": [on(parent_name), {**on(f"{name}-outside"), "reversed": True}],
                          "q0": [below, letter.q_of_top], "damping": 0.0003})  # fmt: skip
            bodies.append({"name": body, "parent": parent, "joint": joint, "shapes": letter.shapes})
            continue
        joint.update({**on(parent_name), "q0": below, "damping": 0.0003})
        # The inverse of its topmost frame turned by half a turn: the outlines face each other.
        turn = -(letter.top_angle + math.pi)
        c, s = math.cos(turn), math.sin(turn)
        x, y = letter.top[:2]
        place = {"position": [-(c * x - s * y), -(s * x + c * y), 0],
                 "rotation": {"axis": [0, 0, 1], "angle": turn % (2 * math.pi)}}  # fmt: skip
        bodies.append({"name": body, "parent": parent, "joint": joint, "placement": place, "shapes": letter.shapes})
    curves = [{"name": name, "frames": [planar(f) for f in letter.frames]} for name, letter in made.items()]
    if sliding:
        curves += [{"name": f"{name}-outside", "frames": [planar(f, math.pi) for f in letter.frames]}
                   for name, letter in made.items() if name != "S"]  # fmt: skip
    return {
        "sinew_scene": 1,
        "title": "Letters that slide along each other's outlines" if sliding else "Letters that slide along each other",
        "description": "A chain of eight letters. The first hangs from a hinge; each of the others slides"
        + (" along the outline of the one before, and on its own: two coordinates for each pair, a spline curve and a "
           "reversed one, 15 in all."
           if sliding else ", at its uppermost place, along the outline of the one before: 8 coordinates.")
        + " The outlines are closed spline curves, fitted to drawn strokes (sinew fit-joint); q counts frames.",
        "citation": "After figure 5(c) " + LEE,
        "curves": curves,
        "bodies": bodies,
        "simulation": {"integrator": "sdirk2", "dt": 0.001, "until": 5},
    }  # fmt: skip


# The scapula.

THORAX, MIDDLE = (0.147, 0.208, 0.094), (0, -0.149, 0.059)  # semi-axes and centre of the ellipsoid [m]
STERNUM, ACROMION, CLAVICLE = (0.02, 0, 0.005), (0.10296, 0.08335, -0.012), 0.157  # [m]
AZIMUTH, ELEVATION, REACH = math.radians(38), math.radians(18), math.radians(18)
SCAPULA_POSES, SCAPULA_GRID = 17, 6  # each way


def scapula_pose(q1, q2):
    """On the ellipsoid, z along its normal; turned about z so that the clavicle keeps its length."""
    a, b = AZIMUTH + q1, ELEVATION + q2
    on_sphere = (math.sin(a) * math.cos(b), math.sin(b), math.cos(a) * math.cos(b))
    p = tuple(m + r * u for m, r, u in zip(MIDDLE, THORAX, on_sphere))
    z = unit(tuple(u / r for u, r in zip(on_sphere, THORAX)))
    x0 = unit(cross((0, 1, 0), z))
    y0 = cross(z, x0)
    # |p + R a − s|² = l² is A cos ψ + B sin ψ = C; the solution is that near ψ = 0.
    away = add(p, STERNUM, -1)
    ax, ay, az = ACROMION
    A = 2 * (ax * dot(away, x0) + ay * dot(away, y0))
    B = 2 * (ax * dot(away, y0) - ay * dot(away, x0))
    C = CLAVICLE**2 - dot(away, away) - dot(ACROMION, ACROMION) - 2 * az * dot(away, z)
    middle, half = math.atan2(B, A), math.acos(C / math.hypot(A, B))
    psi = min((math.remainder(middle + side * half, 2 * math.pi) for side in (-1, 1)), key=abs)
    x = add(tuple(math.cos(psi) * v for v in x0), y0, math.sin(psi))
    return p, (x, cross(z, x), z)


def scapula(program):
    values = [-REACH + 2 * REACH * k / (SCAPULA_POSES - 1) for k in range(SCAPULA_POSES)]
    q = [(q1, q2) for q2 in values for q1 in values]
    fit = fitted(program, [scapula_pose(*at) for at in q], {"q1": [at[0] for at in q], "q2": [at[1] for at in q]},
                 "--type", "surface", "--grid", str(SCAPULA_GRID), str(SCAPULA_GRID))  # fmt: skip
    joint = {"name": "scapulothoracic", "type": "spline-surface", "damping": [0.3, 0.3], "q0": [0.15, 0.2]}
    for key in ("placement", "range", "x", "y", "z", "rx", "ry", "rz"):
        joint[key] = rounded(fit["joint"][key], 9)
    return {
        "sinew_scene": 1,
        "title": "A scapula that slides on the thorax",
        "description": (
            "A spline surface joint: the scapula's frame slides on an ellipsoid, z along its normal, turned about it"
            " so that the acromion keeps its distance from the sternum, the length of the clavicle. The 6 by 6 "
            "control values were fitted to 289 poses (sinew fit-joint --type surface): the clavicle keeps its 157 mm"
            " to 0.02 mm over 15 degrees each way. The clavicle itself hangs on damped springs between sternum and "
            "acromion. x points right, y up, z back, from the jugular notch."),
        "citation": (
            "After figure 4 of Lee, Terzopoulos: Spline Joints for Multibody Dynamics. ACM Transactions on Graphics "
            "27 (3), 2008. Ellipsoid: F. C. T. van der Helm, A finite element musculoskeletal model of the shoulder "
            "mechanism, Journal of Biomechanics 27 (5), 1994, from memory: semi-axes 147, 208, 94 mm about (0, -149,"
            " 59) mm. Places of the joints and masses are ours."),
        "bodies": [
            {"name": "thorax", "parent": "world", "joint": {"type": "fixed"},
             "shapes": [{"type": "ellipsoid", "radii": list(THORAX), "placement": list(MIDDLE), "density": 300}]},
            {"name": "scapula", "parent": "thorax", "joint": joint, "placement": rounded(fit["placement"], 9),
             "shapes": [{"type": "cuboid", "sides": [0.1, 0.13, 0.008], "placement": [0.02, 0, 0], "density": 1200},
                        {"type": "sphere", "radius": 0.012, "placement": list(ACROMION), "density": 1200}]},
            {"name": "clavicle", "parent": "thorax",
             "joint": {"name": "sternoclavicular", "type": "universal", "q0": [0.143994, 0.235166],
                       "placement": {"position": list(STERNUM), "rotation": {"axis": [0, 1, 0], "angle": -0.36}},
                       "damping": [0.01, 0.01]},
             "shapes": [{"type": "capsule", "radius": 0.006, "height": 0.145, "density": 1600,
                         "placement": {"position": [0.0785, 0, 0], "rotation": {"axis": [0, 1, 0], "angle": 1.5708}}}]},
        ],
        "forces": [
            {"type": "spring", "name": "acromioclavicular", "bodies": ["clavicle", "scapula"],
             "points": [[CLAVICLE, 0, 0], list(ACROMION)], "stiffness": 2000, "damping": 10},
        ],
        "simulation": {"integrator": "sdirk2", "dt": 0.002, "until": 0.5},
    }  # fmt: skip


def text_of(value, indent=0):
    """Lists and objects that fit into a line are put on one."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or len(flat) + indent <= 118:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        body = ",\n".join(f"{pad}{json.dumps(k)}: {text_of(v, indent + 2)}" for k, v in value.items())
        return "{\n" + body + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + text_of(v, indent + 2) for v in value) + "\n" + " " * indent + "]"


def write(name, content, digits=6):
    (SCENES / f"{name}.json").write_text(text_of(rounded(content, digits)) + "\n")


def main(program):
    write("flower-beads", flower_beads(program))
    write("coastline", coastline(program))
    made = {name: Letter(program, name) for name in LETTERS}
    write("letters", letters(made, sliding=False))
    write("letters-sliding", letters(made, sliding=True))
    write("scapula", scapula(program), digits=9)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
