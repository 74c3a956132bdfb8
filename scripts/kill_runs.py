#!/usr/bin/env python3
"""Kills runs at random moments and checks that nothing is lost.

    scripts/kill_runs.py PROGRAM [--runs 50] [COMMAND...]

Each run writes over earlier results, and ends by SIGTERM, SIGKILL or a limit on the size of its files, which acts like
a full disk. Afterwards the earlier results must be untouched, or those of the new run be there: of commands that write
a folder (simulate, muscles, optimize, id, compare-inertia) tables that the program reads back, and a status that is
true; of those that write a file (ik, fit-joint, export) the whole file. SIGTERM must leave no part of a file, and the
exit code 130 of whatever it interrupts.
"""

import argparse
import hashlib
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEG = [str(ROOT / "models/leg/leg.osim"), str(ROOT / "models/leg/swing_19.1kmh.mot")]


class Job:
    """A command: words of the earlier run, of the one that is killed, and of the one that reads its folder.

    Results go to `out`: a file with an ending, or a folder without."""

    def __init__(self, name, earlier, killed, reader=None, seconds=0.6, most_bytes=400000, ending="", out="--out"):
        self.name, self.earlier, self.killed, self.reader = name, earlier, killed, reader
        self.seconds, self.most_bytes, self.ending, self.out = seconds, most_bytes, ending, out

    def words(self, words, out):
        return [*words, *([self.out] if self.out else []), str(out)]


def jobs(folder):
    scene = ["simulate", "double-pendulum", "--set", "simulation.output_interval=0.001"]
    search = ["optimize", "reference-100", "--evaluations"]
    bodies = str(folder / "bodies" / "bodies.sto")
    return [
        Job("simulate", [*scene, "--until", "0.5"], [*scene, "--until", "10000"], ["report", "OUT"]),
        Job("muscles", ["muscles", *LEG, "--activation", "0.1"], ["muscles", *LEG, "--activation", "0.5"],
            ["report", "OUT"], seconds=0.4, most_bytes=60000),
        Job("optimize", [*search, "2"], [*search, "100000", "--optimizer", "cma-es"],
            [*search, "1", "--resume", "--out", "OUT"], most_bytes=20000),
        Job("ik", ["ik", "knee-spline", bodies, "--length", "0.2"], ["ik", "knee-spline", bodies], seconds=0.3,
            most_bytes=20000, ending=".mot"),
        Job("id", ["id", *LEG, "--cutoff", "6"], ["id", *LEG], ["report", "OUT"], seconds=0.3,
            most_bytes=200000),
        Job("compare-inertia", ["compare-inertia", *LEG, "--share", "0.5"], ["compare-inertia", *LEG],
            ["report", "OUT"], seconds=0.5, most_bytes=200000),
        Job("export", ["export", str(folder / "bodies"), "--rate", "20"], ["export", str(folder / "bodies")],
            seconds=0.3, most_bytes=60000, ending=".glb", out=""),
        Job("fit-joint", ["fit-joint", "knee-spline", "--joint", "knee", "--type", "hinge"],
            ["fit-joint", "knee-spline", "--joint", "knee", "--type", "curve"], seconds=0.3, most_bytes=4000,
            ending=".json"),
    ]


def contents(out):
    files = [out] if out.is_file() else [path for path in out.rglob("*") if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.suffix != ".part"}


def end_one(program, job, out, kind, dice):
    """Starts a run and ends it; its exit code."""
    def limit():
        if kind == "full disk":
            most = dice.randrange(500, job.most_bytes)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    process = subprocess.Popen([program, *job.words(job.killed, out)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=limit)
    if kind == "full disk":
        return process.wait(timeout=60)
    time.sleep(job.seconds * dice.random() ** 4)  # often before the first row
    process.send_signal(signal.SIGTERM if kind == "SIGTERM" else signal.SIGKILL)
    return process.wait(timeout=60)


def defect_of_file(out, code):
    """Of a new file that replaced the earlier one."""
    if code in (1, 2):
        return f"replaced, though the exit code is {code}"
    if out.suffix == ".glb":
        return "" if int.from_bytes(out.read_bytes()[8:12], "little") == out.stat().st_size else "is not whole"
    text = out.read_text()
    if out.suffix == ".json":
        json.loads(text)
        return ""
    rows = int(text.split("nRows=")[1].split()[0])
    return "" if len(text.split("endheader\n")[1].splitlines()) == rows + 1 else "has other rows than it says"


def defect_of_folder(program, job, out, kind, code):
    record = json.loads((out / "run.json").read_text())
    expected = {"SIGTERM": ("interrupted", 130), "SIGKILL": ("running", -9), "full disk": ("failed", 3)}[kind]
    # Before it could be killed, or while the results were written: 130.
    finished = record.get("status") in (None, "finished", "done") and code in (0, 4, 130)
    if (record.get("status"), code) != expected and not finished:
        return f"status {record.get('status')}, exit code {code}"
    reader = subprocess.run([program, *(str(out) if word == "OUT" else word for word in job.reader)],
                            capture_output=True, text=True)
    return "" if reader.returncode in (0, 4) else reader.stderr.strip()


def try_job(program, job, folder, runs, dice):
    """Prints what happened; how many runs harmed anything."""
    is_file = bool(job.ending)
    out = folder / (job.name + job.ending)
    wrong = kept = 0
    for k in range(runs):
        subprocess.run([program, *job.words(job.earlier, out)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        before = contents(out)
        kind = dice.choice(["SIGTERM", "SIGKILL", "full disk"])
        code = end_one(program, job, out, kind, dice)
        parts = [path.name for path in folder.rglob("*.part") if out in path.parents or path.name == out.name + ".part"]
        if kind == "SIGTERM" and parts:
            wrong += 1
            print(f"{job.name}, run {k}, {kind}: leaves {parts}", file=sys.stderr)
        if contents(out) == before:
            kept += 1
            continue
        defect = defect_of_file(out, code) if is_file else defect_of_folder(program, job, out, kind, code)
        if defect:
            wrong += 1
            print(f"{job.name}, run {k}, {kind}: {defect}", file=sys.stderr)
    print(f"{job.name}: {runs} runs ended: {kept} before they had results, {runs - kept} with their own results; "
          f"{wrong} harmed anything")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("commands", nargs="*",
                        help="simulate, muscles, optimize, ik, id, compare-inertia, export, fit-joint (default: all)")
    parser.add_argument("--runs", type=int, default=50, help="of each command")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([options.program, "simulate", "knee-spline", "--until", "0.1", "--out", str(folder / "bodies")],
                       check=True, stdout=subprocess.DEVNULL)
        chosen = [job for job in jobs(folder) if not options.commands or job.name in options.commands]
        wrong = sum(try_job(options.program, job, folder, options.runs, dice) for job in chosen)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
