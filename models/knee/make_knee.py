#!/usr/bin/env python3
"""Writes scenes/knee-spline.json and scenes/knee-revolute.json, one leg with two knees, and scenes/leg-spline-knee.json,
the same leg with eleven coordinates; measured_poses.csv, poses of that knee with noise; and scenes/knee-fitted.json and
scenes/leg-fitted-knee.json, whose knee is the curve that `sinew fit-joint` makes of them (fitted_knee.json). README.md says
where the numbers come from. Standard library only; the same bytes every time.

    python3 models/knee/make_knee.py
"""

import json
import math
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
SCENES = HERE.parents[1] / "scenes"
POSES = HERE / "measured_poses.csv"

# Condyles in the femur's sagittal plane, x forward, y up [m]: the extension facet about the knee's centre, the flexion
# facet tangent to it where the knee is bent by JUNCTION.
CENTRE = (0.0, -0.4222)
EXTENSION_RADIUS, FLEXION_RADIUS = 0.032, 0.022
JUNCTION = math.radians(25)
# How far the contact moves back on the plateau, from straight to bent by ROLLBACK_END.
ROLLBACK, ROLLBACK_END = 0.008, math.radians(120)
STEP = 0.1  # between knots [rad]
RANGE = (-2.4, 0.2)  # of the knee's angle, negative: bent
# What is measured of it, as by markers on bone pins: this many poses, each with this noise [rad, m].
MEASURED, ANGLE_NOISE, POSITION_NOISE = 61, math.radians(0.5), 0.0005


def down(bend):
    """Direction of the shank in the femur's frame, the knee bent by `bend`: the condyles' lowest point is there."""
    return (-math.sin(bend), -math.cos(bend))


def condyle_point(bend):
    """Where the condyles are touched by a plane that is square to down(bend)."""
    n, j = down(bend), down(JUNCTION)
    if bend <= JUNCTION:
        centre, radius = CENTRE, EXTENSION_RADIUS
    else:
        apart = EXTENSION_RADIUS - FLEXION_RADIUS
        centre = (CENTRE[0] + apart * j[0], CENTRE[1] + apart * j[1])
        radius = FLEXION_RADIUS
    return (centre[0] + radius * n[0], centre[1] + radius * n[1])


def contact_on_plateau(bend):
    """x of the contact in the tibia's frame. Starts and ends smoothly (a cubic), and stays there."""
    u = min(max(bend / ROLLBACK_END, 0), 1)
    return -ROLLBACK * u * u * (3 - 2 * u)


def tibia_pose(angle):
    """The tibia's frame in the femur's, (angle, x, y), with the plateau y = −EXTENSION_RADIUS on the condyles."""
    bend = -angle
    x, y = contact_on_plateau(bend), -EXTENSION_RADIUS
    c, s = math.cos(angle), math.sin(angle)
    p = condyle_point(bend)
    return (angle, p[0] - (c * x - s * y), p[1] - (s * x + c * y))


# Planar rigid motions as (angle, x, y).
def times(a, b):
    c, s = math.cos(a[0]), math.sin(a[0])
    return (a[0] + b[0], a[1] + c * b[1] - s * b[2], a[2] + s * b[1] + c * b[2])


def inverse(a):
    c, s = math.cos(a[0]), math.sin(a[0])
    return (-a[0], -(c * a[1] + s * a[2]), s * a[1] - c * a[2])


def v_matrix(w):
    if abs(w) < 1e-6:
        return 1 - w * w / 6, w / 2
    return math.sin(w) / w, (1 - math.cos(w)) / w


def exp(z):
    a, b = v_matrix(z[0])
    return (z[0], a * z[1] - b * z[2], b * z[1] + a * z[2])


def log(g):
    a, b = v_matrix(g[0])
    d = a * a + b * b
    return (g[0], (a * g[1] + b * g[2]) / d, (-b * g[1] + a * g[2]) / d)


