"""Exact shortest paths around a cylinder and around a sphere-capped cylinder.

The teachers of the neural wrap models. Derivation: docs/theory/neural_wrapping.md.

Every function takes the array module first, `numpy` or `torch`: the same lines run on both, on
arrays of any one shape, in the precision of their arguments (use float64). Points are tuples
(x, y, z) of arrays in the frame of the surface: axis z, the cap of the capped cylinder on z > 0.
The path turns counter-clockwise about +z from origin to insertion; mirror y for the other side.
"""

import math

TURN = 2 * math.pi
SEAM_GRID = 48  # places on the seam at which the length is first evaluated
SEAM_BISECTIONS = 52  # halvings of a grid interval: to rounding in float64


def wrapping_angle(xp, o, i, cut):
    """Angle from o to i about +z, in (cut − 2π, cut]."""
    theta = xp.arctan2(o[0] * i[1] - o[1] * i[0], o[0] * i[0] + o[1] * i[1])
    theta = xp.where(theta < 0, theta + TURN, theta)
    return xp.where(theta > cut, theta - TURN, theta)


def _acos(xp, x):
    return xp.arccos(xp.clip(x, -1.0, 1.0))


def _tangent(xp, rho, r):
    """Length of the tangent from distance rho to a circle of radius r; 0 from inside."""
    return xp.sqrt(xp.clip(rho * rho - r * r, 0.0, None))


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _norm(xp, a):
    return xp.sqrt(_dot(a, a))


def _select(xp, mask, a, b):
    return tuple(xp.where(mask, p, q) for p, q in zip(a, b))


def _tangent_arc_tangent(xp, rho_o, rho_i, theta, r, s_of):
    """Planar path from (rho_o, 0) to the point at rho_i, angle theta, around a circle about 0.

    Returns its length, the wrapped angle (0 if free) and the point at arc length s_of(length).
    """
    a_o, a_i = _acos(xp, r / rho_o), _acos(xp, r / rho_i)
    phi = xp.clip(theta - a_o - a_i, 0.0, None)
    attached = phi > 0
    ix, iy = rho_i * xp.cos(theta), rho_i * xp.sin(theta)
    chord = xp.sqrt((ix - rho_o) ** 2 + iy**2)
    l_o, l_i = _tangent(xp, rho_o, r), _tangent(xp, rho_i, r)
    length = xp.where(attached, l_o + r * phi + l_i, chord)
    s = s_of(length)
    # The tangents leave T1, T2 along ∓ the circle's direction there.
    end = a_o + phi
    on_first = (r * xp.cos(a_o) + (l_o - s) * xp.sin(a_o), r * xp.sin(a_o) - (l_o - s) * xp.cos(a_o))
    beyond = s - l_o - r * phi
    on_last = (r * xp.cos(end) - beyond * xp.sin(end), r * xp.sin(end) + beyond * xp.cos(end))
    angle = a_o + (s - l_o) / r
    on_arc = (r * xp.cos(angle), r * xp.sin(angle))
    wrapped = _select(xp, s < l_o, on_first, _select(xp, beyond > 0, on_last, on_arc))
    f = s / xp.where(chord > 0, chord, chord + 1)
    straight = (rho_o + f * (ix - rho_o), f * iy)
    return length, phi, _select(xp, attached, wrapped, straight)


def cylinder(xp, o, i, r, alpha, cut=1.9 * math.pi, theta=None):
    """Point at the fraction alpha of the shortest path of the chosen side around a cylinder.

    `theta` is the wrapping angle if it is known already. Returns a dict: point, phi (wrapped angle), fraction (wrapped over total length), length, theta.
    """
    rho_o, rho_i = xp.sqrt(o[0] ** 2 + o[1] ** 2), xp.sqrt(i[0] ** 2 + i[1] ** 2)
    theta = wrapping_angle(xp, o, i, cut) if theta is None else theta
    planar, phi, (u, v) = _tangent_arc_tangent(xp, rho_o, rho_i, theta, r, lambda l: alpha * l)
    c, s = o[0] / rho_o, o[1] / rho_o
    dz = i[2] - o[2]
    return {
        "point": (c * u - s * v, s * u + c * v, o[2] + alpha * dz),
        "phi": phi,
        "fraction": r * phi / planar,
        "length": xp.sqrt(planar**2 + dz**2),
        "theta": theta,
    }


