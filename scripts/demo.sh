#!/usr/bin/env bash
# Runs the demonstration and says where its results are. Called by `make demo` after the build.
set -euo pipefail
cd "$(dirname "$0")/.."

out=out/demo
mkdir -p "$out"
sinew=build/release/bin/sinew
scene=(wrap-pendulum --until 3)
$sinew simulate "${scene[@]}" --out "$out/moving"
$sinew simulate "${scene[@]}" --set muscles.mass_model=lumped --set 'muscles.lump_to=["upper", "lower"]' --out "$out/lumped"
python3 scripts/picture.py "$out/moving" "$out/picture.svg" --beside "$out/lumped"

cat <<EOF

Look at $out/picture.svg in a browser: an arm of two bones swings with a muscle around its elbow, once with the
muscle's mass moving along its path, once with that mass fixed to the bones as other programs have it.
The numbers behind it are in $out/moving/ and $out/lumped/: states.sto (coordinates and speeds), muscles.sto (lengths
and wrapped angles), energy.sto, and run.json (version, options, audit).
EOF
