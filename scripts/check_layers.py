#!/usr/bin/env python3
"""Fails, naming file and line, if an #include breaks the layering of the library.

Usage: check_layers.py SRC

SRC/CMakeLists.txt declares each layer as sinew_module(<name> [TARGET <target>] [DEPENDS <layers>]). A file of
SRC/sinew/<name>/ may include that layer and its dependencies, direct or not. Every quoted
include is written from SRC ("sinew/<layer>/<file>"), so that none escapes the check. The front door,
SRC/sinew/sinew.hpp, belongs to no layer: it may include all of them, and no layer may include it.
"""

import re
import sys
from pathlib import Path

MODULE = re.compile(r"^\s*sinew_module\(\s*(\w+)\s*(?:TARGET\s+\w+\s*)?(?:DEPENDS\s+([\w\s]*?))?\s*\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(sinew/[^>]+)>)')
FRONT_DOOR = "sinew.hpp"


class Defect(Exception):
    """The declarations themselves are wrong."""


def declared_layers(cmake_text):
    """Layer → the layers it names after DEPENDS, in the order of declaration."""
    return {name: (depends or "").split() for name, depends in MODULE.findall(cmake_text)}


def closure(depends):
    """Layer → all layers its files may include, itself among them.

    A layer may depend only on layers declared before it: that order rules out cycles.
    """
    allowed = {}
    for layer, direct in depends.items():
        allowed[layer] = {layer}
        for other in direct:
            if other not in allowed:
                raise Defect(f"layer '{layer}' depends on '{other}', which is not declared before it")
            allowed[layer] |= allowed[other]
    return allowed


def violations(src):
    """All broken includes under src, as printable lines."""
    depends = declared_layers((src / "CMakeLists.txt").read_text(encoding="utf-8"))
    if not depends:
        raise Defect(f"{src / 'CMakeLists.txt'} declares no layer")
    allowed = closure(depends)
    allowed[FRONT_DOOR] = set(depends)

    for path in sorted((src / "sinew").rglob("*.[ch]pp")):
        layer = path.relative_to(src / "sinew").parts[0]
        if layer not in allowed:
            yield f"{path}: '{layer}' is not declared as a layer in {src / 'CMakeLists.txt'}"
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match[1] or match[2]
            parts = target.split("/")
            where = f"{path}:{number}: includes {target}, "
            if parts[0] != "sinew" or len(parts) < 3 or ".." in parts:
                yield where + 'but a quoted include is written "sinew/<layer>/<file>"'
            elif parts[1] not in allowed[layer]:
                yield where + f"but '{layer}' may include only {', '.join(sorted(allowed[layer]))}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        broken = list(violations(Path(sys.argv[1])))
    except Defect as defect:
        sys.exit(str(defect))
    if broken:
        sys.exit("\n".join(broken))


if __name__ == "__main__":
    main()