def at_knot(frames, i):
    """The cumulative cubic B-spline of uniform knots where frame i weighs most: weights 1/6, 4/6, 1/6."""
    g = frames[i - 1]
    for j, weight in ((i, 5 / 6), (i + 1, 1 / 6)):
        z = log(times(inverse(frames[j - 1]), frames[j]))
        g = times(g, exp(tuple(weight * x for x in z)))
    return g


def fit(wanted):
    """Control frames whose spline passes through wanted[1:-1]; the first and the last are themselves wanted. Each
    round moves every frame by what the curve is off there, and leaves at most 2/3 of the error."""
    frames = list(wanted)
    for _ in range(120):
        off = [times(inverse(at_knot(frames, i)), wanted[i]) for i in range(1, len(frames) - 1)]
        frames[1:-1] = [times(f, o) for f, o in zip(frames[1:-1], off)]
    return frames


def spline_joint():
    spans = round((RANGE[1] - RANGE[0]) / STEP)
    angles = [RANGE[0] + STEP * (i - 1) for i in range(spans + 3)]
    frames = fit([tibia_pose(a) for a in angles])
    return {
        "name": "knee",
        "type": "spline-curve",
        "knots": [round(RANGE[0] + STEP * (k - 3), 10) for k in range(len(frames) + 4)],
        "frames": [
            {"position": [round(x, 9), round(y, 9), 0], "rotation": {"axis": [0, 0, 1], "angle": round(a, 9)}}
            for a, x, y in frames
        ],
    }


def turned(v):
    """The quaternion of a rotation vector."""
    angle = math.sqrt(sum(x * x for x in v))
    scale = math.sin(angle / 2) / angle if angle > 0 else 0.5
    return (math.cos(angle / 2), *(scale * x for x in v))


def product(a, b):
    return (a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0])  # fmt: skip


def write_measured_poses():
    """Poses of the tibia in the femur, with normal noise in all six directions."""
    noise = random.Random(26)
    lines = ["q,tx,ty,tz,qw,qx,qy,qz"]
    for k in range(MEASURED):
        q = RANGE[0] + (RANGE[1] - RANGE[0]) * k / (MEASURED - 1)
        angle, x, y = tibia_pose(q)
        position = [v + noise.gauss(0, POSITION_NOISE) for v in (x, y, 0)]
        rotation = product(turned((0, 0, angle)), turned([noise.gauss(0, ANGLE_NOISE) for _ in range(3)]))
        lines.append(",".join(f"{v:.9f}" for v in (q, *position, *rotation)))
    POSES.write_text("\n".join(lines) + "\n")


def fitted_joint():
    """What sinew fit-joint makes of the measured poses; README.md has the command."""
    def rounded(value):
        if isinstance(value, dict):
            return {k: rounded(v) for k, v in value.items()}
        if isinstance(value, list):
            return [rounded(v) for v in value]
        return round(value, 9) if isinstance(value, float) else value

    return {**rounded(json.loads((HERE / "fitted_knee.json").read_text())["joint"]), "name": "knee"}


def revolute_joint():
    return {"name": "knee", "type": "revolute", "axis": [0, 0, 1], "placement": [*CENTRE, 0]}


def hill(force, fibre, tendon, pennation, **more):
    return {
        "max_isometric_force": force,
        "optimal_fibre_length": fibre,
        "tendon_slack_length": tendon,
        "pennation": pennation,
        **more,
    }


def ramp(times_, values):
    return {"type": "table", "times": times_, "values": values, "interpolation": "linear"}


def on(body, *position):
    return {"body": body, "position": list(position)}


