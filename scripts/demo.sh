#!/usr/bin/env bash
# Runs the demonstration and says where its results are. Called by `make demo` after the build.
set -euo pipefail
cd "$(dirname "$0")/.."

out=out/demo
mkdir -p "$out"
build/release/bin/sinew simulate whip --out "$out/run"
python3 scripts/picture.py "$out/run" "$out/picture.svg"

cat <<EOF

Look at $out/picture.svg in a browser: the whip at 26 moments of its second, and where its energy went.
The numbers behind it are in $out/run/: states.sto (coordinates and speeds), bodies.sto (positions),
energy.sto, and run.json (version, options, audit).
EOF
