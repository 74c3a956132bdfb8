#!/usr/bin/env bash
# Runs the benchmarks and leaves their table under benchmarks/results/. Called by `make bench` after the build. With arguments,
# e.g. --benchmark_filter=four-bar, they go to the benchmark and the table goes to the terminal only.
set -euo pipefail
cd "$(dirname "$0")/.."

json=build/bench/dynamics.json
build/bench/bin/bench_dynamics \
  --benchmark_enable_random_interleaving=true \
  --benchmark_repetitions="${BENCH_REPETITIONS:-10}" \
  --benchmark_min_time=0.05 \
  --benchmark_out="$json" --benchmark_out_format=json "$@" >/dev/null
if [ $# -gt 0 ]; then
  exec scripts/bench_table.py "$json"
fi

cpu="$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)"
slug="$(echo "${cpu:-unknown}" | tr '[:upper:]' '[:lower:]' | sed 's/(r)\|(tm)//g; s/[^a-z0-9]\+/-/g; s/^-\|-$//g')"
mkdir -p benchmarks/results
table="benchmarks/results/$(date +%F)-$slug.md"
{
  scripts/bench_table.py "$json"
  echo
  echo "## Large articulated systems"
  echo
  build/bench/bin/bench_large
  echo
  build/bench/bin/bench_osim "${BENCH_OSIM_TURNS:-50}"
} | tee "$table"
echo
echo "Written to $table"
