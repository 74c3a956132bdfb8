"""The layer check finds what it is there to find, and nothing else."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKER = Path(__file__).resolve().parents[2] / "scripts" / "check_layers.py"
LAYERS = "sinew_module(core)\nsinew_module(math DEPENDS core)\nsinew_module(io\n  DEPENDS math)\n"


def check(files, layers=LAYERS):
    """Runs the checker on a tree of these files; returns (exit code, message)."""
    with tempfile.TemporaryDirectory() as folder:
        src = Path(folder)
        (src / "CMakeLists.txt").write_text(layers)
        (src / "sinew").mkdir()
        for name, text in files.items():
            path = src / "sinew" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run = subprocess.run([sys.executable, CHECKER, src], capture_output=True, text=True)
        return run.returncode, run.stderr.replace(f"{src}/", "")


class CheckLayers(unittest.TestCase):
    def test_accepts_includes_of_own_and_lower_layers_even_indirect_ones(self):
        code, message = check({
            "io/a.cpp": '#include "sinew/io/b.hpp"\n#include "sinew/core/c.hpp"\n#include <vector>\n',
            "math/deep/d.hpp": '#include "sinew/core/c.hpp"\n',
        })
        self.assertEqual((code, message), (0, ""))

    def test_knows_layers_that_are_part_of_another_library(self):
        layers = LAYERS + "sinew_module(view TARGET apps DEPENDS io)\n"
        self.assertEqual(check({"view/a.cpp": '#include "sinew/io/b.hpp"\n'}, layers), (0, ""))
        code, message = check({"io/a.cpp": '#include "sinew/view/b.hpp"\n'}, layers)
        self.assertEqual(code, 1)
        self.assertIn("'io' may include only core, io, math", message)

    def test_names_file_line_and_allowed_layers_of_an_include_that_points_up(self):
        code, message = check({"math/a.hpp": '#pragma once\n\n#include "sinew/io/b.hpp"\n'})
        self.assertEqual(code, 1)
        self.assertIn("sinew/math/a.hpp:3: includes sinew/io/b.hpp", message)
        self.assertIn("'math' may include only core, math", message)

    def test_lets_the_front_door_include_every_layer_and_no_layer_include_the_front_door(self):
        door = {"sinew.hpp": '#include "sinew/core/c.hpp"\n#include "sinew/io/b.hpp"\n'}
        self.assertEqual(check(door), (0, ""))
        code, message = check(door | {"io/a.cpp": '#include "sinew/sinew.hpp"\n'})
        self.assertEqual(code, 1)
        self.assertIn("sinew/io/a.cpp:1: includes sinew/sinew.hpp", message)

    def test_refuses_a_front_door_to_what_is_no_layer(self):
        code, message = check({"sinew.hpp": '#include "sinew/extras/a.hpp"\n'})
        self.assertEqual(code, 1)
        self.assertIn("sinew/sinew.hpp:1", message)

    def test_reports_every_broken_include(self):
        _, message = check({
            "core/a.cpp": '#include "sinew/math/b.hpp"\n#  include <sinew/io/b.hpp>\n',
            "math/a.cpp": '#include "sinew/io/b.hpp"\n',
        })
        self.assertEqual(len(message.splitlines()), 3)

    def test_lets_no_include_escape_by_a_relative_path(self):
        for target in ("../io/b.hpp", "b.hpp", "sinew/core/../io/b.hpp"):
            code, message = check({"core/a.cpp": f'#include "{target}"\n'})
            self.assertEqual(code, 1, target)
            self.assertIn("sinew/core/a.cpp:1", message)

    def test_refuses_a_folder_that_is_no_declared_layer(self):
        code, message = check({"extras/a.cpp": ""})
        self.assertEqual(code, 1)
        self.assertIn("'extras' is not declared", message)

    def test_refuses_cycles_and_unknown_layers_among_the_declarations(self):
        for layers in ("sinew_module(a DEPENDS b)\nsinew_module(b DEPENDS a)\n",
                       "sinew_module(a DEPENDS nothing)\n"):
            code, message = check({}, layers)
            self.assertEqual(code, 1)
            self.assertIn("not declared before it", message)


if __name__ == "__main__":
    unittest.main()