def sphere(xp, o, i, r, s_of):
    """Shortest path around a sphere: (length, wrapped angle, point at s_of(length), plane axes)."""
    rho_o, rho_i = _norm(xp, o), _norm(xp, i)
    e1 = tuple(x / rho_o for x in o)
    along = _dot(i, e1)
    across = tuple(x - along * e for x, e in zip(i, e1))
    height = _norm(xp, across)
    e2 = tuple(x / xp.where(height > 0, height, height + 1) for x in across)
    gamma = xp.arctan2(height, along)
    length, phi, (u, v) = _tangent_arc_tangent(xp, rho_o, rho_i, gamma, r, s_of)
    return length, phi, tuple(u * a + v * b for a, b in zip(e1, e2)), (e1, e2)


# ---- capped cylinder: half of its path, from an anchor to a point P of the seam z = 0


def _cylinder_half(xp, anchor, turn, r, s_of):
    """Over the cylinder, `turn` ≥ 0 the angle to P: length, feasibility, slope, point."""
    rho = xp.sqrt(anchor[0] ** 2 + anchor[1] ** 2)
    planar, phi, _ = _tangent_arc_tangent(xp, rho, r + 0 * rho, turn, r, lambda l: l)
    length = xp.sqrt(planar**2 + anchor[2] ** 2)
    # d length/dψ: r times the direction of arrival at P along the seam.
    along_chord = rho * xp.sin(turn) / xp.where(length > 0, length, length + 1)
    slope = r * xp.where(phi > 0, planar / length, along_chord)
    point = None
    if s_of is not None:
        f = s_of(length) / length
        _, _, (u, v) = _tangent_arc_tangent(xp, rho, r + 0 * rho, turn, r, lambda l: f * l)
        point = (u, v, (1 - f) * anchor[2])  # u along the anchor, v towards P
    return length, anchor[2] <= 0, slope, point


def _sphere_half(xp, anchor, turn, r, s_of):
    """The same over the cap. `turn` is the signed angle about z to P, positive towards it."""
    rho = xp.sqrt(anchor[0] ** 2 + anchor[1] ** 2)
    # The frame turned so that the anchor is at angle 0 and P at `turn`.
    o = (rho, 0 * rho, anchor[2])
    p = (r * xp.cos(turn), r * xp.sin(turn), 0 * rho)
    length, phi, point, (e1, e2) = sphere(xp, o, p, r, s_of or (lambda l: l))
    a_o = _acos(xp, r / _norm(xp, o))
    touch = r * (xp.cos(a_o) * e1[2] + xp.sin(a_o) * e2[2])
    feasible = (phi <= 0) | (touch >= 0)
    e_psi = (-xp.sin(turn), xp.cos(turn), 0 * turn)
    chord = tuple(b - a for a, b in zip(o, p))
    chord_length = _norm(xp, chord)
    radial = _dot(o, p) / (r * r)
    back = tuple(radial * b - a for a, b in zip(o, p))  # arrival along the great circle
    back_length = _norm(xp, back)
    slope = r * xp.where(
        phi > 0,
        _dot(back, e_psi) / xp.where(back_length > 0, back_length, back_length + 1),
        _dot(chord, e_psi) / xp.where(chord_length > 0, chord_length, chord_length + 1),
    )
    return length, feasible, slope, point if s_of is not None else None


HALVES = {"c": _cylinder_half, "s": _sphere_half}


