"""scripts/install_packages.sh on systems that it does not know: a PATH of stand-ins in place of apt and others. And what
the build says where a library is missing."""

import os
import re
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/install_packages.sh"
TOOLS = ["bash", "env", "awk", "sed", "dirname", "cat", "grep"]


class Packages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.bin = Path(self.folder.name) / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.system("debian", "Debian GNU/Linux 12 (bookworm)")

    def system(self, name, pretty):
        (Path(self.folder.name) / "os-release").write_text(f'PRETTY_NAME="{pretty}"\nID={name}\n', encoding="utf-8")

    def stand_in(self, name, body="exit 0"):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def with_apt(self, installed=(), known=None, user=0):
        """An apt that logs what it installs, and knows some packages (all)."""
        log = Path(self.folder.name) / "log"
        names = "|".join(installed) or "none"
        self.stand_in("dpkg-query", f'case "$3" in {names}) printf installed;; *) exit 1;; esac')
        unknown = "" if known is None else f'case "$package" in {"|".join(known)}) ;; *) exit 100;; esac'
        self.stand_in("apt-get", 'echo "$@" >> %s\ncase "$*" in *install*) for package; do case "$package" in -*|*=*|install) '
                      ";; *) %s ;; esac; done;; esac" % (log, unknown or "true"))
        candidate = '*) echo "  Candidate: 1.0";;' if known is None else f'{"|".join(known)}) echo "  Candidate: 1.0";; *) ;;'
        self.stand_in("apt-cache", f'case "$2" in {candidate} esac')
        self.stand_in("id", f"echo {user}")
        return log

    def run_script(self, *sections):
        done = subprocess.run([shutil.which("bash"), str(SCRIPT), *sections], text=True, capture_output=True, check=False,
                              env={"PATH": str(self.bin), "SINEW_OS_RELEASE": str(Path(self.folder.name) / "os-release")})
        return done.returncode, done.stdout, done.stderr

    def test_without_apt_it_names_what_it_does_not_find_and_lets_the_build_decide(self):
        for program in ("c++", "cmake", "ninja", "python3", "node"):
            self.stand_in(program)
        self.stand_in("pkg-config", 'case "$2" in fmt|eigen3) exit 0;; *) exit 1;; esac')
        code, out, err = self.run_script("build")
        self.assertEqual((code, out), (0, ""))
        self.assertEqual(err.count("\n"), 1, err)
        for name in ("nlohmann-json3-dev", "libcli11-dev", "libpugixml-dev", "libcpp-httplib-dev", "libgtest-dev", "npm"):
            self.assertIn(name, err)
        for name in ("libfmt-dev", "libeigen3-dev", "cmake", "nodejs"):
            self.assertNotIn(name, err)

    def test_without_apt_it_is_silent_where_nothing_is_missing(self):
        for program in ("c++", "cmake", "ninja", "python3", "node", "npm", "pkg-config"):
            self.stand_in(program)
        self.assertEqual(self.run_script("build"), (0, "", ""))

    def test_installs_what_is_missing(self):
        log = self.with_apt(installed=("g++", "cmake"))
        self.stand_in("node")
        code, out, err = self.run_script("build")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("Installing ninja-build "), out)
        asked = log.read_text(encoding="utf-8")
        self.assertIn("libcpp-httplib-dev", asked)
        for name in ("g++", " cmake", "nodejs"):
            self.assertNotIn(name, asked)

    def test_names_packages_that_the_system_does_not_have(self):
        self.system("ubuntu", "Ubuntu 20.04 LTS")
        every = [line.split()[1] for line in (ROOT / "packages.txt").read_text(encoding="utf-8").splitlines()
                 if line.startswith("build ")]
        self.with_apt(known=[name for name in every if name not in ("libcli11-dev", "libcpp-httplib-dev")])
        code, _, err = self.run_script("build")
        self.assertEqual(code, 1)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn("Ubuntu 20.04 LTS has no package libcli11-dev libcpp-httplib-dev (", err)

    def test_without_sudo_it_gives_the_command(self):
        self.with_apt(user=1000)
        code, _, err = self.run_script("test")
        self.assertEqual(code, 1)
        self.assertIn("run as root: apt-get install clang-format-14 chromium\n", err)

    def test_leaves_out_what_a_system_has_elsewhere(self):
        self.system("ubuntu", "Ubuntu 24.04 LTS")
        log = self.with_apt()
        self.assertEqual(self.run_script("test")[0], 0)
        self.assertNotIn("chromium", log.read_text(encoding="utf-8"))

    def test_refuses_unknown_sections(self):
        code, _, err = self.run_script("bild")
        self.assertEqual(code, 2)
        self.assertIn("no section 'bild'", err)


class Build(unittest.TestCase):
    def configure(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["cmake", "-S", str(ROOT), "-B", folder, "-G", "Ninja", "-DSINEW_BUILD_TESTS=OFF", *options],
                                  text=True, capture_output=True, check=False, env=os.environ)
        return done.returncode, re.sub(r"\s+", " ", done.stderr)

    def test_names_all_missing_libraries_and_their_packages_at_once(self):
        code, err = self.configure("-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON")
        self.assertNotEqual(code, 0)
        self.assertIn("fmt 9 (libfmt-dev), CLI11 2.1 (libcli11-dev)", err)
        self.assertNotIn("Eigen", err)

    def test_names_the_packages_that_packages_txt_has(self):
        listed = (ROOT / "packages.txt").read_text(encoding="utf-8").split()
        text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8") + (ROOT / "tests/CMakeLists.txt").read_text(encoding="utf-8")
        named = re.findall(r"sinew_require\([^)]*?([a-z0-9-]+)\)", text)
        self.assertGreaterEqual(len(named), 7)
        for package in named:
            self.assertIn(package, listed)


if __name__ == "__main__":
    unittest.main()
