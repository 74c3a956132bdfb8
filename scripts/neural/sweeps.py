"""The one-dimensional experiments on networks: W4's touch-down sweep and W11's way out of the box.

Numpy only. Our +y side is clockwise; the networks turn counter-clockwise, so y is mirrored.
"""

import numpy as np

import geodesics
from wrap_encodings import ENCODINGS

RADIUS, ORIGIN, INSERTION_Y = 0.15, (-0.5, 0.0), 0.25
TOUCH = 0.29497  # x of the insertion at touch-down


def mirrored(p):
    return (p[0], -p[1], p[2])


def touch_down_paths(count=4001, low=0.0, high=0.9):
    """(o, i, r) of W4: the insertion moves along x, through touch-down at 0.2950."""
    x = np.linspace(low, high, count)
    zero = np.zeros_like(x)
    o = (zero + ORIGIN[0], zero + ORIGIN[1], zero)
    return o, (x, zero + INSERTION_Y, zero), zero + RADIUS


def touch_down(point_of, count=4001):
    """How a model passes touch-down. `point_of(o, i, r, alpha)` gives points [3, N].

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


def random_paths(count, seed=5):
    """Paths (o, i, r, alpha) in the box of the raw networks, and their exact points."""
    rng = np.random.default_rng(seed)
    o, i = rng.uniform(-1, 1, (3, count)), rng.uniform(-1, 1, (3, count))
    r, alpha = rng.uniform(0.01, 0.2, count), rng.uniform(0, 1, count)
    inside = ENCODINGS["cylinder-raw"].in_range(np, o, i, r, alpha)
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
