#!/usr/bin/env python3
"""Writes scenes/starfish.json and the surface of its flesh, scenes/meshes/starfish.obj.

After STARFISH of Wang's thesis (section 6.1.2), which gives 20 joints and a coarse mesh of 221 vertices that carries a
fine surface of 7909; sizes, material and gait are ours. Five arms of four bones each around a disc. Each arm: a joint that
swings it sideways and one that lifts it, both prescribed, then two that follow passively. The disc is kept level and on
its heading by the prescribed angular velocity of a point; it travels as the ground and the arms let it.

Walking along +x: first all arms press down and lift the disc. Then the arms beside the middle line and those behind lift in
turn. A foot moves along its arm's tangent when the first joint swings: against +x while pressed down, along it while lifted.
The arm in front stays up. Everything begins at rest, with the arms straight, as the flesh is.
"""

import json
import math
from pathlib import Path

SCENES = Path(__file__).resolve().parents[2] / "scenes"

ARMS = 5
JOINTS = [0.030, 0.065, 0.100, 0.135]  # distance of the joints from the middle [m]
TIP = 0.165
OUTLINE_TIP = 0.180  # where the flesh ends
DISC = 0.048  # radius of the disc's flesh
WIDTH = (0.024, 0.014)  # half-width of an arm at the middle and at its tip
THICKNESS = (0.019, 0.009)  # above the bones, at the middle and at the tip
BELOW = 0.75  # of that below them
HEIGHT = 0.0155  # of the bones above the ground at the start
STEP_RATE = 6.0  # [rad/s]
SWING, LIFT, PRESS = 0.30, 0.22, 0.30  # amplitudes of a step, and how far arms press down [rad]
BEGIN = 0.6  # the steps begin [s]
STIFFNESS, DAMPING = 1.5, 0.02  # of the passive joints [N m/rad, N m s/rad]
ANGLES, RINGS = 180, 11  # of the surface


def outline(angle):
    """Distance from the middle to the edge of the flesh, in a direction: a disc and five arms with round, tapering ends."""
    reach = DISC
    for arm in range(ARMS):
        off = angle - 2 * math.pi * arm / ARMS
        c, s = math.cos(off), abs(math.sin(off))
        if c <= 0:
            continue
        # Circles along the arm: the farthest point of any of them in this direction.
        for k in range(41):
            along = k / 40
            centre = along * (OUTLINE_TIP - WIDTH[1])
            radius = WIDTH[0] + along * (WIDTH[1] - WIDTH[0])
            under = radius * radius - (centre * s) ** 2
            if under > 0:
                reach = max(reach, centre * c + math.sqrt(under))
    return reach


def surface():
    """Vertices and triangles: rings around the middle, above and below, that share the rim."""
    edge = [outline(2 * math.pi * i / ANGLES) for i in range(ANGLES)]
    vertices, triangles = [], []

    def point(ring, i, side):
        share = math.sin(0.5 * math.pi * ring / RINGS)
        r = share * edge[i]
        angle = 2 * math.pi * i / ANGLES
        taper = min(1, r / OUTLINE_TIP)
        height = THICKNESS[0] + taper * (THICKNESS[1] - THICKNESS[0])
        y = height * math.sqrt(max(0, 1 - share ** 4)) * (1 if side > 0 else -BELOW)
        return (r * math.cos(angle), y, -r * math.sin(angle))

    vertices.append((0, THICKNESS[0], 0))
    for ring in range(1, RINGS + 1):
        vertices += [point(ring, i, 1) for i in range(ANGLES)]
    top_rim = 1 + (RINGS - 1) * ANGLES
    below = len(vertices)
    for ring in range(1, RINGS):
        vertices += [point(ring, i, -1) for i in range(ANGLES)]
    vertices.append((0, -BELOW * THICKNESS[0], 0))

    def above_at(ring, i):
        return 1 + (ring - 1) * ANGLES + i % ANGLES

    def below_at(ring, i):
        return top_rim + i % ANGLES if ring == RINGS else below + (ring - 1) * ANGLES + i % ANGLES

    for i in range(ANGLES):
        triangles.append((0, above_at(1, i), above_at(1, i + 1)))
        triangles.append((len(vertices) - 1, below_at(1, i + 1), below_at(1, i)))
        for ring in range(1, RINGS):
            a, b = above_at(ring, i), above_at(ring, i + 1)
            c, d = above_at(ring + 1, i), above_at(ring + 1, i + 1)
            triangles += [(a, c, d), (a, d, b)]
            a, b = below_at(ring, i), below_at(ring, i + 1)
            c, d = below_at(ring + 1, i), below_at(ring + 1, i + 1)
            triangles += [(a, d, c), (a, b, d)]
    return vertices, triangles


