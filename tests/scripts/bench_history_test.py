"""The history of benchmarks keeps one row per commit and processor, and marks what became slower."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("bench_history", SCRIPTS / "bench_history.py")
bench_history = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench_history)


def run(name, time):
    return {"run_name": name, "run_type": "iteration", "cpu_time": time, "time_unit": "us", "repetitions": 2}


def results(commit, time):
    return {"context": {"date": "2030-01-02T03:04:05", "engine/Sinew": f"1 {commit}; step: Euler"},
            "benchmarks": [run("step/chain 10/Sinew", time), run("step/chain 10/MuJoCo", 4.0), run("step/odd/Sinew", 1.0)]}


def row(commit, value, processor="a"):
    return {"date": "d", "commit": commit, "processor": processor, "x": str(value)}


class BenchHistory(unittest.TestCase):
    def add(self, folder, commit, time):
        (folder / "results.json").write_text(json.dumps(results(commit, time)), encoding="utf-8")
        (folder / "runs.json").write_text(json.dumps([{"model": "arm26", "cpu_per_second": 0.01}]), encoding="utf-8")
        subprocess.run([SCRIPTS / "bench_history.py", folder / "history.csv", folder / "results.json",
                        "--runs", folder / "runs.json"], check=True)
        return (folder / "history.csv").read_text(encoding="utf-8").splitlines()

    def test_each_commit_has_a_row_of_ratios(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self.add(folder, "aaa", 2.0)
            self.add(folder, "bbb", 3.0)
            lines = self.add(folder, "bbb", 1.0)
            self.assertEqual(lines[0], 'date,commit,processor,"step, chain 10","run, arm26"')
            self.assertEqual([line.split(",")[1] for line in lines[1:]], ["aaa", "bbb"])
            self.assertTrue(lines[1].endswith(",0.5,0.01") and lines[2].endswith(",0.25,0.01"))
            page = (folder / "history.html").read_text(encoding="utf-8")
            self.assertIn("Nothing is more than 5 % slower.", page)
            self.add(folder, "ccc", 2.0)
            page = (folder / "history.html").read_text(encoding="utf-8")
            self.assertIn("More than 5 % slower than the best before: step, chain 10.", page)
            self.assertEqual(page.count('class="slower"'), 1)

    def test_slower_means_on_the_same_processor(self):
        rows = [row("1", 1.0), row("2", 1.04), row("3", 1.06), row("4", 2.0, "b"), row("5", 0.5), row("6", 0.6)]
        self.assertEqual([slower for _, _, slower in bench_history.points_of(rows, "x")],
                         [False, False, True, False, False, True])


if __name__ == "__main__":
    unittest.main()
