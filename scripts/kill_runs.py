#!/usr/bin/env python3
"""Kills runs at random moments and checks that nothing is lost.

    scripts/kill_runs.py PROGRAM [--runs 50]

Each run writes into a folder that holds a finished one, and ends by SIGTERM, SIGKILL or a limit on the size of its
files, which acts like a full disk. Afterwards the folder must hold the earlier results untouched, or
those of the new run: tables that the program reads back, and a status that is true.
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

SCENE = ["simulate", "double-pendulum", "--set", "simulation.output_interval=0.001"]


def contents(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()
            if not path.name.endswith(".part")}


def end_one(program, out, kind, dice):
    """Starts a run and ends it; its exit code."""
    def limit():
        if kind == "full disk":
            most = dice.randrange(2000, 400000)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    process = subprocess.Popen([program, *SCENE, "--until", "10000", "--out", str(out)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=limit)
    if kind == "full disk":
        return process.wait(timeout=60)
    time.sleep(0.6 * dice.random() ** 4)  # often before the first row
    process.send_signal(signal.SIGTERM if kind == "SIGTERM" else signal.SIGKILL)
    return process.wait(timeout=60)


def check(program, out, before, kind, code):
    """The defect of the folder; empty if there is none."""
    if contents(out) == before:
        return ""
    record = json.loads((out / "run.json").read_text())
    expected = {"SIGTERM": ("interrupted", 130), "SIGKILL": ("running", -9), "full disk": ("failed", 3)}[kind]
    if (record["status"], code) != expected:
        return f"status {record['status']}, exit code {code}"
    report = subprocess.run([program, "report", str(out)], capture_output=True, text=True)
    return report.stderr.strip() if report.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    wrong = kept = 0
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        for k in range(options.runs):
            subprocess.run([options.program, *SCENE, "--until", "0.5", "--out", str(out)], check=True,
                           stdout=subprocess.DEVNULL)
            before = contents(out)
            kind = dice.choice(["SIGTERM", "SIGKILL", "full disk"])
            code = end_one(options.program, out, kind, dice)
            kept += contents(out) == before
            problem = check(options.program, out, before, kind, code)
            if problem:
                wrong += 1
                print(f"run {k}, {kind}: {problem}", file=sys.stderr)
    print(f"{options.runs} runs ended: {kept} before they had results, {options.runs - kept} with their own results; "
          f"{wrong} harmed anything")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