def muscles():
    behind = {"around": {"type": "cylinder", "radius": 0.03}, "body": "femur", "placement": [-0.005, -0.4222, 0]}
    front = {
        "around": {"type": "cylinder", "radius": 0.045, "side": "clockwise"},
        "body": "femur",
        "placement": [0, -0.42, 0],
    }
    heel = on("foot", -0.05, -0.03, -0.005)
    control = lambda gain: {"coordinate": "ankle_angle", "gain": gain, "target": 0}
    return [
        {"name": "gastrocnemius_medialis", "mass": 0.1135, "belly": [0.03, 0.55], "host": "tibia",
         "path": [on("femur", -0.02, -0.385, -0.022), behind, heel],
         "hill": hill(1558, 0.06, 0.445, 0.2967, excitation=0.02)},
        {"name": "gastrocnemius_lateralis", "mass": 0.0622, "belly": [0.03, 0.48], "host": "tibia",
         "path": [on("femur", -0.02, -0.385, 0.024), behind, heel],
         "hill": hill(683, 0.064, 0.4396, 0.1396, excitation=0.02)},
        {"name": "soleus", "mass": 0.2758, "belly": [0, 0.75], "host": "tibia",
         "path": [on("tibia", -0.01, -0.15, 0.005), heel],
         "hill": hill(3549, 0.05, 0.2714, 0.4363, excitation=0.02, feedback=control(2.0))},
        {"name": "tibialis_anterior", "mass": 0.0801, "belly": [0, 0.75], "host": "tibia",
         "path": [on("tibia", 0.018, -0.15, 0.012), on("tibia", 0.033, -0.4, -0.015), on("foot", 0.075, -0.05, -0.02)],
         "hill": hill(905, 0.098, 0.2483, 0.0873, excitation=0.02, feedback=control(-2.0))},
        {"name": "semimembranosus", "mass": 0.1343, "belly": [0.15, 0.9], "host": "femur",
         "path": [on("pelvis", -0.12, -0.13, 0.06), on("tibia", -0.025, -0.05, -0.02)],
         "hill": hill(1288, 0.08, 0.3357, 0.2618, excitation=ramp([0, 0.65, 0.7, 1.1, 1.15], [0.02, 0.02, 0.4, 0.4, 0.02]))},
        {"name": "rectus_femoris", "mass": 0.1106, "belly": [0.05, 0.8], "host": "femur",
         "path": [on("pelvis", -0.03, -0.03, 0.095), front, on("tibia", 0.04, -0.06, 0)],
         "hill": hill(1169, 0.114, 0.4087, 0.0873, excitation=ramp([0, 0.1, 0.15, 0.5, 0.55], [0.02, 0.02, 0.35, 0.35, 0.02]))},
    ]


def capsule(radius, height, y):
    return {"type": "capsule", "radius": radius, "height": height,
            "placement": {"position": [0, y, 0], "rotation": {"axis": [1, 0, 0], "angle": 1.5707963267948966}}}


def bones(*names):
    """Bones to draw, as they are: models/bones has them for a leg of this size."""
    return [{"type": "mesh", "file": f"bones/{name}.obj", "material": "bone"} for name in names]


def write_condyles():
    """The facets as a closed mesh, 70 mm wide: what the gap is measured from."""
    degrees = range(-25, 136)
    profile = [condyle_point(math.radians(d)) for d in degrees]
    n = len(profile)
    lines = ["# Femoral condyles, written by models/knee/make_knee.py"]
    for z in (-0.035, 0.035):
        lines += [f"v {x:.9f} {y:.9f} {z}" for x, y in profile]
    # The profile runs from front to back below, clockwise seen from +z.
    for k in range(1, n - 1):
        lines.append(f"f 1 {k + 1} {k + 2}")
        lines.append(f"f {n + 1} {n + k + 2} {n + k + 1}")
    for k in range(n):
        a, b = k + 1, (k + 1) % n + 1
        lines.append(f"f {a} {n + a} {b}")
        lines.append(f"f {b} {n + a} {n + b}")
    (SCENES / "meshes" / "condyles.obj").write_text("\n".join(lines) + "\n")


