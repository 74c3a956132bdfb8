"""What docs/conventions.md says about axes, sides, signs and orders, computed by the program.

    tests/scripts/conventions_test.py PROGRAM
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

LEG = pathlib.Path(__file__).resolve().parents[2] / "models/leg/leg.osim"
PROGRAM = ""


def sinew(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def evaluate(model, pose, coordinates=None, options=()):
    """The model, a file or the contents of a scene, in one pose."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if isinstance(model, dict):
            (folder / "scene.json").write_text(json.dumps({"sinew_scene": 1, **model}))
            model = folder / "scene.json"
        poses = {"poses": [pose], **({"coordinates": coordinates} if coordinates else {})}
        (folder / "poses.json").write_text(json.dumps(poses))
        out = sinew("evaluate", model, folder / "poses.json", *options)
        names = [c if isinstance(c, str) else c["name"] for c in out["coordinates"]]
        return {**out["poses"][0], "coordinates": names}


def rod(joint, **rest):
    """A body that hangs from the world, 1 kg half a metre below its joint."""
    inertia = {"mass": 1, "com": [0, -0.5, 0], "moments": [0.1, 0.1, 0.1]}
    return {"bodies": [{"name": "rod", "parent": "world", "joint": joint, "inertia": inertia}], **rest}


HINGE = {"name": "hinge", "type": "revolute", "axis": [0, 0, 1], "coordinates": ["angle"]}


def hung(*path, tension=0):
    """A hinge about z with one muscle from above to below."""
    return rod(HINGE, muscles={"list": [{"name": "muscle", "tension": tension, "path": list(path)}]})


