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
    "pole coordinate along": 16, "pole coordinate across": 17, "margin to the cut": 18,
    "radius / distance of the origin from the centre": 19,
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
_POLE = ("pole coordinate along", "pole coordinate across", "margin to the cut")
PIECES = 16  # of the polylines


def core_distance(xp, p, capped):
    """Distance from the axis, or from the half-axis z ≤ 0 of the capped cylinder."""
    height = xp.clip(p[2], 0.0, None) if capped else 0 * p[2]
    return xp.sqrt(p[0] ** 2 + p[1] ** 2 + height**2)


def pole_coordinates(xp, o, i):
    """The origin's direction from the cap's centre, in stereographic projection: along the insertion's azimuth, and
    across it, positive if the path from there turns counter-clockwise. Smooth above the cap, where the azimuth is not."""
    rho_i = xp.sqrt(i[0] ** 2 + i[1] ** 2)
    scale = rho_i * (xp.sqrt(o[0] ** 2 + o[1] ** 2 + o[2] ** 2) + o[2])
    return (o[0] * i[0] + o[1] * i[1]) / scale, (o[0] * i[1] - o[1] * i[0]) / scale


class Encoding:
    """`low`, `high`: the features' box. `ranges`: those that the network's file declares.

    `chart` names the features: raw, invariant, over-cap. `pieces` is None if α is one of them; otherwise the network
    answers with the inner points of a polyline, those at α = k / pieces, `dimensions` numbers each.
    """

    def __init__(self, name, number, capped, chart, ranges, low, high, dimensions, pieces=None):
        self.name, self.number, self.capped, self.chart = name, number, capped, chart
        self.ranges, self.low, self.high, self.dimensions, self.pieces = ranges, low, high, dimensions, pieces
        theta = next((r for r in ranges if r[0] == "wrapping angle"), ("", 0.0, math.pi))
        self.cut = 0.5 * (theta[1] + theta[2]) + math.pi

    @property
    def inputs(self):
        return len(self.low)

    @property
    def points(self):
        """Points in one answer."""
        return self.pieces - 1 if self.pieces else 1

    @property
    def outputs(self):
        return self.dimensions * self.points

    @property
    def _alpha_place(self):
        return 6 if self.chart == "raw" else 3

    # ---- features → path

    def _split(self, xp, f):
        """The features without α, and the fractions [N] or [points, N]."""
        if self.pieces:
            return f, xp.stack([k / self.pieces + 0 * f[0] for k in range(1, self.pieces)])
        k = self._alpha_place
        return [*f[:k], *f[k + 1 :]], f[k]

    def path_of(self, xp, f):
        """(o, i, r, alpha, theta) of the features: invariant ones in the scale √(ρ_o² + ρ_i²) = 1, with the
        origin at azimuth 0; those over a cap in the scale r = 1, with the insertion at azimuth 0."""
        f, alpha = self._split(xp, f)
        if self.chart == "raw":
            o, i = tuple(f[0:3]), tuple(f[3:6])
            return o, i, f[6], alpha, geodesics.wrapping_angle(xp, o, i, self.cut)
        if self.chart == "over-cap":
            square = f[0] ** 2 + f[1] ** 2
            distance, rho_i = 1 / xp.cos(f[2]), 1 / xp.cos(f[3])
            o = tuple(distance * x / (1 + square) for x in (2 * f[0], -2 * f[1], 1 - square))
            i = (rho_i, 0 * rho_i, rho_i * xp.tan(f[4]))
            return o, i, 1 + 0 * rho_i, alpha, geodesics.wrapping_angle(xp, o, i, self.cut)
        c_o, c_i, theta = xp.cos(f[0]), xp.cos(f[1]), f[2]
        r = 1 / xp.sqrt(1 / c_o**2 + 1 / c_i**2)
        rho_o, rho_i = r / c_o, r / c_i
        z_o = rho_o * xp.tan(f[3]) if self.capped else 0 * rho_o
        z_i = rho_i * xp.tan(f[4]) if self.capped else 0 * rho_i
        i = (rho_i * xp.cos(theta), rho_i * xp.sin(theta), z_i)
        return (rho_o, 0 * rho_o, z_o), i, r, alpha, theta

    def shortest(self, xp, o, i, r, alpha, theta=None):
        """The exact path that the network is to learn (geodesics.py)."""
        if self.chart == "over-cap":
            return geodesics.capped_cylinder_of_either_side(xp, o, i, r, alpha)
        if self.capped:
            return geodesics.capped_cylinder(xp, o, i, r, alpha)
        return geodesics.cylinder(xp, o, i, r, alpha, cut=self.cut, theta=theta)

    def exact(self, xp, f):
        """The correct answers of the network: dict with target [outputs, N], phi, fraction, length, theta."""
        o, i, r, alpha, theta = self.path_of(xp, f)
        found = self.shortest(xp, o, i, r, alpha, theta)
        found["theta"] = theta
        target = list(found["point"])
        if self.chart != "raw":
            target = [x - (a + alpha * (b - a)) for x, a, b in zip(target, o, i)]
        if self.chart != "raw" and not self.pieces:
            target = [x / (alpha * (1 - alpha)) for x in target]  # makes both ends exact
        target = target[: self.dimensions]
        found["target"] = xp.stack(target, 1).reshape(self.outputs, -1) if self.pieces else xp.stack(target)
        return found

    # ---- path → features, outputs → point

    def features_of(self, xp, o, i, r, alpha):
        rho_o, rho_i = xp.sqrt(o[0] ** 2 + o[1] ** 2), xp.sqrt(i[0] ** 2 + i[1] ** 2)
        if self.chart == "raw":
            f = [*o, *i, r]
        elif self.chart == "over-cap":
            distance = xp.sqrt(rho_o**2 + o[2] ** 2)
            f = [*pole_coordinates(xp, o, i), xp.arccos(r / distance), xp.arccos(r / rho_i), xp.arctan(i[2] / rho_i)]
        else:
            f = [xp.arccos(r / rho_o), xp.arccos(r / rho_i), geodesics.wrapping_angle(xp, o, i, self.cut)]
            f += [xp.arctan(o[2] / rho_o), xp.arctan(i[2] / rho_i)] if self.capped else []
        if not self.pieces:
            f.insert(self._alpha_place, alpha)
        return xp.stack(f)

    def point_of(self, xp, o, i, r, alpha, out):
        """x_α; between the points of a polyline on its straight pieces."""
        if self.chart == "raw":
            return out
        y = self._on_polyline(xp, alpha, out) if self.pieces else alpha * (1 - alpha) * out
        towards, scale = (i, r) if self.chart == "over-cap" else (o, xp.sqrt(sum(p[k] ** 2 for p in (o, i) for k in (0, 1))))
        rho = xp.sqrt(towards[0] ** 2 + towards[1] ** 2)
        c, s = towards[0] / rho, towards[1] / rho
        moved = [c * y[0] - s * y[1], s * y[0] + c * y[1], y[2] if self.capped else 0 * c]
        return xp.stack([a + alpha * (b - a) + scale * m for a, b, m in zip(o, i, moved)])

    def _on_polyline(self, xp, alpha, out):
        """Deviation [dimensions, N] at the fractions alpha [N], from that at the inner points. Numpy only."""
        inner = out.reshape(self.points, self.dimensions, -1)
        nodes = xp.concatenate([0 * inner[:1], inner, 0 * inner[:1]])
        k = xp.clip((alpha * self.pieces).astype(int), 0, self.pieces - 1)
        n, share = xp.arange(len(k)), alpha * self.pieces - k
        return (nodes[k, :, n] * (1 - share)[:, None] + nodes[k + 1, :, n] * share[:, None]).T

    # ---- ranges

    def quantities_of(self, xp, o, i, r, alpha):
        rho_o, rho_i = xp.sqrt(o[0] ** 2 + o[1] ** 2), xp.sqrt(i[0] ** 2 + i[1] ** 2)
        along, across = pole_coordinates(xp, o, i)
        values = [
            *o, *i, alpha, r, r / rho_o, r / rho_i, geodesics.wrapping_angle(xp, o, i, self.cut),
            xp.arctan2(o[2], rho_o), xp.arctan2(i[2], rho_i),
            r / core_distance(xp, o, True), r / core_distance(xp, i, True),
            along, across, xp.maximum(along - 0.1, across), r / xp.sqrt(rho_o**2 + o[2] ** 2),
        ]  # fmt: skip
        return dict(zip(QUANTITIES, values))

    def in_range(self, xp, o, i, r, alpha):
        values = self.quantities_of(xp, o, i, r, alpha)
        inside = r == r
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
    acos = math.acos
    barrel = _box(0.005, 0.98, *_DISTANCES) + whole_turn
    stub = _box(0.02, 0.98, *_DISTANCES) + half_turn + _box(-1.3, 1.3, *_ELEVATIONS)
    fractions = _box(0.0, 1.0, "alpha")
    over_cap = (
        _box(-0.9, 1.0, _POLE[0]) + _box(-0.7, 1.3, _POLE[1]) + _box(0.0, 2.0, _POLE[2])
        + _box(0.33, 0.65, "radius / distance of the origin from the centre")
        + _box(0.7, 0.96, _DISTANCES[1]) + _box(-1.46, -1.1, _ELEVATIONS[1])
    )  # fmt: skip
    return [
        Encoding("cylinder-raw", 1, False, "raw", _RAW + _box(0.0, 0.98, *_DISTANCES) + free_turn, raw_low, raw_high, 3),
        Encoding(
            "cylinder-invariant", 2, False, "invariant", barrel + fractions,
            [acos(0.98)] * 2 + [-0.1 * pi, ends], [acos(0.005)] * 2 + [1.9 * pi, 1 - ends], 2,
        ),
        Encoding("capped-cylinder-raw", 3, True, "raw", _RAW + _box(0.0, 0.98, *_CORES) + half_turn, raw_low, raw_high, 3),
        Encoding(
            "capped-cylinder-invariant", 4, True, "invariant", stub + fractions,
            [acos(0.98)] * 2 + [0.0, ends, -1.3, -1.3], [acos(0.02)] * 2 + [pi, 1 - ends, 1.3, 1.3], 3,
        ),
        Encoding(
            "cylinder-polyline", 5, False, "invariant", barrel,
            [acos(0.98)] * 2 + [-0.1 * pi], [acos(0.005)] * 2 + [1.9 * pi], 2, PIECES,
        ),
        Encoding(
            "capped-cylinder-polyline", 6, True, "invariant", stub,
            [acos(0.98)] * 2 + [0.0, -1.3, -1.3], [acos(0.02)] * 2 + [pi, 1.3, 1.3], 3, PIECES,
        ),
        Encoding(
            "over-cap-polyline", 7, True, "over-cap", over_cap,
            [-0.9, -0.7, acos(0.65), acos(0.96), -1.46], [1.0, 1.3, acos(0.33), acos(0.7), -1.1], 3, PIECES,
        ),
    ]  # fmt: skip


ENCODINGS = {encoding.name: encoding for encoding in _make()}


def kept(found, threshold, deep_angle):
    """The papers' choice of samples: free ones, and wrapped ones away from touch-down.

    A wrapped sample is discarded when the wrapped fraction of its length is below `threshold` and
    its wrapped angle below `deep_angle` (infinite: the fraction alone decides, as in Wang 2022).
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
    inside = r == r if encoding.chart == "invariant" else encoding.in_range(xp, o, i, r, alpha)
    free = geodesics.chord_is_free(xp, o, i, r) if encoding.capped else r != r
    return inside, free