def write_surface():
    vertices, triangles = surface()
    lines = ["# Written by models/starfish/make_starfish.py"]
    lines += ["v %.5f %.5f %.5f" % v for v in vertices]
    lines += ["f %d %d %d" % (a + 1, b + 1, c + 1) for a, b, c in triangles]
    (SCENES / "meshes" / "starfish.obj").write_text("\n".join(lines) + "\n")


def bone(length):
    """A capsule along x from the joint on."""
    return {"type": "capsule", "radius": 0.005, "height": round(length, 6), "density": 1500,
            "placement": {"position": [round(length / 2, 6), 0, 0],
                          "rotation": {"axis": [0, 1, 0], "angle": math.pi / 2}}}


def arm_bodies(arm):
    angle = 2 * math.pi * arm / ARMS
    ends = JOINTS[1:] + [TIP]
    out = []
    for k in range(4):
        length = ends[k] - JOINTS[k]
        joint = {"name": f"arm{arm + 1}_joint{k + 1}", "type": "revolute", "coordinates": [f"arm{arm + 1}_{k + 1}"],
                 "axis": [0, 1, 0] if k == 0 else [0, 0, 1]}
        if k == 0:
            joint["placement"] = {"position": [JOINTS[0] * math.cos(angle), 0, -JOINTS[0] * math.sin(angle)],
                                  "rotation": {"axis": [0, 1, 0], "angle": angle}}
        else:
            joint["placement"] = [round(JOINTS[k] - JOINTS[k - 1], 6), 0, 0]
        if k > 1:
            joint |= {"stiffness": STIFFNESS, "damping": DAMPING}
        out.append({"name": f"arm{arm + 1}_bone{k + 1}", "parent": "disc" if k == 0 else f"arm{arm + 1}_bone{k}",
                    "joint": joint, "shapes": [bone(length)]})
    return out


def ramp(start, end, low, high):
    """The cubic from low to high with level ends, as a polynomial of t."""
    d, tau = high - low, end - start
    # low + d (3 s² − 2 s³), s = (t − start)/tau
    a2, a3 = 3 * d / tau ** 2, -2 * d / tau ** 3
    c = [low + a2 * start ** 2 - a3 * start ** 3, -2 * a2 * start + 3 * a3 * start ** 2, a2 - 3 * a3 * start, a3]
    return {"type": "polynomial", "coefficients": [round(x, 9) for x in c]}


def sine(amplitude, offset, phase):
    """offset + amplitude sin(rate (t − BEGIN) + phase)"""
    return {"type": "sine", "amplitude": round(amplitude, 6), "frequency": STEP_RATE,
            "phase": round(phase - STEP_RATE * BEGIN, 9), "offset": offset}


def lift(arm):
    half = math.pi / STEP_RATE
    down = ramp(0, BEGIN, 0, -PRESS)
    if arm == 0:
        return {"type": "piecewise", "starts": [0, BEGIN],
                "pieces": [ramp(0, BEGIN, 0, 0.15), {"type": "constant", "value": 0.15}]}
    if arm in (1, 4):  # first: up and down, from where they press
        return {"type": "piecewise", "starts": [0, BEGIN], "pieces": [down, sine(-LIFT, LIFT - PRESS, math.pi / 2)]}
    return {"type": "piecewise", "starts": [0, BEGIN, round(BEGIN + half, 9)],
            "pieces": [down, {"type": "constant", "value": -PRESS}, sine(LIFT, LIFT - PRESS, math.pi / 2)]}


