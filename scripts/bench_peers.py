#!/usr/bin/env python3
"""Prints which peers a benchmark program is linked with, as JSON: package, version and instruction set of each.

Usage: bench_peers.py PROGRAM

The instruction set is that of the code inside the peer's libraries, as objdump shows it: a ratio between two programs
means little unless one knows which of them may use wide registers. Every x86-64 machine has SSE2, for which Debian
compiles.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

LIBRARIES = {"MuJoCo": r"libmujoco", "Simbody": r"libSimTK", "DART": r"libdart\.", "Bullet": r"libBullet|libLinearMath"}
# AVX has wide registers, and its own encoding, whose mnemonics begin with v, for the narrow ones.
AVX = re.compile(r"%ymm|\tv\w+ .*%xmm")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def linked_libraries(ldd):
    """Peer → paths of its libraries, from the output of ldd."""
    found = {}
    for name, path in re.findall(r"^\s*(\S+) => (/\S+)", ldd, re.M):
        for peer, pattern in LIBRARIES.items():
            if re.match(pattern, name):
                found.setdefault(peer, []).append(path)
    return found


def instruction_set(disassembly):
    """The widest instruction set in the lines of objdump."""
    widest = "SSE2"
    for line in disassembly:
        if "%zmm" in line:
            return "AVX-512"
        if widest == "SSE2" and AVX.search(line):
            widest = "AVX"
    return widest


def instruction_set_of(path):
    with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", path], stdout=subprocess.PIPE, text=True) as objdump:
        widest = instruction_set(objdump.stdout)
        objdump.stdout.close()
    return widest


def package_of(path):
    """Debian's package of a file with its version; the file itself if it belongs to none."""
    try:
        package = output("dpkg-query", "-S", str(Path(path).resolve())).split(": ")[0]
        return output("dpkg-query", "-W", "-f=${Package} ${Version}", package)
    except (OSError, subprocess.CalledProcessError):
        return str(path)


def describe(paths):
    order = ("SSE2", "AVX", "AVX-512")
    return {"package": package_of(paths[0]), "instructions": max(map(instruction_set_of, paths), key=order.index)}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    peers = linked_libraries(output("ldd", sys.argv[1]))
    print(json.dumps({peer: describe(paths) for peer, paths in peers.items()}, indent=2))


if __name__ == "__main__":
    main()
