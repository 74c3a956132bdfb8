#!/usr/bin/env python3
"""Shows that a study is a function of its file, whatever computes it and however often it is killed.

usage: scripts/sweep_runs.py SINEW [--runs N] [--kills N] [--seed S] [--speed]

Runs N variants of swing-leg with 1, 2 and 4 threads, with 1, 2 and 4 ranks of MPI if `sinew-mpi` is beside SINEW, in
three parts, as single `sinew simulate` runs (every tenth), and killed again and again: one process, two that share a
folder, a rank of MPI, or `mpirun`. All tables must have the same bytes. Ends with 1 if not.

With --speed it only measures, on idle cores, how much sooner two threads and two ranks end N runs than one, the longest
runs 20 times as long as the shortest.
"""

import argparse
import json
import os
import pathlib
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

STUDY = {
    "sinew_study": 1,
    "model": "swing-leg",
    "run": {"until": 0.1},
    "design": {"type": "random", "runs": 1000},
    "parameters": [
        {"type": "model", "name": "share", "path": "muscles.share", "uniform": [0.1, 0.8]},
        {"type": "model", "name": "foot", "path": "bodies.calcaneus.inertia.mass", "normal": [1.25, 0.1]},
    ],
    "results": [
        {"name": "peak", "output": "reactions/ankle_angle_torque", "measure": "peak"},
        {"name": "energy", "output": "energy/kinetic"},
    ],
}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("sinew")
    arguments.add_argument("--runs", type=int, default=1000)
    arguments.add_argument("--kills", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--speed", action="store_true")
    options = arguments.parse_args()
    draw = random.Random(options.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sinew-sweep-"))
    study = folder / "study.json"
    STUDY["design"]["runs"] = options.runs
    study.write_text(json.dumps(STUDY))

    ranked = pathlib.Path(options.sinew).with_name("sinew-mpi")
    ranks = ranked.exists() and shutil.which("mpirun") is not None
    # Containers run as root, on fewer cores than ranks.
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def command(out, *more):
        return [options.sinew, "sweep", str(study), "--out", str(folder / out), *more]

    def ranked_command(out, count):
        return ["mpirun", "--oversubscribe", "-n", str(count), str(ranked), *command(out)[1:]]

    def finish(words):
        begin = time.monotonic()
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)} ended with {done.returncode}: {done.stderr}")
        return time.monotonic() - begin

    def run(out, *more):
        return finish(command(out, *more))

    def table(out):
        return (folder / out / "table.csv").read_bytes()

    if options.speed:
        STUDY["parameters"].append({"type": "duration", "log_uniform": [0.03, 0.6]})
        study.write_text(json.dumps(STUDY))
        one = run("one", "--threads", "1")
        print(f"one thread: {one:.1f} s; two: {one / run('two', '--threads', '2'):.2f} times as fast", flush=True)
        if ranks:
            one = finish(ranked_command("rank", 1))
            print(f"one rank: {one:.1f} s; two: {one / finish(ranked_command('ranks', 2)):.2f} times as fast")
        shutil.rmtree(folder)
        return

    defects = []

    def compare(out, what):
        same = table(out) == expected
        print(f"{what}: {'the same table' if same else 'ANOTHER TABLE'}", flush=True)
        if not same:
            defects.append(what)

    seconds = run("one", "--threads", "1")
    expected = table("one")
    print(f"{options.runs} runs on one thread: {seconds:.1f} s")
    for threads in (2, 4):
        seconds = run(f"threads-{threads}", "--threads", str(threads))
        compare(f"threads-{threads}", f"{threads} threads, {seconds:.1f} s")
    for count in (1, 2, 4) if ranks else ():
        seconds = finish(ranked_command(f"ranks-{count}", count))
        compare(f"ranks-{count}", f"{count} ranks, {seconds:.1f} s")
    for part in (1, 2, 3):
        run("parts", "--part", f"{part}/3")
    compare("parts", "three parts")

    columns = expected.decode().splitlines()[0].split(",")
    for line in expected.decode().splitlines()[1::10]:
        values = dict(zip(columns, line.split(",")))
        described = json.loads(subprocess.run([options.sinew, "sweep", str(study), "--run", values["run"], "--json"],
                                              capture_output=True, check=True).stdout)
        single = subprocess.run([options.sinew, *shlex.split(described["command"])[1:], "--json"],
                                capture_output=True, check=True)
        kinetic = json.loads(single.stdout)["energy"]["kinetic"]
        if kinetic != float(values["energy"]) or described["results"]["energy"] != kinetic:
            defects.append(f"run {values['run']} by itself")
    print("every tenth run by `sinew simulate`: " + ("other numbers" if defects else "the same numbers"), flush=True)

    killed = 0
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    while killed < options.kills:
        if ranks and draw.random() < 0.4:
            job = subprocess.Popen(ranked_command("killed", 2), start_new_session=True, **quiet)
            time.sleep(draw.uniform(0.5, 2.0))
            if draw.random() < 0.5:
                job.kill()
            else:
                of_job = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split()
                for rank in of_job[:1]:
                    os.kill(int(rank), signal.SIGKILL)
            job.wait()
            killed += 1
            continue
        processes = [subprocess.Popen(command("killed", "--threads", str(draw.choice((1, 2)))), **quiet)
                     for _ in range(draw.choice((1, 2)))]
        time.sleep(draw.uniform(0.05, 1.0))
        for process in processes:
            process.send_signal(signal.SIGKILL if draw.random() < 0.8 else signal.SIGTERM)
            process.wait()
            killed += 1
    run("killed")
    compare("killed", f"{killed} processes killed at random")
    begun, ended = {}, {}
    for log in (folder / "killed/log").iterdir():
        for line in log.read_text(errors="replace").splitlines():
            try:
                content = json.loads(line)
            except ValueError:
                continue
            if "run" in content:
                counts = begun if "begun" in content else ended
                counts[content["run"]] = counts.get(content["run"], 0) + 1
    repeated = sum(begun.values()) - len(begun)
    print(f"runs that were begun more than once: {repeated}; with more than one row: "
          f"{sum(ended.values()) - len(ended)}")
    if not ranks:
        print("no sinew-mpi or no mpirun: ranks were not tried")
    shutil.rmtree(folder)
    if defects:
        sys.exit("defects: " + ", ".join(defects))


if __name__ == "__main__":
    main()
