#!/usr/bin/env bash
# Runs the demonstration and says where its results are. Called by `make demo` after the build.
set -euo pipefail
cd "$(dirname "$0")/.."

out=out/demo
rm -rf "$out"
mkdir -p "$out"
leg=models/leg
folders=()
for speed in 10 13 17 19.1; do
  build/release/bin/sinew compare-inertia "$leg/leg.osim" "$leg/swing_${speed}kmh.mot" --muscles "$leg/muscles.csv" \
    --segment tibia_r:0.8:gasmed_r,gaslat_r,soleus_r,tibant_r --out "$out/${speed}kmh" --report
  folders+=("$out/${speed}kmh")
done
conclusion=$(python3 scripts/moment_plot.py ankle_angle_r_moment "$out/ankle.svg" "${folders[@]}" \
  --title "Moment at the ankle in the swing of a run")

cat <<EOF

A leg swings in runs at four speeds: which moments move it, once with all mass on the bones, as other programs have it,
once with 80 % of the shank's mass in the four muscles that cross the ankle.
$conclusion
The four speeds side by side are in $out/ankle.svg. The numbers behind them are in $out/*/: moments.sto (both moments of
every coordinate over time) and run.json (peaks, differences, what each muscle causes).
Open $out/19.1kmh/report.html in a browser: whether muscle mass mattered and for which joint, with the leg in motion.
EOF
