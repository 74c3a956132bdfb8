#!/usr/bin/env python3
"""Writes swing_<speed>kmh.mot: the right leg from toe-off to touch-down in runs at four speeds, and a little before and
after, so that splines know the accelerations at both. The motions are synthetic; README.md says which published
features they have. Standard library only; the same bytes every time.

    python3 models/leg/make_motion.py
"""

import cmath
import math
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent
STEP = 0.005  # between rows [s]
MARGIN = 6  # rows before toe-off, which is at t = 0, and after touch-down
HARMONICS = 7  # of the stride that are kept: 9.6 to 11 Hz, where measured motions are cut off

# By speed [km/h]: ground contact [s], peaks of knee and hip flexion in swing, hip at toe-off [deg], rise and fall of
# the pelvis [m].
SPEEDS = {
    "10": (10.0, 0.270, 88, 30, -10, 0.090),
    "13": (13.0, 0.235, 97, 36, -12, 0.085),
    "17": (17.0, 0.195, 108, 44, -14, 0.075),
    "19.1": (19.1, 0.180, 113, 48, -15, 0.070),
}

COLUMNS = (
    "time pelvis_tilt pelvis_list pelvis_rotation pelvis_tx pelvis_ty pelvis_tz hip_flexion_r hip_adduction_r "
    "hip_rotation_r knee_angle_r ankle_angle_r"
).split()


def stride_frequency(speed):
    """[1/s], speed in m/s."""
    return 1.41 + 0.084 * (speed - 3)


def keys(stance, knee_peak, hip_peak, hip_off):
    """Angles [deg] at fractions of the stride, touch-down at 0, toe-off at `stance`. Flexion, dorsiflexion positive."""
    swing = 1 - stance
    at = lambda s: stance + s * swing
    hip = [(0, hip_peak - 6), (0.5 * stance, 0.5 * (hip_peak - 6 + hip_off)), (stance, hip_off),
           (at(0.2), 0.1 * hip_peak), (at(0.75), hip_peak)]
    knee = [(0, 14), (0.4 * stance, 40), (stance, 16), (at(0.42), knee_peak), (at(0.93), 11)]
    ankle = [(0, 4), (0.2 * stance, 5), (0.6 * stance, 23), (stance, -22), (at(0.1), -25), (at(0.65), 2)]
    return hip, knee, ankle


def periodic_spline(points):
    """The cubic spline of period 1 through points (x, y), as a function."""
    n = len(points)
    x, y = [p[0] for p in points], [p[1] for p in points]
    h = [(x[(i + 1) % n] - x[i]) % 1 for i in range(n)]
    slope = [(y[(i + 1) % n] - y[i]) / h[i] for i in range(n)]
    rows = [[0.0] * n + [6 * (slope[i] - slope[i - 1])] for i in range(n)]
    for i in range(n):  # second derivatives: h₋ m₋ + 2 (h₋ + h) m + h m₊ = 6 (slope − slope₋)
        rows[i][i - 1] += h[i - 1]
        rows[i][i] += 2 * (h[i - 1] + h[i])
        rows[i][(i + 1) % n] += h[i]
    m = solve(rows)

    def f(t):
        t = (t - x[0]) % 1 + x[0]
        i = max(k for k in range(n) if x[k] <= t + 1e-15)
        u, j = t - x[i], (i + 1) % n
        return (y[i] + u * (slope[i] - h[i] * (2 * m[i] + m[j]) / 6)
                + u * u * m[i] / 2 + u ** 3 * (m[j] - m[i]) / (6 * h[i]))

    return f


def solve(rows):
    """Gauss–Jordan with pivots; rows are [A | b]."""
    n = len(rows)
    for c in range(n):
        p = max(range(c, n), key=lambda r: abs(rows[r][c]))
        rows[c], rows[p] = rows[p], rows[c]
        for r in range(n):
            if r != c:
                w = rows[r][c] / rows[c][c]
                rows[r] = [a - w * b for a, b in zip(rows[r], rows[c])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def smooth(f):
    """f of period 1 with its first harmonics only."""
    n = 256
    samples = [f(k / n) for k in range(n)]
    c = [sum(s * cmath.exp(-2j * math.pi * k * i / n) for i, s in enumerate(samples)) / n
         for k in range(HARMONICS + 1)]
    return lambda t: c[0].real + 2 * sum(
        (c[k] * cmath.exp(2j * math.pi * k * t)).real for k in range(1, HARMONICS + 1))


def swing(kmh, contact, knee_peak, hip_peak, hip_off, bounce):
    """Rows from toe-off to touch-down, with a margin."""
    v = kmh / 3.6
    f = stride_frequency(v)
    stance = contact * f
    hip, knee, ankle = (smooth(periodic_spline(k)) for k in keys(stance, knee_peak, hip_peak, hip_off))
    count = round((1 - stance) / f / STEP)
    rows = []
    for k in range(-MARGIN, count + MARGIN + 1):
        t = k * STEP
        s = stance + t * f
        # Lowest in the middle of either foot's contact, twice a stride.
        height = 0.98 - bounce / 2 * math.cos(4 * math.pi * (s - stance / 2))
        rows.append([t, 0, 0, 0, v * t, height, 0, hip(s), 0, 0, -knee(s), ankle(s)])
    return rows


def write(label, rows):
    lines = [
        f"swing_{label}kmh", "version=1", f"nRows={len(rows)}", f"nColumns={len(COLUMNS)}", "inDegrees=yes", "",
        f"The swing of a run at {label} km/h, synthetic, written by make_motion.py for Sinew; Apache-2.0.",
        "Units are S.I. units (second, meters, Newtons, ...)", "Angles are in degrees.", "endheader",
        "\t".join(COLUMNS),
    ]
    lines += ["\t".join(f"{x + 0.0:.6f}" for x in row) for row in rows]
    (FOLDER / f"swing_{label}kmh.mot").write_text("\n".join(lines) + "\n")


def main():
    for label, features in SPEEDS.items():
        write(label, swing(*features))


if __name__ == "__main__":
    main()
