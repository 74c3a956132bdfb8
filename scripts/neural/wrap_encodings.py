"""Inputs and outputs of the networks: the encodings, their ranges, and their training samples.

An encoding names the features that a network takes (columns of a matrix [features, samples]), how
features become a path (o, i, r, alpha), and how the network's outputs become a point. Array module
first, as in geodesics.py. The same definitions are implemented in C++ (src/sinew/muscles/neural_wrap).
docs/neural_format.md states them.
"""

import math

import geodesics

# Quantities that a declared range may refer to, with their numbers in the file.
QUANTITIES = {
    "origin x": 1, "origin y": 2, "origin z": 3, "insertion x": 4, "insertion y": 5, "insertion z": 6,
    "alpha": 7, "radius": 8, "radius / distance of the origin": 9, "radius / distance of the insertion": 10,
    "wrapping angle": 11, "elevation of the origin": 12, "elevation of the insertion": 13,
    "radius / core distance of the origin": 14, "radius / core distance of the insertion": 15,
}  # fmt: skip


def _box(low, high, *names):
    return [(name, low, high) for name in names]


_RAW = (
    _box(-1.0, 1.0, "origin x", "origin y", "origin z", "insertion x", "insertion y", "insertion z")
    + _box(0.0, 1.0, "alpha")
    + _box(0.01, 0.2, "radius")
)
_DISTANCES = ("radius / distance of the origin", "radius / distance of the insertion")
_CORES = ("radius / core distance of the origin", "radius / core distance of the insertion")
_ELEVATIONS = ("elevation of the origin", "elevation of the insertion")


def core_distance(xp, p, capped):
    """Distance from the axis, or from the half-axis z ≤ 0 of the capped cylinder."""
    height = xp.clip(p[2], 0.0, None) if capped else 0 * p[2]
    return xp.sqrt(p[0] ** 2 + p[1] ** 2 + height**2)


class Encoding:
    """`low`, `high`: the features' box. `ranges`: those that the network's file declares."""

    def __init__(self, name, number, capped, invariant, ranges, low, high, outputs):
        self.name, self.number, self.capped, self.invariant = name, number, capped, invariant
        self.ranges, self.low, self.high, self.outputs = ranges, low, high, outputs
        theta = next(r for r in ranges if r[0] == "wrapping angle")
        self.cut = 0.5 * (theta[1] + theta[2]) + math.pi

    @property
    def inputs(self):
        return len(self.low)

    # ---- features → path

    def path_of(self, xp, f):
        """(o, i, r, alpha, theta) of the features; invariant ones in the scale √(ρ_o² + ρ_i²) = 1."""
        if not self.invariant:
            o, i = tuple(f[0:3]), tuple(f[3:6])
            return o, i, f[7], f[6], geodesics.wrapping_angle(xp, o, i, self.cut)
        c_o, c_i, theta, alpha = xp.cos(f[0]), xp.cos(f[1]), f[2], f[3]
        r = 1 / xp.sqrt(1 / c_o**2 + 1 / c_i**2)
        rho_o, rho_i = r / c_o, r / c_i
        z_o = rho_o * xp.tan(f[4]) if self.capped else 0 * rho_o
        z_i = rho_i * xp.tan(f[5]) if self.capped else 0 * rho_i
        i = (rho_i * xp.cos(theta), rho_i * xp.sin(theta), z_i)
        return (rho_o, 0 * rho_o, z_o), i, r, alpha, theta

    def exact(self, xp, f):
        """The correct answers of the network: dict with target [outputs, N], phi, fraction, length, theta."""
        o, i, r, alpha, theta = self.path_of(xp, f)
        if self.capped:
            found = geodesics.capped_cylinder(xp, o, i, r, alpha)
        else:
            found = geodesics.cylinder(xp, o, i, r, alpha, theta=theta)
        found["theta"] = theta
        target = found["point"]
        if self.invariant:
            # The deviation from the chord; the division makes both ends exact.
            target = [(x - (a + alpha * (b - a))) / (alpha * (1 - alpha)) for x, a, b in zip(target, o, i)]
        found["target"] = xp.stack(list(target[: self.outputs]))
        return found

    # ---- path → features, outputs → point

    def features_of(self, xp, o, i, r, alpha):
        if not self.invariant:
            return xp.stack([*o, *i, alpha, r])
        rho_o, rho_i = xp.sqrt(o[0] ** 2 + o[1] ** 2), xp.sqrt(i[0] ** 2 + i[1] ** 2)
        theta = geodesics.wrapping_angle(xp, o, i, self.cut)
        f = [xp.arccos(r / rho_o), xp.arccos(r / rho_i), theta, alpha]
        if self.capped:
            f += [xp.arctan(o[2] / rho_o), xp.arctan(i[2] / rho_i)]
        return xp.stack(f)

    def point_of(self, xp, o, i, alpha, out):
        if not self.invariant:
            return out
        rho_o = xp.sqrt(o[0] ** 2 + o[1] ** 2)
        scale = xp.sqrt(rho_o**2 + i[0] ** 2 + i[1] ** 2) * alpha * (1 - alpha)
        c, s = o[0] / rho_o, o[1] / rho_o
        moved = [c * out[0] - s * out[1], s * out[0] + c * out[1], out[2] if self.capped else 0 * c]
        return xp.stack([a + alpha * (b - a) + scale * m for a, b, m in zip(o, i, moved)])

    # ---- ranges

    def quantities_of(self, xp, o, i, r, alpha):
        rho_o, rho_i = xp.sqrt(o[0] ** 2 + o[1] ** 2), xp.sqrt(i[0] ** 2 + i[1] ** 2)
        values = [
            *o, *i, alpha, r, r / rho_o, r / rho_i, geodesics.wrapping_angle(xp, o, i, self.cut),
            xp.arctan2(o[2], rho_o), xp.arctan2(i[2], rho_i),
            r / core_distance(xp, o, True), r / core_distance(xp, i, True),
        ]  # fmt: skip
        return dict(zip(QUANTITIES, values))

    def in_range(self, xp, o, i, r, alpha):
        values = self.quantities_of(xp, o, i, r, alpha)
        inside = alpha == alpha
        for name, low, high in self.ranges:
            inside = inside & (values[name] >= low) & (values[name] <= high)
        return inside


