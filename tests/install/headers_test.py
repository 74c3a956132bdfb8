"""An installation has the headers that sinew/sinew.hpp reaches, no others, and none of them needs a parser.

Usage: headers_test.py INSTALLED SOURCES, both folders with a folder sinew/ of headers
"""

import re
import sys
import unittest
from pathlib import Path

INSTALLED, SOURCES = (Path(folder) for folder in sys.argv[1:3])
PARSERS = ("nlohmann", "pugixml", "CLI", "httplib", "fmt")


def headers(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def includes(path):
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(encoding="utf-8"), re.M)


class InstalledHeaders(unittest.TestCase):
    def test_are_what_the_front_door_reaches(self):
        reached, pending = set(), ["sinew/sinew.hpp"]
        while pending:
            header = pending.pop()
            reached.add(header)
            pending += {name for name in includes(SOURCES / header) if name.startswith("sinew/")} - reached
        self.assertEqual(headers(INSTALLED), reached)

    def test_include_no_parser(self):
        for header in headers(INSTALLED):
            for name in includes(INSTALLED / header):
                self.assertFalse(name.split("/")[0].split(".")[0] in PARSERS, f"{header} includes {name}")

    def test_have_no_internals_among_them(self):
        for header in headers(INSTALLED):
            self.assertNotRegex(header, r"muscles/fast/|kernel|lanes|io/json/|_reader\.hpp$(?<!motion_reader\.hpp)")
        # Else the patterns above would say nothing.
        self.assertTrue((SOURCES / "sinew/muscles/fast/cylinder_lanes_kernel.hpp").exists())
        self.assertTrue((SOURCES / "sinew/io/osim/document.hpp").exists())
        self.assertNotIn("sinew/io/osim/document.hpp", headers(INSTALLED))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
