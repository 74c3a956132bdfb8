#!/usr/bin/env bash
# Runs the benchmarks and leaves their table under benchmarks/results/. Called by `make bench` after the build. With arguments,
# e.g. --benchmark_filter=four-bar, they go to the benchmark and the table goes to the terminal only.
set -euo pipefail
cd "$(dirname "$0")/.."

bin=build/bench/bin
out=build/bench
models="${SINEW_REFERENCE_DIR:-../shared/reference}/opensim/models"

# measure PROGRAM FILE.json [ARGUMENT...]
measure() {
  local program="$1" json="$2"
  shift 2
  "$bin/$program" \
    --benchmark_enable_random_interleaving=true \
    --benchmark_repetitions="${BENCH_REPETITIONS:-10}" \
    --benchmark_min_time=0.05 \
    --benchmark_out="$json" --benchmark_out_format=json "$@" >/dev/null
}

scripts/bench_peers.py "$bin/bench_dynamics" >"$out/peers.json"
measure bench_dynamics "$out/dynamics.json" "$@"
if [ $# -gt 0 ]; then
  exec scripts/bench_table.py "$out/dynamics.json" --peers "$out/peers.json"
fi

# The kernels of muscles exist for several vector units; SINEW_VECTOR_UNIT chooses one of those that the CPU has.
units=()
for unit in avx512f:avx512 avx2:avx2 sse2:sse2; do
  if grep -qw "${unit%:*}" /proc/cpuinfo; then units+=("${unit#*:}"); fi
done
if ! grep -q SINEW_VECTOR_UNIT "$bin/bench_muscles"; then
  echo "bench: this build has no SINEW_VECTOR_UNIT: only the widest unit, ${units[0]}, is measured" >&2
  units=("${units[0]}")
fi
muscles=()
for unit in "${units[@]}"; do
  SINEW_VECTOR_UNIT="$unit" measure bench_muscles "$out/muscles-$unit.json" \
    --benchmark_filter=^step/ --benchmark_context=vector_unit="$unit"
  muscles+=("$out/muscles-$unit.json")
done

cpu="$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)"
slug="$(echo "${cpu:-unknown}" | tr '[:upper:]' '[:lower:]' | sed 's/(r)\|(tm)//g; s/[^a-z0-9]\+/-/g; s/^-\|-$//g')"
mkdir -p benchmarks/results
table="benchmarks/results/$(date +%F)-$slug.md"
{
  scripts/bench_table.py "$out/dynamics.json" --peers "$out/peers.json" --muscles "${muscles[@]}"
  echo
  echo "## Large articulated systems"
  echo
  "$bin/bench_large"
  echo
  echo "## Spline joints"
  echo
  "$bin/bench_spline_joints"
  echo
  echo "## Gradients of runs"
  echo
  "$bin/bench_gradients"
  echo
  echo "## Studies"
  echo
  "$bin/bench_sweep"
  echo
  echo "## Strands"
  echo
  "$bin/bench_strands"
  echo
  echo "## OpenSim models"
  for unit in "${units[@]}"; do
    echo
    echo "Kernels of muscles: $unit. Simbody is compiled as above; OpenSim 4.5.2 was measured on another machine."
    echo
    SINEW_VECTOR_UNIT="$unit" "$bin/bench_osim" "${BENCH_OSIM_TURNS:-50}"
  done
  if [ -e "$models/arm26.osim" ]; then
    echo
    echo "## Whole runs"
    echo
    scripts/bench_runs.py "$bin/sinew" --json "$out/all_runs.json" --svg "${table%.md}-runs.svg"
    echo
    echo "![Error against cost]($(basename "${table%.md}")-runs.svg)"
  fi
} | tee "$table"

# What the history keeps of the runs: one method, one accuracy.
runs=()
if [ -e "$models/arm26.osim" ]; then
  scripts/bench_runs.py "$bin/sinew" --integrator sdirk4 --accuracy 1e-3 --json "$out/runs.json" >/dev/null
  runs=(--runs "$out/runs.json")
fi
scripts/bench_history.py benchmarks/history.csv "$out/dynamics.json" --muscles "${muscles[@]}" "${runs[@]}"
echo
echo "Written to $table; benchmarks/history.html shows how the times change from commit to commit"