def _over_seam(xp, kinds, o, i, theta, r):
    """Best place on the seam for a path that is of kinds[0] before it and kinds[1] after it.

    Returns (t, length): P is at the fraction t of the angle θ from o to i. Infinite length where
    no such path exists.
    """
    first, last = HALVES[kinds[0]], HALVES[kinds[1]]

    def total(t):
        l1, ok1, d1, _ = first(xp, o, t * theta, r, None)
        l2, ok2, d2, _ = last(xp, i, (1 - t) * theta, r, None)
        return xp.where(ok1 & ok2, l1 + l2, math.inf + 0 * l1), d1 - d2

    best, t_best = None, None
    for k in range(SEAM_GRID + 1):
        t = k / SEAM_GRID + 0 * theta
        length, _ = total(t)
        better = length < best if best is not None else length < math.inf
        best = xp.where(better, length, best) if best is not None else length
        t_best = xp.where(better, t, t_best) if t_best is not None else t
    low = xp.clip(t_best - 1 / SEAM_GRID, 0.0, 1.0)
    high = xp.clip(t_best + 1 / SEAM_GRID, 0.0, 1.0)
    for _ in range(SEAM_BISECTIONS):
        middle = 0.5 * (low + high)
        _, slope = total(middle)
        low, high = xp.where(slope < 0, middle, low), xp.where(slope < 0, high, middle)
    t = 0.5 * (low + high)
    return t, total(t)[0]


def _turned(xp, anchor, local, sense):
    """From the frame where the anchor is at angle 0 (and angles count by `sense`) to ours."""
    rho = xp.sqrt(anchor[0] ** 2 + anchor[1] ** 2)
    rho = xp.where(rho > 0, rho, rho + 1)
    c, s = anchor[0] / rho, anchor[1] / rho
    u, v = local[0], sense * local[1]
    return c * u - s * v, s * u + c * v, local[2]


def _point_over_seam(xp, kinds, o, i, theta, r, t, alpha, length):
    first, last = HALVES[kinds[0]], HALVES[kinds[1]]
    s = alpha * length
    l1, _, _, p1 = first(xp, o, t * theta, r, lambda l: s)
    _, _, _, p2 = last(xp, i, (1 - t) * theta, r, lambda l: length - s)
    return _select(xp, s <= l1, _turned(xp, o, p1, 1), _turned(xp, i, p2, -1))


def chord_is_free(xp, o, i, r):
    """Whether the straight line from o to i misses the open capped cylinder."""
    d = tuple(b - a for a, b in zip(o, i))
    foot = xp.clip(-_dot(o, d) / xp.clip(_dot(d, d), 1e-300, None), 0.0, 1.0)
    misses_ball = _norm(xp, tuple(a + foot * b for a, b in zip(o, d))) >= r
    # The stretch of the line inside the infinite cylinder, cut to z ≤ 0.
    a = d[0] ** 2 + d[1] ** 2
    b = o[0] * d[0] + o[1] * d[1]
    c = o[0] ** 2 + o[1] ** 2 - r * r
    discriminant = b * b - a * c
    root = xp.sqrt(xp.clip(discriminant, 0.0, None))
    a_safe = xp.clip(a, 1e-300, None)
    t1, t2 = xp.clip((-b - root) / a_safe, 0.0, 1.0), xp.clip((-b + root) / a_safe, 0.0, 1.0)
    lowest = xp.minimum(o[2] + t1 * d[2], o[2] + t2 * d[2])
    misses_cylinder = (discriminant <= 0) | (t2 <= t1) | (lowest >= 0)
    return misses_ball & misses_cylinder