def _make():
    pi = math.pi
    free_turn = _box(-pi / 6, 1.5 * pi, "wrapping angle")
    whole_turn = _box(-0.1 * pi, 1.9 * pi, "wrapping angle")
    half_turn = _box(0.0, pi, "wrapping angle")
    raw_low, raw_high = [-1.0] * 6 + [0.0, 0.01], [1.0] * 6 + [1.0, 0.2]
    ends = 1e-3  # α is trained on [ends, 1 − ends] if the targets are divided by α(1 − α)
    return [
        Encoding("cylinder-raw", 1, False, False, _RAW + _box(0.0, 0.98, *_DISTANCES) + free_turn, raw_low, raw_high, 3),
        Encoding(
            "cylinder-invariant", 2, False, True,
            _box(0.005, 0.98, *_DISTANCES) + whole_turn + _box(0.0, 1.0, "alpha"),
            [math.acos(0.98)] * 2 + [-0.1 * pi, ends], [math.acos(0.005)] * 2 + [1.9 * pi, 1 - ends], 2,
        ),
        Encoding("capped-cylinder-raw", 3, True, False, _RAW + _box(0.0, 0.98, *_CORES) + half_turn, raw_low, raw_high, 3),
        Encoding(
            "capped-cylinder-invariant", 4, True, True,
            _box(0.02, 0.98, *_DISTANCES) + half_turn + _box(0.0, 1.0, "alpha") + _box(-1.3, 1.3, *_ELEVATIONS),
            [math.acos(0.98)] * 2 + [0.0, ends, -1.3, -1.3], [math.acos(0.02)] * 2 + [pi, 1 - ends, 1.3, 1.3], 3,
        ),
    ]  # fmt: skip


ENCODINGS = {encoding.name: encoding for encoding in _make()}


def kept(found, threshold, deep_angle):
    """The papers' choice of samples: free ones, and wrapped ones away from touch-down.

    A wrapped sample is discarded when the wrapped fraction of its length is below `threshold` and
    its wrapped angle below `deep_angle` (infinite: the fraction alone decides, as in the papers).
    """
    phi, fraction = found["phi"], found["fraction"]
    return (phi <= 0) | (fraction >= threshold) | (phi >= deep_angle)


def scaled(xp, encoding, x):
    """Features from x in (−1, 1), the scaling of the networks' inputs. Both [inputs, n]."""
    rows = [0.5 * ((high + low) + (high - low) * x[k]) for k, (low, high) in enumerate(zip(encoding.low, encoding.high))]
    return xp.stack(rows)


def candidates(xp, encoding, x):
    """For x in (−1, 1): flags of those in the declared range and of those certainly free (cheap tests)."""
    o, i, r, alpha, _ = encoding.path_of(xp, scaled(xp, encoding, x))
    inside = alpha == alpha if encoding.invariant else encoding.in_range(xp, o, i, r, alpha)
    free = geodesics.chord_is_free(xp, o, i, r) if encoding.capped else alpha != alpha
    return inside, free
