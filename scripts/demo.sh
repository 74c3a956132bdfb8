#!/usr/bin/env bash
# Runs the demonstration and says where its results are. Called by `make demo` after the build.
set -euo pipefail
cd "$(dirname "$0")/.."

scene=whip
out=out/demo

build/release/bin/sinew simulate "$scene" --out "$out"
echo
echo "Results of scene '$scene' are in $out/:"
ls "$out"