def around(surface, x=0.0):
    return hung({"body": "world", "position": [x, 0.5, 0]}, {"around": surface, "body": "world"},
                {"body": "rod", "position": [x, -0.5, 0]})


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    return {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[axis]


def product(*matrices):
    out = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    for m in matrices:
        out = [[sum(out[i][k] * m[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    return [x for row in out for x in row]


class Conventions(unittest.TestCase):
    def assert_near(self, a, b, tolerance=1e-9):
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertAlmostEqual(x, y, delta=tolerance)

    def test_gravity_points_down_y_and_positive_turns_about_z_bring_what_hangs_forward(self):
        at = evaluate(rod(HINGE), {"q": [0.5], "u": [2]})
        # The lower end, at (0, −1, 0) in the body, is ahead: x = sin 0.5.
        R = at["body_transforms"][0]["R"]
        self.assert_near([-R[1], -R[4]], [math.sin(0.5), -math.cos(0.5)])
        self.assert_near(at["body_transforms"][0]["omega"], [0, 0, 2])
        # What holds it there pushes the angle up, against gravity.
        self.assert_near(at["id_tau"], [9.80665 * 0.5 * math.sin(0.5)])

    def test_muscles_in_front_of_the_axis_have_positive_moment_arms_and_shorten_as_the_angle_grows(self):
        for x in (0.1, -0.1):
            at = evaluate(hung({"body": "world", "position": [x, 0.5, 0]}, {"body": "rod", "position": [x, -0.5, 0]},
                               tension=10), {"q": [0], "u": [1]})
            path = at["paths"][0]
            self.assert_near(path["unit_tension_genforce"], [x])
            self.assertAlmostEqual(path["Ldot"], -x)
            # The tension of 10 N acts with 10 x; what is still needed is the opposite.
            self.assert_near(at["id_tau"], [-10 * x])

    def test_cylinders_are_wound_about_z_from_origin_to_insertion(self):
        for side, x in (("counter-clockwise", -0.1), ("clockwise", 0.1)):
            path = evaluate(around({"type": "cylinder", "radius": 0.1, "side": side}), {})["paths"][0]
            self.assert_near(path["unit_tension_genforce"], [x])
            self.assertTrue(all(p[0] * x > 0 for p in path["points"][1:-1]))

    def test_ellipsoids_are_passed_on_the_side_of_a_direction(self):
        for x in (1, -1):
            surface = {"type": "ellipsoid", "semi_axes": [0.1, 0.12, 0.2], "side": [x, 0, 0]}
            path = evaluate(around(surface, 0.01), {})["paths"][0]
            self.assertGreater(path["L"], 1.01)
            self.assertTrue(all(p[0] * x > 0.05 for p in path["points"][1:-1]))

    def test_quadrants_of_opensim_are_half_spaces_of_the_surface(self):
        for quadrant, behind in (("-x", True), ("+x", False)):
            change = ("--set", f"/bodyset/femur_r/condyles_r/quadrant={quadrant}")
            at = evaluate(LEG, {"q": [-0.3]}, ["knee_angle_r"], change)
            gastrocnemius = next(p for p in at["paths"] if p["m"] == "gasmed_r")
            touching = [point[1][0] for point in gastrocnemius["points"] if len(point) > 3]
            self.assertEqual(len(touching), 2)
            self.assertTrue(all((x < 0) == behind for x in touching), touching)

    def test_angles_are_about_moving_axes_in_their_order(self):
        q = [0.3, -0.4, 0.7]
        for order in ("xyz", "zxy", "zyx"):
            joint = {"name": "j", "type": "spherical-euler", "order": order}
            at = evaluate(rod(joint), {"q": q})
            self.assert_near(at["body_transforms"][0]["R"], product(*map(turn, order, q)))
            place = {"rotation": {"euler": order, "angles": q}}
            at = evaluate(rod({"name": "j", "type": "revolute", "axis": [0, 0, 1], "placement": place}), {"q": [0]})
            self.assert_near(at["body_transforms"][0]["R"], product(*map(turn, order, q)))
        at = evaluate(rod({"name": "j", "type": "universal"}), {"q": q[:2]})
        self.assert_near(at["body_transforms"][0]["R"], product(turn("x", 0.3), turn("y", -0.4)))

    def test_a_ball_has_one_rotation_vector(self):
        at = evaluate(rod({"name": "j", "type": "spherical"}), {"q": [0, 0.6, 0]})
        self.assert_near(at["body_transforms"][0]["R"], product(turn("y", 0.6)))

    def test_moments_of_inertia_are_about_the_centre_of_mass_products_after_moments(self):
        moments = [0.2, 0.25, 0.3, 0.01, 0.02, 0.03]
        body = {"name": "b", "parent": "world", "joint": {"name": "j", "type": "spherical"},
                "inertia": {"mass": 2, "com": [0, 0, 0], "moments": moments}}
        xx, yy, zz, xy, xz, yz = moments
        M = evaluate({"bodies": [body]}, {"q": [0, 0, 0]})["M"]
        rows = M if isinstance(M[0], list) else [M[3 * k:3 * k + 3] for k in range(3)]
        self.assert_near([x for row in rows for x in row], [xx, xy, xz, xy, yy, yz, xz, yz, zz])

    def test_the_leg_flexes_its_hip_forward_its_knee_backward_and_lifts_its_foot(self):
        rest = evaluate(LEG, {})

        def moved(coordinate, body, point):
            """By how much a point of a body moves when a coordinate grows by 0.1 rad."""
            at = evaluate(LEG, {"q": [0.1]}, [coordinate])
            place = []
            for state in (at, rest):
                b = next(b for b in state["body_transforms"] if b["body"].endswith(body))
                place.append([b["p"][k] + sum(b["R"][3 * k + j] * point[j] for j in range(3)) for k in range(3)])
            return [a - b for a, b in zip(*place)]

        self.assertGreater(moved("hip_flexion_r", "tibia_r", [0, 0, 0])[0], 0.03, "the knee comes forward")
        self.assertLess(moved("hip_adduction_r", "tibia_r", [0, 0, 0])[2], -0.03, "the right knee comes inward")
        self.assertGreater(moved("knee_angle_r", "foot_r", [0, 0, 0])[0], 0.03, "the shank comes forward: extension")
        self.assertGreater(moved("ankle_angle_r", "foot_r", [0.2, 0, 0])[1], 0.01, "the toes come up")
        self.assertLess(moved("hip_rotation_r", "foot_r", [0.2, 0, 0])[2], -0.01, "the right toes come inward")
        paths = {p["m"]: dict(zip(rest["coordinates"], p["unit_tension_genforce"])) for p in rest["paths"]}
        self.assertLess(paths["soleus_r"]["ankle_angle_r"], -0.03)
        self.assertGreater(paths["tibant_r"]["ankle_angle_r"], 0.03)
        self.assertGreater(paths["recfem_r"]["knee_angle_r"], 0.03)
        self.assertLess(paths["semimem_r"]["knee_angle_r"], -0.02)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