def scene(joint, title, description):
    joint = {**joint, "coordinates": ["knee_angle"], "q0": -0.6, "damping": 0.3,
             "stops": {"lower": -2.2, "upper": 0, "stiffness": 300, "damping": 3}}
    return {
        "sinew_scene": 1,
        "title": title,
        "description": description,
        "citation": "After Y. Wang, Inertial Musculotendons, doctoral thesis, Texas A&M University, 2022, section 6.2.10; spline joints: Lee and Terzopoulos, ACM Trans. Graph. 27, 2008. Sources of the numbers: models/knee/README.md.",
        "bodies": [
            {"name": "pelvis", "parent": "world", "joint": {"type": "fixed", "placement": [0, 1, 0]},
             "inertia": {"mass": 8.377, "com": [-0.07, 0.02, 0], "moments": [0.06726, 0.06128, 0.05399]},
             "shapes": [{"type": "ellipsoid", "radii": [0.08, 0.06, 0.12], "placement": [-0.07, 0, 0]}],
             "look": bones("hip_r", "hip_l", "sacrum")},
            {"name": "femur", "parent": "pelvis",
             "joint": {"name": "hip", "type": "fixed", "placement": {"position": [-0.07, -0.07, 0.085], "rotation": {"axis": [0, 0, 1], "angle": 0.5}}},
             "inertia": {"mass": 10.62, "com": [0, -0.1729, 0], "moments": [0.2049, 0.04203, 0.2049]},
             "shapes": [capsule(0.018, 0.34, -0.2), {"type": "mesh", "file": "meshes/condyles.obj"}],
             "look": bones("femur_r")},
            {"name": "tibia", "parent": "femur", "joint": joint,
             "inertia": {"mass": 3.248, "com": [0, -0.1935, 0], "moments": [0.03977, 0.006489, 0.03793]},
             "shapes": [{"type": "cuboid", "sides": [0.055, 0.012, 0.07], "placement": [-0.004, round(-EXTENSION_RADIUS - 0.006, 9), 0]},
                        capsule(0.02, 0.34, -0.235)],
             "look": [*bones("tibia_r", "fibula_r"), {**bones("patella_r")[0], "placement": [0.042, 0.004, 0]}]},
            {"name": "foot", "parent": "tibia",
             "joint": {"name": "ankle", "type": "revolute", "axis": [0, 0, 1], "placement": [0, -0.434, 0],
                       "coordinates": ["ankle_angle"], "q0": -0.2, "damping": 0.1,
                       "stops": {"lower": -0.9, "upper": 0.6, "stiffness": 100, "damping": 1}},
             "inertia": {"mass": 1.028, "com": [0.05395, -0.04, 0], "moments": [0.001052, 0.004109, 0.004521]},
             "shapes": [{"type": "cuboid", "sides": [0.24, 0.05, 0.08], "placement": [0.06, -0.045, 0]}],
             "look": bones("talus_r", "foot_r", "toes_r")},
        ],
        "muscles": {"mass_from": "moments", "list": muscles()},
        "simulation": {"integrator": "sdirk2", "dt": 0.001, "until": 1.5, "output_interval": 0.005},
    }


# The eleven coordinates of the leg with a moving pelvis: those that are prescribed, with their values [m, rad].
HELD = {
    "pelvis_tx": 0, "pelvis_ty": 1, "pelvis_tz": 0, "pelvis_tilt": 0, "pelvis_list": 0, "pelvis_rotation": 0,
    "hip_flexion": 0.5, "hip_adduction": 0, "hip_rotation": 0,
}  # fmt: skip
HIP_SWING = {"type": "sine", "amplitude": 0.2, "frequency": 4.188790204786, "phase": -1.570796326795, "offset": 0.5}


