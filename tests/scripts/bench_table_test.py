"""The benchmark table divides the right times."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench_table.py"


def run(name, time, unit="us"):
    return {"run_name": name, "run_type": "iteration", "cpu_time": time, "time_unit": unit, "repetitions": 2}


RESULTS = {
    "context": {
        "date": "2030-01-02T03:04:05", "compiler": "GNU 12", "flags": "-O3",
        "engine/Sinew": "1", "engine/MuJoCo": "2", "engine/Bullet": "3",
        "energy/rk4": "1.4e-07", "energy/semi-implicit-euler": "1.9e-01",
        "agreement/chain 10/MuJoCo": "1.0e-14 2.0e-15 3.0e-16",
        "agreement/chain 10/Bullet": "4.0e-13 -1.0e+00 -1.0e+00",
    },
    "benchmarks": [
        run("step/chain 10/Sinew", 3.0), run("step/chain 10/MuJoCo", 4.0),
        run("step/chain 10/Sinew", 1.0), run("step/chain 10/MuJoCo", 8.0),
        run("step/chain 2/Sinew", 0.5), run("step/chain 2/MuJoCo", 500, "ns"), run("step/chain 2/Bullet", 2.0),
        run("run/double-pendulum/rk4", 2.0), run("run/double-pendulum/semi-implicit-euler", 0.5),
        {"run_name": "step/chain 10/Sinew", "run_type": "aggregate", "cpu_time": 0.1, "time_unit": "us"},
    ],
}


class BenchTable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(RESULTS, file)
            file.flush()
            cls.lines = subprocess.run([sys.executable, SCRIPT, file.name], capture_output=True, text=True,
                                       check=True).stdout.splitlines()

    def test_takes_the_fastest_repetition_of_each_and_divides_ours_by_theirs(self):
        self.assertIn("| step | chain 10 | 1 | **0.25** (4) | – |", self.lines)

    def test_converts_units_and_marks_what_a_peer_does_not_offer(self):
        self.assertIn("| step | chain 2 | 0.5 | **1** (0.5) | **0.25** (2) |", self.lines)

    def test_orders_chains_by_length(self):
        rows = [line.split("|")[2].strip() for line in self.lines if line.startswith("| step")]
        self.assertEqual(rows, ["chain 2", "chain 10"])

    def test_shows_agreement_where_there_is_something_to_compare(self):
        self.assertIn("| chain 10 | 1.0e-14, 2.0e-15, 3.0e-16 | 4.0e-13, –, – |", self.lines)

    def test_shows_what_integrators_cost_beside_the_cheapest(self):
        self.assertIn("| rk4 | 2 | 4.00 | 1.4e-07 |", self.lines)


if __name__ == "__main__":
    unittest.main()
