#!/usr/bin/env python3
"""Prints the tables of a benchmark run as Markdown.

Reads the JSON that bench_dynamics writes: benchmarks named <kernel>/<model>/<engine>, several repetitions of each, and the
engines' versions and agreement in its context, where open/<model> names the model without its constraints. Of the
repetitions the fastest counts: whatever else the machine did only ever adds time. PEERS.json is the output of bench_peers.py.
The files of bench_muscles name the vector unit of our kernels in their context.
"""

import argparse
import json
import platform
import re

OURS = "Sinew"
PEERS = ("MuJoCo", "Simbody", "DART", "Bullet")
CONSTRAINED = (OURS, "MuJoCo", "Simbody")
KERNELS = ("forward dynamics", "inverse dynamics", "mass matrix", "derivatives", "step")
UNITS = {"avx512": "AVX-512", "avx2": "AVX2", "sse2": "SSE2"}


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return re.search(r"model name\s*:\s*(.*)", file.read())[1].strip()
    except (OSError, TypeError):
        return platform.processor() or platform.machine()


def fastest(benchmarks):
    """(kernel, model) → engine → microseconds of CPU time."""
    times = {}
    for run in benchmarks:
        if run.get("run_type") != "iteration" or run.get("error_occurred"):
            continue
        kernel, model, engine = run["run_name"].split("/")  # for runs, the last is an integrator
        scale = {"ns": 1e-3, "us": 1, "ms": 1e3}[run["time_unit"]]
        row = times.setdefault((kernel, model), {})
        row[engine] = min(row.get(engine, float("inf")), run["cpu_time"] * scale)
    return times


def number(x):
    """Three digits, without an exponent."""
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def table(header, rows):
    yield "| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def model_order(model):
    match = re.fullmatch(r"chain (\d+)", model)
    return (0, int(match[1]), "") if match else (1, 0, model)


def pairs(context):
    """Model with constraints → model without."""
    return {key.split("/")[1]: value for key, value in context.items() if key.startswith("open/")}


def engines_of(context):
    """Engine → version and step method."""
    return {key.split("/")[1]: value for key, value in context.items() if key.startswith("engine/")}


def row_order(key):
    return KERNELS.index(key[0]), model_order(key[1])


def ratio_rows(times, peers, left_out):
    rows = [key for key in times if key[0] in KERNELS and key[1] not in left_out]
    for kernel, model in sorted(rows, key=row_order):
        row = times[kernel, model]
        cells = [kernel, model, number(row[OURS]) if OURS in row else "–"]
        for peer in peers:
            if peer not in row:
                cells.append("–")
            elif OURS not in row:
                cells.append(f"({number(row[peer])})")
            else:
                cells.append(f"**{number(row[OURS] / row[peer])}** ({number(row[peer])})")
        yield cells


def constraint_rows(times, open_models, engines):
    rows = [(kernel, model) for kernel, model in times if model in open_models and kernel in KERNELS]
    for kernel, model in sorted(rows, key=row_order):
        row, bare = times[kernel, model], times.get((kernel, open_models[model]), {})
        cells = [kernel, model]
        for engine in engines:
            if engine not in row or engine not in bare:
                cells.append("–")
                continue
            text = f"{number(row[engine])}, {number(bare[engine])}, **{row[engine] / bare[engine] - 1:+.2f}**"
            if engine != OURS and OURS in row:
                text += f" ({number(row[OURS] / row[engine])})"
            cells.append(text)
        yield cells


def agreement_rows(context, peers):
    models = {key.split("/")[1] for key in context if key.startswith("agreement/")}
    for model in sorted(models, key=model_order):
        cells = [model]
        for peer in peers:
            values = context.get(f"agreement/{model}/{peer}", "").split()
            cells.append(", ".join("–" if float(value) < 0 else value for value in values) or "–")
        yield cells


def integrator_rows(times, context):
    runs = next((row for key, row in times.items() if key[0] == "run"), {})
    for name, time in sorted(runs.items(), key=lambda item: item[1]):
        yield [name, number(time), f"{time / runs['semi-implicit-euler']:.2f}", context[f"energy/{name}"]]


def our_instructions(flags):
    """For everything except the kernels of muscles, which are compiled for each vector unit."""
    return "this CPU's" if "-march=native" in flags else "SSE2"


def column(engine, engines, peers):
    """The heading of a peer's ratios: name, version, instruction set."""
    name = f"{engine} {engines[engine].split(';')[0]}" if engine in engines else engine
    return f"{name}, {peers[engine]['instructions']}" if engine in peers else name


