#!/usr/bin/env python3
"""Keeps the benchmarks of commits in a small table, and draws it.

Adds a row to HISTORY.csv: date, commit, processor, and for each benchmark the time of Sinew over MuJoCo's time in the same
run, which a slower machine changes little; bench_dynamics and bench_muscles, and the CPU seconds per simulated second of
whole runs. A second run of a commit on the same processor replaces its row. Then writes HISTORY.html: one curve per
benchmark, and a mark where a value is more than 5 % above the best before it on the same processor. Exits with 0 also then:
machines are noisy, and the page is there to be looked at.
"""

import argparse
import csv
import html
import importlib.util
import sys
from pathlib import Path

sys.dont_write_bytecode = True
FIXED = ("date", "commit", "processor")
SLOWER = 1.05
WIDTH, HEIGHT, EDGE = 300, 84, 12


def load_bench_table():
    spec = importlib.util.spec_from_file_location("bench_table", Path(__file__).with_name("bench_table.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measured(table, dynamics, muscles, runs):
    """Benchmark → value; smaller is better."""
    out = {}
    for (kernel, model), row in table.fastest(dynamics["benchmarks"]).items():
        if table.OURS in row and "MuJoCo" in row:
            out[f"{kernel}, {model}"] = row[table.OURS] / row["MuJoCo"]
    for results in muscles[:1]:  # the widest vector unit
        times = table.muscle_times(results)
        for (count, kind), time in times.items():
            if kind.startswith("sinew") and (count, "mujoco") in times:
                name = kind.removeprefix("sinew").strip() or "massless"
                out[f"step, {count} muscles, {name}"] = time / times[count, "mujoco"]
    for run in runs:
        out[f"run, {run['model']}"] = run["cpu_per_second"]
    return out


def read_history(path):
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def add_row(rows, fixed, values):
    kept = [row for row in rows if (row["commit"], row["processor"]) != (fixed["commit"], fixed["processor"])]
    return kept + [{**fixed, **{name: f"{value:.4g}" for name, value in values.items()}}]


def benchmarks_of(rows):
    return list(dict.fromkeys(name for row in rows for name in row if name not in FIXED))


def write_history(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*FIXED, *benchmarks_of(rows)], restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def points_of(rows, name):
    """(index, value, slower than the best before it on the same processor)."""
    best, out = {}, []
    for k, row in enumerate(rows):
        if not row.get(name):
            continue
        value, before = float(row[name]), best.get(row["processor"])
        out.append((k, value, before is not None and value > SLOWER * before))
        best[row["processor"]] = value if before is None else min(before, value)
    return out


def curve(rows, name):
    points = points_of(rows, name)
    top = max(value for _, value, _ in points)
    last = max(1, len(rows) - 1)

    def place(k, value):
        return EDGE + k / last * (WIDTH - 2 * EDGE), HEIGHT - EDGE - value / top * (HEIGHT - 2 * EDGE)

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(k, value) for k, value, _ in points))
    dots = []
    for k, value, slower in points:
        x, y = place(k, value)
        label = html.escape(f"{rows[k]['date']} {rows[k]['commit']}: {value:.4g}" + (", slower" if slower else ""))
        dots.append(f'<circle class="{"slower" if slower else "dot"}" cx="{x:.1f}" cy="{y:.1f}" '
                    f'r="{4 if slower else 2.5}"><title>{label}</title></circle>')
    slower = points[-1][2]
    return (f'<figure{" class=late" if slower else ""}><figcaption>{html.escape(name)}: <b>{points[-1][1]:.3g}</b></figcaption>'
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}"><polyline points="{line}"/>{"".join(dots)}</svg></figure>')


STYLE = """:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem}
main{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1rem}figure{margin:0;padding:.5rem;
border:1px solid #8885;border-radius:6px}figure.late{border-color:#d33}figcaption{font-size:.85rem}svg{width:100%}
polyline{fill:none;stroke:#3b7dd8;stroke-width:1.5}.dot{fill:#3b7dd8}.slower{fill:#d33}"""


def page(rows):
    late = [name for name in benchmarks_of(rows) if (points := points_of(rows, name)) and points[-1][2]]
    said = ("More than 5 % slower than the best before: " + ", ".join(late) + ".") if late else "Nothing is more than 5 % slower."
    curves = "".join(curve(rows, name) for name in benchmarks_of(rows) if points_of(rows, name))
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Benchmarks over time</title><style>{STYLE}</style>'
            f"<h1>Benchmarks over time</h1><p>Time of Sinew over that of MuJoCo 2.2.2 (Debian's build: SSE2, no AVX) in the "
            f"same run. Sinew has SSE2, too, its muscles the widest vector unit there is. For runs of models, CPU seconds per "
            f"simulated second. Smaller is better. A red dot is more than 5 % above the best before it on the same processor.</p>"
            f"<p>Last: {html.escape(rows[-1]['date'])}, {html.escape(rows[-1]['commit'])}. {html.escape(said)}</p>"
            f"<main>{curves}</main></html>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("history", metavar="HISTORY.csv", type=Path)
    parser.add_argument("results", metavar="RESULTS.json", help="of bench_dynamics")
    parser.add_argument("--muscles", metavar="FILE.json", nargs="*", default=[], help="of bench_muscles, widest unit first")
    parser.add_argument("--runs", metavar="RUNS.json", help="of bench_runs.py")
    arguments = parser.parse_args()
    table = load_bench_table()
    dynamics = table.read(arguments.results)
    values = measured(table, dynamics, [table.read(path) for path in arguments.muscles],
                      table.read(arguments.runs) if arguments.runs else [])
    version = table.engines_of(dynamics["context"])[table.OURS].split(";")[0]
    fixed = {"date": dynamics["context"]["date"][:10], "commit": version.split()[-1], "processor": table.cpu_name()}
    rows = add_row(read_history(arguments.history), fixed, values)
    write_history(arguments.history, rows)
    arguments.history.with_suffix(".html").write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
