"""The files of our models are what their scripts write, and the picture's words follow from its numbers."""

import importlib.util
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Models(unittest.TestCase):
    def expect_same(self, written, committed):
        """Texts alike, numbers to the last digit written: libraries may round the sine otherwise."""
        a, b = written.read_text(), committed.read_text()
        self.assertEqual(NUMBER.sub("#", a), NUMBER.sub("#", b), committed.name)
        for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
            self.assertAlmostEqual(float(x), float(y), delta=2e-6, msg=committed.name)

    def test_swings_are_what_the_script_writes(self):
        script = load(ROOT / "models/leg/make_motion.py")
        with tempfile.TemporaryDirectory() as folder:
            script.FOLDER = Path(folder)
            script.main()
            written = sorted(Path(folder).iterdir())
            self.assertEqual(len(written), 4)
            for file in written:
                self.expect_same(file, ROOT / "models/leg" / file.name)

    def test_knees_are_what_the_script_writes(self):
        script = load(ROOT / "models/knee/make_knee.py")
        with tempfile.TemporaryDirectory() as folder:
            script.SCENES = Path(folder)
            script.POSES = Path(folder) / "measured_poses.csv"
            (script.SCENES / "meshes").mkdir()
            script.main()
            for name in ("knee-spline.json", "knee-revolute.json", "leg-spline-knee.json", "knee-fitted.json",
                         "leg-fitted-knee.json", "meshes/condyles.obj"):
                self.expect_same(script.SCENES / name, ROOT / "scenes" / name)
            self.expect_same(script.POSES, ROOT / "models/knee/measured_poses.csv")

    @unittest.skipUnless("SINEW_PROGRAM" in os.environ, "needs the program, which fits the joints")
    def test_spline_scenes_are_what_the_script_and_the_program_write(self):
        script = load(ROOT / "models/spline_joints/make_scenes.py")
        with tempfile.TemporaryDirectory() as folder:
            script.SCENES = Path(folder)
            script.main(os.environ["SINEW_PROGRAM"])
            written = sorted(Path(folder).iterdir())
            self.assertEqual(len(written), 5)
            for file in written:
                self.expect_same(file, ROOT / "scenes" / file.name)

    def test_soft_scenes_are_what_their_scripts_write(self):
        for path, names in (("starfish/make_starfish.py", ("starfish.json", "meshes/starfish.obj")),
                            ("soft-finger/make_soft_finger.py", ("soft-finger.json", "meshes/soft-finger.obj"))):
            script = load(ROOT / "models" / path)
            with tempfile.TemporaryDirectory() as folder:
                script.SCENES = Path(folder)
                (script.SCENES / "meshes").mkdir()
                script.main()
                for name in names:
                    self.expect_same(script.SCENES / name, ROOT / "scenes" / name)

    def test_a_tibia_on_its_wanted_poses_touches_the_condyles(self):
        script = load(ROOT / "models/knee/make_knee.py")
        for k in range(25):
            angle = -0.1 * k
            _, x, y = script.tibia_pose(angle)
            n, p = script.down(-angle), script.condyle_point(-angle)
            # The plateau is EXTENSION_RADIUS below the tibia's origin, along n.
            height = (x - p[0]) * n[0] + (y - p[1]) * n[1] + script.EXTENSION_RADIUS
            self.assertAlmostEqual(height, 0, places=15)


class MomentPlot(unittest.TestCase):
    def setUp(self):
        self.plot = load(ROOT / "scripts/moment_plot.py")

    def test_marks_both_peaks_of_every_curve_and_says_how_the_lower_one_changes(self):
        class Study:
            name = "run"
            time = [0.0, 0.1, 0.2, 0.3]
            curves = [[0, 2, -4, 0], [0, 3, -5, 0]]

        svg = self.plot.draw([Study()], ["in the muscles"], "title", "N m")
        self.assertEqual(svg.count("<circle"), 4)
        self.assertIn(">+25 %<", svg)

    def test_ticks_are_round_and_cover(self):
        for low, high in ((-9.7, 5.4), (0, 0.45), (-0.003, 0.002), (0, 730)):
            marks = self.plot.ticks(low, high)
            self.assertLessEqual(len(marks), 11)
            self.assertGreaterEqual(len(marks), 4)
            self.assertLessEqual(marks[0], low)
            self.assertGreaterEqual(marks[-1], high)


if __name__ == "__main__":
    unittest.main()
