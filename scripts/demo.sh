#!/usr/bin/env bash
# Runs the demonstration and prints where its results are. Called by `make demo` after the build.
set -euo pipefail
cd "$(dirname "$0")/.."

out=out/demo
rm -rf "$out"
mkdir -p "$out"
leg=models/leg

# Wang et al. 2022 assume that 80 % of the shank's mass moves with the four muscles that cross the ankle. In cadavers
# these weigh 0.53 kg, 0.164 of the shank: 0.205 times as much.
folders=()
for speed in 10 13 17 19.1; do
  build/release/bin/sinew compare-inertia "$leg/leg.osim" "$leg/swing_${speed}kmh.mot" \
    --muscle-mass "$leg/muscles.csv" --segment "tibia_r:0.8:gasmed_r,gaslat_r,soleus_r,tibant_r" --share 1,0.205 \
    --out "$out/${speed}kmh" --report >"$out/${speed}kmh.txt"
  folders+=("$out/${speed}kmh")
done
python3 scripts/moment_plot.py ankle_angle_r_moment "$out/ankle.svg" "${folders[@]}" \
  --case "80 % of the shank's mass in its muscles=muscles" --case "muscle masses as measured, 16 %=muscles_0.205" \
  --title "Moment at the ankle in the swing of a run: how much mass moves with the muscles?"

cat <<EOF

A leg swings forward in runs at four speeds. Which moments at the joints move it? They are computed three times: with
all mass on the bones, as other programs do it; with 80 % of the shank's mass in the four muscles that cross the ankle,
an assumption from the literature that counts nearly all soft tissue as these muscles; and with 16 %, the masses of
these muscles as measured in cadavers.

$(python3 scripts/demo_table.py "${folders[@]}")

The motions are synthetic, made from published features of running; nothing here is compared with a measured moment.
$out/ankle.svg shows the ankle's moments at all speeds. The numbers behind it are in $out/*kmh/: moments.sto (the
moments of every coordinate over time) and run.json (peaks, differences, how much each muscle causes); what the program
printed is in $out/*kmh.txt.
Open $out/19.1kmh/report.html in a browser to see the leg in motion and the moments joint by joint.
EOF