def engine_line(engine, engines, peers):
    if engine not in peers:
        return f"- {engine} {engines[engine]}"
    about = peers[engine]
    return f"- {engine} {engines[engine]}; {about['package']}, instruction set {about['instructions']}"


def muscle_times(results):
    """(number of muscles, kind) → microseconds; the benchmarks are named step/<number>/<kind>."""
    return {(int(count), kind): time for (_, count), row in fastest(results["benchmarks"]).items()
            for kind, time in row.items()}


def muscle_rows(runs):
    """For each vector unit, our time and its ratio to MuJoCo's in the same run; last, MuJoCo's time in all runs."""
    keys = {key for times in runs.values() for key in times if key[1].startswith("sinew")}
    for count, kind in sorted(keys):
        cells = [str(count), kind.removeprefix("sinew").strip() or "–"]
        for unit in UNITS:
            times = runs.get(unit, {})
            if (count, kind) not in times:
                cells.append("–")
                continue
            peer = times.get((count, "mujoco"))
            cells.append(number(times[count, kind]) + (f", **{number(times[count, kind] / peer)}**" if peer else ""))
        peers = [number(t) for t in sorted(times[count, "mujoco"] for times in runs.values() if (count, "mujoco") in times)]
        cells.append(" to ".join(dict.fromkeys([peers[0], peers[-1]])) if peers else "–")
        yield cells


def muscle_report(files, mujoco):
    runs = {results["context"]["vector_unit"]: muscle_times(results) for results in files}
    yield "## Muscles around cylinders"
    yield ""
    yield "Ten hinges with muscles, each across one joint; µs of a step of 1 ms, **over MuJoCo's time in the same run**."
    yield "The column says which vector unit our kernels of muscles used; everything else is compiled alike. MuJoCo's muscles"
    yield "have no mass."
    yield ""
    yield from table(["muscles", ""] + [f"Sinew, {name}" for name in UNITS.values()] + [f"{mujoco} µs"], muscle_rows(runs))


def report(results, about):
    context = results["context"]
    engines = engines_of(context)
    peers = [name for name in PEERS if name in engines]
    columns = [column(name, engines, about) for name in peers]
    ours = our_instructions(context["flags"])

    yield f"# Dynamics beside its peers, {context['date'][:10]}"
    yield ""
    yield f"- {cpu_name()}, one core"
    yield f"- {context['compiler']}, {context['flags']}; peers as Debian builds them"
    yield f"- {OURS} {engines[OURS]}; instruction set {ours}, but for kernels of muscles"
    for name in peers:
        yield engine_line(name, engines, about)
    repetitions = max(run.get("repetitions", 1) for run in results["benchmarks"])
    yield f"- CPU time per call, fastest of {repetitions} repetitions, interleaved at random in one process"
    yield ""
    yield "Time of Sinew over time of the peer, below 1 where Sinew is faster; in parentheses the peer's time in µs."
    yield ""
    times = fastest(results["benchmarks"])
    open_models = pairs(context)
    left_out = set(open_models) | set(open_models.values())
    yield from table(["", "model", f"Sinew µs, {ours}"] + columns, ratio_rows(times, peers, left_out))
    yield ""
    yield ("Cost of constraints: µs with them, µs without, **share added**; in parentheses the time of Sinew over that of the "
           "peer, with them.")
    yield ""
    engines_here = [name for name in CONSTRAINED if name in engines]
    yield from table(["", "model", f"Sinew, {ours}"] + [column(name, engines, about) for name in engines_here[1:]],
                     constraint_rows(times, open_models, engines_here))
    yield ""
    yield "Largest difference from Sinew over the largest entry, at random states: accelerations, inverse dynamics, mass"
    yield "matrix. MuJoCo's constraints are soft by design."
    yield ""
    yield from table(["model"] + peers, agreement_rows(context, peers))
    yield ""
    yield "Integrators of Sinew on the scene double-pendulum: cost, and largest energy error over E₀ − E_min in the whole run."
    yield ""
    yield from table(["integrator", "µs per step", "over Euler", "energy error"], integrator_rows(times, context))


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", metavar="RESULTS.json", help="of bench_dynamics")
    parser.add_argument("--peers", metavar="PEERS.json", help="versions and instruction sets, of bench_peers.py")
    parser.add_argument("--muscles", metavar="FILE.json", nargs="*", default=[], help="of bench_muscles, one per vector unit")
    arguments = parser.parse_args()
    results, peers = read(arguments.results), read(arguments.peers) if arguments.peers else {}
    lines = list(report(results, peers))
    if arguments.muscles:
        mujoco = column("MuJoCo", engines_of(results["context"]), peers)
        lines += ["", *muscle_report([read(path) for path in arguments.muscles], mujoco)]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
