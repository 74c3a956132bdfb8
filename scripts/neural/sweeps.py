"""The one-dimensional experiments on networks: the touch-down sweep and the way out of the box.

Numpy only. The +y side is clockwise; the networks turn counter-clockwise, so y is mirrored.
"""

import functools

import numpy as np

import geodesics
from wrap_encodings import ENCODINGS

RADIUS, ORIGIN, INSERTION_Y = 0.15, (-0.5, 0.0), 0.25
TOUCH = 0.29497  # x of the insertion at touch-down


def mirrored(p):
    return (p[0], -p[1], p[2])


def touch_down_paths(count=4001, low=0.0, high=0.9):
    """(o, i, r) of the touch-down sweep: the insertion moves along x, through touch-down at 0.2950."""
    x = np.linspace(low, high, count)
    zero = np.zeros_like(x)
    o = (zero + ORIGIN[0], zero + ORIGIN[1], zero)
    return o, (x, zero + INSERTION_Y, zero), zero + RADIUS


def touch_down(point_of, count=4001):
    """Measures a model at touch-down. `point_of(o, i, r, alpha)` gives points [3, N].

    Returns a dict: position (largest error of x_α, α = 0.5, over the sweep), variation (total variation
    of ∂x_α/∂x_ins minus the exact model's over the sweep; negative: smoother than the exact one),
    near (the same within ±0.1 of touch-down), jacobian (largest error of ∂x_α/∂x_ins beyond ±0.1).
    """
    o, i, r = touch_down_paths(count)
    step = i[0][1] - i[0][0]
    half = 0.5 + 0 * r
    exact = np.stack(geodesics.cylinder(np, mirrored(o), mirrored(i), r, half)["point"])
    model = point_of(mirrored(o), mirrored(i), r, half)
    slope = {"exact": np.diff(exact[0]) / step, "model": np.diff(model[0]) / step}
    middle = 0.5 * (i[0][1:] + i[0][:-1])
    near = np.abs(middle - TOUCH) < 0.1
    variation = lambda s: float(np.abs(np.diff(s)).sum())
    return {
        "position": float(np.linalg.norm(model - exact, axis=0).max()),
        "variation": variation(slope["model"]) - variation(slope["exact"]),
        "near": variation(slope["model"][near]) - variation(slope["exact"][near]),
        "jacobian": float(np.abs(slope["model"] - slope["exact"])[~near].max()),
    }


def turned_touch_downs(point_of, turns=16, count=601):
    """The touch-down sweep turned about the axis and moved along it: the same experiment at other places of the box.

    Returns a dict of means over the turns, the derivative ∂x_α/∂x_ins taken as a vector: turned (largest
    error of position), fluctuation (its total variation minus the exact one's, over the sweep), touch (the
    same within ±0.1 of touch-down), slope (largest error of the derivative beyond ±0.1).
    """
    o, i, r = (np.array(part) for part in touch_down_paths(count))
    half, step = 0.5 + 0 * r, i[0][1] - i[0][0]
    near = np.abs(0.5 * (i[0][1:] + i[0][:-1]) - TOUCH) < 0.1
    variation = lambda s: float(np.linalg.norm(np.diff(s, axis=1), axis=0).sum())
    rows = []
    for k in range(turns):
        c, s = np.cos(2 * np.pi * k / turns), np.sin(2 * np.pi * k / turns)
        height = 0.8 * (2 * (0.618 * k % 1) - 1)
        there = lambda p: (c * p[0] + s * p[1], s * p[0] - c * p[1], p[2] + height)
        exact = np.stack(geodesics.cylinder(np, there(o), there(i), r, half)["point"])
        model = point_of(there(o), there(i), r, half)
        exact_slope, slope = np.diff(exact, axis=1) / step, np.diff(model, axis=1) / step
        rows.append((
            np.linalg.norm(model - exact, axis=0).max(), variation(slope) - variation(exact_slope),
            variation(slope[:, near]) - variation(exact_slope[:, near]),
            np.linalg.norm(slope - exact_slope, axis=0)[~near].max(),
        ))  # fmt: skip
    return dict(zip(("turned", "fluctuation", "touch", "slope"), np.mean(rows, 0).tolist()))


@functools.cache
def random_paths(count, seed=5):
    """Paths (o, i, r, alpha) in the box of the raw networks, and their exact points.

    The wrapping angle starts at −0.1π, where the two cylinder networks begin to count it the same way.
    """
    rng = np.random.default_rng(seed)
    o, i = rng.uniform(-1, 1, (3, count)), rng.uniform(-1, 1, (3, count))
    r, alpha = rng.uniform(0.01, 0.2, count), rng.uniform(0, 1, count)
    raw = ENCODINGS["cylinder-raw"]
    inside = raw.in_range(np, o, i, r, alpha)
    inside = inside & (geodesics.wrapping_angle(np, o, i, raw.cut) >= -0.1 * np.pi)
    o, i, r, alpha = o[:, inside], i[:, inside], r[inside], alpha[inside]
    return (o, i, r, alpha), geodesics.cylinder(np, o, i, r, alpha)


def box_errors(point_of, count=200_000, deepest=0.5):
    """Errors of position over random paths of the box, and over those that touch by less than `deepest` rad.

    Returns a dict: box_rms, contact_rms, contact_max.
    """
    (o, i, r, alpha), found = random_paths(count)
    contact = np.flatnonzero((found["phi"] > 0) & (found["phi"] < deepest))[:20_000]

    def error(pick):
        model = point_of(tuple(o[:, pick]), tuple(i[:, pick]), r[pick], alpha[pick])
        return np.linalg.norm(model - np.stack(found["point"])[:, pick], axis=0)

    rms = lambda e: float(np.sqrt((e**2).mean()))
    at_contact = error(contact)
    return {"box_rms": rms(error(slice(0, 20_000))), "contact_rms": rms(at_contact), "contact_max": float(at_contact.max())}


def path_length(point_of, o, i, r, points=101):
    """Length of the polyline of a model's points, one path."""
    alpha = np.linspace(0, 1, points)
    one = np.ones(points)
    p = point_of([c * one for c in o], [c * one for c in i], r * one, alpha)
    return float(np.linalg.norm(np.diff(p, axis=1), axis=0).sum())


def exact_length(o, i, r):
    one = lambda p: tuple(np.array([float(c)]) for c in p)
    return float(geodesics.cylinder(np, one(o), one(i), np.array([float(r)]), 0.5)["length"][0])


SWEEP_A = [((x, 0.0, 0.0), (-0.5, 0.0, 0.0), 0.15) for x in (0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2.0)]
SWEEP_B = [((1.0, 0.0, 0.0), (-0.5, 0.0, 0.0), r) for r in (0.15, 0.175, 0.2, 0.22, 0.25, 0.275, 0.3, 0.35, 0.4)]


def length_errors(point_of, sweep):
    """Relative error of the length along a sweep."""
    return [path_length(point_of, *path) / exact_length(*path) - 1 for path in sweep]