def swing(arm):
    quarter = 0.5 * math.pi / STEP_RATE
    # A positive angle about y moves the foot along (−sin, −cos) of the arm's angle in x and z.
    amplitude = SWING * math.sin(2 * math.pi * arm / ARMS) * (1 if arm in (1, 4) else -1)
    if arm == 0:
        return {"type": "constant", "value": 0}
    return {"type": "piecewise", "starts": [0, BEGIN, round(BEGIN + quarter, 9)],
            "pieces": [{"type": "constant", "value": 0}, ramp(BEGIN, BEGIN + quarter, 0, amplitude),
                       sine(amplitude, 0, 0)]}


def gait():
    out = []
    for arm in range(ARMS):
        for name, k, function in (("swing", 1, swing(arm)), ("lift", 2, lift(arm))):
            out.append({"type": "prescribed-coordinate", "name": f"{name}{arm + 1}",
                        "coordinate": f"arm{arm + 1}_{k}", "function": function})
    out.append({"type": "prescribed-twist", "name": "level", "body": "disc", "rows": [
        {"part": "angular", "direction": axis, "frame": "world", "function": {"type": "constant", "value": 0}}
        for axis in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]})
    return out


def scene():
    bodies = [{"name": "disc", "parent": "world",
               "joint": {"name": "root", "type": "free-3d", "coordinates": ["x", "y", "z", "rx", "ry", "rz"],
                         "q0": [0, HEIGHT, 0, 0, 0, 0]},
               "shapes": [{"type": "cylinder", "radius": 0.028, "height": 0.008, "density": 1500,
                           "placement": {"position": [0, 0, 0],
                                         "rotation": {"axis": [1, 0, 0], "angle": math.pi / 2}}}]}]
    for arm in range(ARMS):
        bodies += arm_bodies(arm)
    attach = [{"body": "disc", "radius": 0.028}]
    ends = JOINTS[1:] + [TIP]
    for arm in range(ARMS):
        for k in range(4):
            attach.append({"body": f"arm{arm + 1}_bone{k + 1}", "to": [round(ends[k] - JOINTS[k], 6), 0, 0],
                           "radius": 0.018})
    return {
        "sinew_scene": 1,
        "title": "Starfish",
        "description": "A starfish walks: twenty joints in soft flesh, some of them prescribed and the rest passive, the flesh a coarse "
                       "lattice of tetrahedra that carries a fine surface, coupled to the skeleton both ways and implicitly. It touches the ground by its surface.",
        "citation": "After STARFISH of Y. Wang, Inertial Musculotendons, doctoral thesis, Texas A&M University, 2022, section 6.1.2; geometry, "
                    "material and gait are our own.",
        "bodies": bodies,
        "soft_bodies": [{
            "type": "solid", "name": "flesh", "surface": "meshes/starfish.obj", "lattice": [0.03, 0.0185, 0.03],
            "placement": [0, HEIGHT, 0],
            "material": {"model": "corotated", "young": 1e5, "poisson": 0.4, "density": 300, "viscosity": 20},
            "attach": attach,
            "ground": [{"by": "surface", "stiffness": 40, "onset": 0.002, "friction": 0.9, "creep_velocity": 0.005}]}],
        "constraints": gait(),
        "simulation": {"integrator": "linearly-implicit-euler", "dt": 0.005, "until": 8, "output_interval": 0.02},
    }


def main():
    write_surface()
    (SCENES / "starfish.json").write_text(json.dumps(scene(), indent=1) + "\n")


if __name__ == "__main__":
    main()
