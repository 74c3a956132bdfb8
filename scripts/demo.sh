#!/usr/bin/env bash
# Runs the demonstration and prints where its results are. Called by `make demo` after the build.
set -euo pipefail
cd "$(dirname "$0")/.."

out=out/demo
rm -rf "$out"
mkdir -p "$out/measured"
leg=models/leg

# study SPEED SHARE FOLDER [OPTION...]: SHARE of the shank's mass is in the four muscles that cross the ankle.
study() {
  local speed="$1" share="$2" folder="$3"
  shift 3
  build/release/bin/sinew compare-inertia "$leg/leg.osim" "$leg/swing_${speed}kmh.mot" --muscle-mass "$leg/muscles.csv" \
    --segment "tibia_r:$share:gasmed_r,gaslat_r,soleus_r,tibant_r" --out "$folder" "$@"
}

# plot NAME TITLE FOLDER...: draws the ankle's moments and prints for which joints muscle mass matters.
plot() {
  local name="$1" title="$2"
  shift 2
  python3 scripts/moment_plot.py ankle_angle_r_moment "$out/$name.svg" "$@" \
    --title "Moment at the ankle in the swing of a run, $title"
}

# Wang et al. 2022 assume 0.8: nearly all soft tissue of the shank moves as these muscles do. 0.164 is 0.53 kg of 3.25
# kg: the masses in muscles.csv, as measured in cadavers.
assumed=() measured=()
for speed in 10 13 17 19.1; do
  study "$speed" 0.8 "$out/${speed}kmh" --report
  study "$speed" 0.164 "$out/measured/${speed}kmh" >/dev/null
  assumed+=("$out/${speed}kmh")
  measured+=("$out/measured/${speed}kmh")
done
with_assumed=$(plot ankle "80 % of the shank's mass in its muscles" "${assumed[@]}")
with_measured=$(plot ankle-measured "muscle masses as measured" "${measured[@]}")

cat <<EOF

A leg swings forward in runs at four speeds. Which moments at the joints move it? They are computed twice: with all mass
on the bones, as other programs do it, and with part of the shank's mass in the four muscles that cross the ankle. The
answer depends on how much mass that is:

With 80 % of the shank's mass, an assumption from the literature that counts nearly all soft tissue as these muscles:
  $with_assumed
With 16 % of it, the masses of the four muscles as measured in cadavers:
  $with_measured

The motions are synthetic, made from published features of running; nothing here is compared with a measured moment.
$out/ankle.svg and $out/ankle-measured.svg show the ankle's moments at all speeds. The numbers behind them are in
$out/*kmh/ and $out/measured/*kmh/: moments.sto (both moments of every coordinate over time) and run.json (peaks,
differences, how much each muscle causes).
Open $out/19.1kmh/report.html in a browser to see the leg in motion and the 80 % case joint by joint.
EOF
