"""A tutorial as a reader would follow it: its files and commands, in an empty folder, and what they print.

    tests/scripts/tutorial_test.py PROGRAM [PAGE]

PAGE is `tutorial` or `optimizing`.

A block `json` is a file if the text before it says "Save this as `NAME`", or goes before "simulation" of that file. The
commands of a block `sh` run together. Each line of a block `text` is in their output, in this order; … stands for
anything.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
# For each page the reports that it makes, and the least number of its commands.
PAGES = {"tutorial": (("run/report.html", "both.html"), 9), "optimizing": (("reach/report.html",), 6)}
SKIP = 77


def blocks(text):
    """Language, contents and the paragraph before of every fenced block."""
    parts = re.split(r"^```(\w*)\n(.*?)^```\n", text, flags=re.M | re.S)
    for k in range(1, len(parts), 3):
        yield parts[k], parts[k + 1], parts[k - 1].strip().split("\n\n")[-1]


def write_file(folder, contents, before):
    name = re.search(r"`([\w-]+\.json)`", before)
    assert name, f"which file? {before}"
    path = folder / name[1]
    if before.startswith("Save"):
        path.write_text(contents)
    else:
        head, tail = path.read_text().split('  "simulation"')
        path.write_text(head + contents + '  "simulation"' + tail)


def run(folder, program, commands):
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-e"], input=commands, cwd=folder, env=environment, text=True, capture_output=True,
                          timeout=300)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode} of\n{commands}{done.stdout}{done.stderr}")
    return done.stdout


def compare(expected, output):
    at = 0
    lines = output.splitlines()
    for line in expected.splitlines():
        pattern = re.compile(".*".join(re.escape(part) for part in line.split("…")))
        found = next((k for k in range(at, len(lines)) if pattern.fullmatch(lines[k])), None)
        if found is None:
            sys.exit(f"not printed: {line}\nbut:\n{output}")
        at = found + 1


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    if not (program.parent.parent / "share/sinew/report.html").exists():
        print("the program has no page for reports")
        return SKIP
    page = sys.argv[2] if len(sys.argv) > 2 else "tutorial"
    reports, least = PAGES[page]
    commands = 0
    output = ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for language, contents, before in blocks((DOCS / f"{page}.md").read_text(encoding="utf-8")):
            if language == "json":
                write_file(folder, contents, before)
            elif language == "sh":
                output = run(folder, program, contents)
                commands += contents.count("\n")
            else:
                compare(contents, output)
        for report in reports:
            assert (folder / report).stat().st_size > 100_000, report
    assert commands >= least, f"only {commands} commands"
    print(f"{commands} commands")
    return 0


if __name__ == "__main__":
    sys.exit(main())