def capped_cylinder(xp, o, i, r, alpha):
    """Like `cylinder`, around the half-infinite cylinder z ≤ 0 with a half-sphere on top.

    The wrapping angle must lie in [0, π]: there the path of the chosen side is the shortest one of
    all. A path over cap and cylinder crosses the seam once, where its length is least. `fraction`
    counts the part that touches. Paths that were not found have length infinity.
    """
    theta = wrapping_angle(xp, o, i, 1.5 * math.pi)
    free = chord_is_free(xp, o, i, r)
    d = tuple(b - a for a, b in zip(o, i))
    chord = _norm(xp, d)
    infinite = math.inf + 0 * chord

    barrel = cylinder(xp, o, i, r, alpha, 1.5 * math.pi)
    rho_o, rho_i = xp.sqrt(o[0] ** 2 + o[1] ** 2), xp.sqrt(i[0] ** 2 + i[1] ** 2)
    planar = xp.sqrt(xp.clip(barrel["length"] ** 2 - d[2] ** 2, 1e-300, None))
    z1 = o[2] + d[2] * _tangent(xp, rho_o, r) / planar
    z2 = i[2] - d[2] * _tangent(xp, rho_i, r) / planar
    outside = (rho_o > r) & (rho_i > r)
    valid = outside & (barrel["phi"] > 0) & (z1 <= 0) & (z2 <= 0)
    length = xp.where(valid, barrel["length"], infinite)
    touching = barrel["fraction"] * barrel["length"]
    point = barrel["point"]

    l, phi, p, (e1, e2) = sphere(xp, o, i, r, lambda x: alpha * x)
    a_o = _acos(xp, r / _norm(xp, o))
    end = a_o + phi
    z1 = xp.cos(a_o) * e1[2] + xp.sin(a_o) * e2[2]
    z2 = xp.cos(end) * e1[2] + xp.sin(end) * e2[2]
    better = (phi > 0) & (z1 >= 0) & (z2 >= 0) & (l < length)
    length, point = xp.where(better, l, length), _select(xp, better, p, point)
    touching = xp.where(better, r * phi, touching)

    for kinds in ("cs", "sc"):
        t, l = _over_seam(xp, kinds, o, i, theta, r)
        better = l < length
        l_safe = xp.where(better, l, chord + 1)
        p = _point_over_seam(xp, kinds, o, i, theta, r, t, alpha, l_safe)
        length, point = xp.where(better, l, length), _select(xp, better, p, point)
        straight = _straight_end(xp, kinds[0], o, t * theta, r)
        straight = straight + _straight_end(xp, kinds[1], i, (1 - t) * theta, r)
        touching = xp.where(better, xp.clip(l_safe - straight, 0.0, None), touching)

    line = tuple(a + alpha * b for a, b in zip(o, d))
    return {
        "point": _select(xp, free, line, point),
        "phi": xp.where(free, 0 * chord, touching / r),
        "fraction": xp.where(free, 0 * chord, touching / xp.where(free, chord, length)),
        "length": xp.where(free, chord, length),
        "theta": theta,
    }


def capped_cylinder_of_either_side(xp, o, i, r, alpha):
    """Like `capped_cylinder`, the shorter of the two ways around: counter-clockwise, or its mirror image."""
    # The mirror is the plane of the axis and the insertion, x′ along the latter's azimuth.
    rho_i = xp.sqrt(i[0] ** 2 + i[1] ** 2)
    c, s = i[0] / rho_i, i[1] / rho_i
    along, across = c * o[0] + s * o[1], c * o[1] - s * o[0]
    side = xp.where(across > 0, -1 + 0 * across, 1 + 0 * across)
    found = capped_cylinder(xp, (along, side * across, o[2]), (rho_i, 0 * rho_i, i[2]), r, alpha)
    x, y, z = found["point"]
    found["point"] = (c * x - s * side * y, s * x + c * side * y, z)
    return found


def _straight_end(xp, kind, anchor, turn, r):
    """Length of the straight end of a half path."""
    rho = xp.sqrt(anchor[0] ** 2 + anchor[1] ** 2)
    if kind == "c":
        planar, phi, _unused = _tangent_arc_tangent(xp, rho, r + 0 * rho, turn, r, lambda l: l)
        whole = xp.sqrt(planar**2 + anchor[2] ** 2)
        return xp.where(phi > 0, _tangent(xp, rho, r) * whole / planar, whole)
    p = (r * xp.cos(turn), r * xp.sin(turn), 0 * rho)
    length, phi, _unused, _axes = sphere(xp, (rho, 0 * rho, anchor[2]), p, r, lambda l: l)
    return xp.where(phi > 0, _tangent(xp, _norm(xp, anchor), r), length)
