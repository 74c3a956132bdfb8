"""The benchmark tables divide the right times, and say of what version and instruction set they are."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.dont_write_bytecode = True


def run(name, time, unit="us"):
    return {"run_name": name, "run_type": "iteration", "cpu_time": time, "time_unit": unit, "repetitions": 2}


RESULTS = {
    "context": {
        "date": "2030-01-02T03:04:05", "compiler": "GNU 12", "flags": "-O3",
        "engine/Sinew": "1; step: Euler", "engine/MuJoCo": "2; step: mj_step", "engine/Bullet": "3",
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

PEERS = {"MuJoCo": {"package": "libmujoco2 2-3", "instructions": "SSE2"}}


def muscles(unit, ours, theirs):
    return {"context": {"vector_unit": unit},
            "benchmarks": [run("step/0/sinew", 1.0), run("step/20/sinew massless", ours),
                           run("step/20/sinew with mass", 2 * ours), run("step/20/mujoco", theirs)]}


def print_table(**files):
    """Lines of the script's output; each value is a list of contents that follow the option."""
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for option, contents in files.items():
            words += [f"--{option}"] if option != "results" else []
            for k, content in enumerate(contents):
                path = Path(folder) / f"{option}{k}.json"
                path.write_text(json.dumps(content), encoding="utf-8")
                words.append(path)
        return subprocess.run([sys.executable, SCRIPTS / "bench_table.py", *words], capture_output=True, text=True,
                              check=True).stdout.splitlines()


class BenchTable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = print_table(results=[RESULTS])

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


class Instructions(unittest.TestCase):
    def test_stand_with_the_version_above_every_ratio(self):
        lines = print_table(results=[RESULTS], peers=[PEERS])
        self.assertIn("|  | model | Sinew µs, SSE2 | MuJoCo 2, SSE2 | Bullet 3 |", lines)
        self.assertIn("- MuJoCo 2; step: mj_step; libmujoco2 2-3, instruction set SSE2", lines)

    def test_of_ours_are_not_called_sse2_where_the_compiler_was_told_otherwise(self):
        native = {**RESULTS, "context": {**RESULTS["context"], "flags": "-O3 -march=native"}}
        self.assertIn("|  | model | Sinew µs, this CPU's | MuJoCo 2 | Bullet 3 |", print_table(results=[native]))

    def test_of_muscles_have_a_column_each_and_divide_by_the_same_run(self):
        lines = print_table(results=[RESULTS], peers=[PEERS], muscles=[muscles("sse2", 8, 10), muscles("avx2", 3, 12)])
        self.assertIn("| muscles |  | Sinew, AVX-512 | Sinew, AVX2 | Sinew, SSE2 | MuJoCo 2, SSE2 µs |", lines)
        self.assertIn("| 20 | massless | – | 3, **0.25** | 8, **0.8** | 10 to 12 |", lines)
        self.assertIn("| 20 | with mass | – | 6, **0.5** | 16, **1.6** | 10 to 12 |", lines)
        self.assertIn("| 0 | – | – | 1 | 1 | – |", lines)


class BenchPeers(unittest.TestCase):
    def setUp(self):
        spec = importlib.util.spec_from_file_location("bench_peers", SCRIPTS / "bench_peers.py")
        self.peers = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.peers)

    def test_finds_the_libraries_of_each_peer(self):
        ldd = ("\tlinux-vdso.so.1 (0x1)\n\tlibmujoco.so.2 => /lib/libmujoco.so.2 (0x2)\n"
               "\tlibSimTKmath.so.3 => /lib/libSimTKmath.so.3 (0x3)\n\tlibSimTKcommon.so.3 => /lib/libSimTKcommon.so.3 (0x4)\n"
               "\tlibdart-utils.so => /lib/libdart-utils.so (0x5)\n\tlibm.so.6 => /lib/libm.so.6 (0x6)\n")
        self.assertEqual(self.peers.linked_libraries(ldd), {
            "MuJoCo": ["/lib/libmujoco.so.2"], "Simbody": ["/lib/libSimTKmath.so.3", "/lib/libSimTKcommon.so.3"]})

    def test_knows_the_instruction_set_by_registers_and_encoding(self):
        plain = ["  10:\tmulsd  %xmm1,%xmm0\n", "  14:\tverr   %ax\n", "  18:\tcall   1f <vmulpd_of_xmm>\n"]
        self.assertEqual(self.peers.instruction_set(plain), "SSE2")
        self.assertEqual(self.peers.instruction_set(plain + ["  20:\tvmulsd %xmm1,%xmm0,%xmm0\n"]), "AVX")
        self.assertEqual(self.peers.instruction_set(plain + ["  20:\tvmulpd %ymm1,%ymm0,%ymm0\n"]), "AVX")
        self.assertEqual(self.peers.instruction_set(["  20:\tvmulpd %zmm1,%zmm0,%zmm0\n"]), "AVX-512")


if __name__ == "__main__":
    unittest.main()
