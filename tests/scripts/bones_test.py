"""The bones are what their script writes, closed, light and named in their list.

usage: bones_test.py [--all]: writes every bone anew, not only the small ones.
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "models/bones"
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))

import make_bones  # noqa: E402
import meshing  # noqa: E402
from implicit import Solid, ball, cone  # noqa: E402

MOST_TRIANGLES, MOST_BYTES = 3000, 3_000_000
ALL = "--all" in sys.argv


def read(path):
    rows = [line.split() for line in path.read_text().splitlines()]
    vertices = [tuple(float(x) for x in r[1:]) for r in rows if r[0] == "v"]
    triangles = [tuple(int(x) - 1 for x in r[1:]) for r in rows if r[0] == "f"]
    return vertices, triangles


class Bones(unittest.TestCase):
    def files(self):
        return sorted(FOLDER.glob("*.obj"))

    def test_are_closed_light_and_look_outwards(self):
        for path in self.files():
            vertices, triangles = read(path)
            self.assertEqual(meshing.defect(vertices, triangles), "", path.name)
            self.assertEqual(meshing.inverted(vertices, triangles), [], path.name)
            self.assertLessEqual(len(triangles), MOST_TRIANGLES, path.name)
            used = {v for t in triangles for v in t}
            self.assertEqual(used, set(range(len(vertices))), path.name)
        self.assertLess(sum(p.stat().st_size for p in self.files()), MOST_BYTES)

    def test_are_what_the_script_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            make_bones.FOLDER = Path(folder)
            make_bones.main([] if ALL else ["patella_r", "phalanx_distal"])
            make_bones.FOLDER = FOLDER
            written = sorted(Path(folder).iterdir())
            if ALL:
                self.assertEqual([p.name for p in written], [p.name for p in self.files()])
            for path in written:
                self.assertEqual(path.read_bytes(), (FOLDER / path.name).read_bytes(), path.name)

    def test_are_all_used_and_in_the_list(self):
        listed = set(re.findall(r"`(\w+)\.obj`", (FOLDER / "README.md").read_text()))
        self.assertEqual(listed, {p.stem for p in self.files()})
        texts = [p.read_text() for p in [*ROOT.glob("scenes/*.json"), ROOT / "models/leg/leg.osim"]]
        used = {name for text in texts for name in re.findall(r"bones/(\w+)\.obj", text)}
        self.assertEqual(used, {p.stem for p in self.files()})

    def test_landmarks_are_where_the_models_have_their_joints(self):
        def span(name, axis):
            values = [v[axis] for v in read(FOLDER / f"{name}.obj")[0]]
            return min(values), max(values)

        def middle(name, low, high):
            """Middle of the vertices between two heights."""
            ring = [v for v in read(FOLDER / f"{name}.obj")[0] if low < v[1] < high]
            return [(min(v[a] for v in ring) + max(v[a] for v in ring)) / 2 for a in (0, 2)]

        # Heads about the origin; condyles 32 mm below the knee, plateau on them.
        self.assertAlmostEqual(span("femur_r", 1)[1], 0.0235, delta=0.001)
        self.assertAlmostEqual(span("femur_r", 1)[0], -0.4222 - 0.032, delta=0.001)
        self.assertAlmostEqual(span("humerus_r", 1)[1], 0.023, delta=0.001)
        self.assertAlmostEqual(span("tibia_r", 1)[0], -0.434, delta=0.005)
        for x in middle("humerus_r", -0.30, -0.285):
            self.assertAlmostEqual(x, 0, delta=0.006)
        for name, length in (("proximal", 0.045), ("middle", 0.026), ("distal", 0.020)):
            low, high = span(f"phalanx_{name}", 1)
            self.assertLess(high, -0.002, name)
            self.assertAlmostEqual(low, -length, delta=0.006, msg=name)
        # Right and left are mirrored.
        (low, high), (left_low, left_high) = span("hip_r", 2), span("hip_l", 2)
        self.assertEqual((low, high), (-left_high, -left_low))


class Meshing(unittest.TestCase):
    def test_a_ball_keeps_its_volume_with_few_triangles(self):
        solid = Solid((ball((1, 2, 3), 10), 1))
        vertices, triangles = meshing.mesh(solid, ((-20, -20, -20), (20, 20, 20)), 1.5, 400)
        self.assertEqual(meshing.defect(vertices, triangles), "")
        self.assertLessEqual(len(triangles), 400)
        self.assertAlmostEqual(meshing.volume(vertices, triangles) / 6, 4188.8, delta=0.04 * 4188.8)
        for x, y, z in vertices:
            self.assertAlmostEqual(solid(x, y, z), 0, delta=0.01)

    def test_a_hole_stays_open(self):
        bead = Solid((ball((0, 0, 0), 10), 1), (cone((0, 0, -20), (0, 0, 20), 4, 4), -1))
        vertices, triangles = meshing.mesh(bead, ((-20, -20, -20), (20, 20, 20)), 1.5, 500)
        self.assertEqual(meshing.defect(vertices, triangles), "")
        edges = 3 * len(triangles) // 2
        self.assertEqual(len(vertices) - edges + len(triangles), 0)  # Euler's number of a torus

    def test_says_what_is_wrong(self):
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
        self.assertEqual(meshing.defect(corners, faces), "")
        self.assertIn("one triangle", meshing.defect(corners, faces[:3]))
        self.assertIn("inwards", meshing.defect(corners, [t[::-1] for t in faces]))
        self.assertIn("same direction", meshing.defect(corners, [faces[0][::-1], *faces[1:]]))


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])