def whole_leg(content):
    """The scene with six coordinates at the pelvis and three at the hip, which follow a prescribed motion: the hip
    swings by 0.2 rad either way. The gap of the knee is among the results."""
    pelvis, femur = content["bodies"][:2]
    start = {**HELD, "hip_flexion": HELD["hip_flexion"] - HIP_SWING["amplitude"]}
    names = list(HELD)
    pelvis["joint"] = {"name": "ground_pelvis", "type": "free-3d", "coordinates": names[:6], "q0": [start[n] for n in names[:6]]}
    femur["joint"] = {"name": "hip", "type": "spherical-euler", "order": "zxy", "placement": [-0.07, -0.07, 0.085],
                      "coordinates": names[6:], "q0": [start[n] for n in names[6:]]}
    content["constraints"] = [
        {"type": "prescribed-coordinate", "name": name, "coordinate": name,
         "function": HIP_SWING if name == "hip_flexion" else {"type": "constant", "value": value}}
        for name, value in HELD.items()
    ]
    content["gaps"] = [{"name": "knee_gap", "body": "femur", "shape": 2, "base": "tibia",
                        "plane": {"point": [0, -EXTENSION_RADIUS, 0], "normal": [0, 1, 0]}}]
    order = ["sinew_scene", "title", "description", "citation", "bodies", "constraints", "muscles", "gaps", "simulation"]
    return {key: content[key] for key in order}


def write(name, content):
    text = json.dumps(content, indent=2, ensure_ascii=False)
    (SCENES / f"{name}.json").write_text(compact(text) + "\n")


def compact(text):
    """Lists and objects that fit into a line are put on one."""
    def dump(value, indent):
        flat = json.dumps(value, ensure_ascii=False)
        if not isinstance(value, (dict, list)) or not value or len(flat) + indent <= 118:
            return flat
        pad = " " * (indent + 2)
        if isinstance(value, dict):
            body = ",\n".join(f"{pad}{json.dumps(k)}: {dump(v, indent + 2)}" for k, v in value.items())
            return "{\n" + body + "\n" + " " * indent + "}"
        body = ",\n".join(pad + dump(v, indent + 2) for v in value)
        return "[\n" + body + "\n" + " " * indent + "]"

    return dump(json.loads(text), 0)


def main():
    write_condyles()
    write_measured_poses()
    shared = ("Rectus femoris is excited, then semimembranosus; the ankle is held by proportional control of tibialis anterior and soleus; "
              "gastrocnemius is slightly active. The thigh is held. All six are Hill muscles with mass. ")
    write("knee-spline", scene(spline_joint(), "A knee that keeps its bones together",
          shared + "The tibia follows a spline along which its plateau stays on the femur's condyles and rolls back 8 mm. knee-revolute is the same leg with a hinge."))
    write("knee-revolute", scene(revolute_joint(), "A knee that is a hinge",
          shared + "The hinge is at the centre of the condyles' extension facet, where the knee of a standing leg turns: bent, the tibia parts from the femur. knee-spline is the same leg with a spline joint."))
    write("knee-fitted", scene(fitted_joint(), "A knee from measured poses",
          shared + "The tibia follows the curve that sinew fit-joint makes of 61 poses with a noise of 0.5 degrees and 0.5 mm: 24 frames, smoothed. knee-spline is the same leg with the true knee."))
    write("leg-fitted-knee", whole_leg(scene(fitted_joint(), "A leg whose knee comes from measured poses",
          "leg-spline-knee with the knee of knee-fitted, a curve of 24 frames from 61 noisy poses; gaps.sto has the distance of its bones.")))
    write("leg-spline-knee", whole_leg(scene(spline_joint(), "A leg whose knee keeps its bones together",
          "Six coordinates at the pelvis, three at the hip, one each at knee and ankle. The hip swings as "
          "prescribed; knee and ankle are driven by six Hill muscles with mass: rectus femoris is excited, then"
          " semimembranosus; tibialis anterior and soleus hold the ankle by proportional control; gastrocnemius"
          " is slightly active. The knee is a spline along which the tibia's plateau stays on the femur's "
          "condyles; gaps.sto has their distance.")))


if __name__ == "__main__":
    main()
