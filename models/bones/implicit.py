"""Solids as functions of a point: negative inside, about the distance to the surface near it.

Only + - * / and square roots are used, which round alike everywhere, so that the bones have the same bytes on every
machine. (sum() of floats, hypot and powers do not.) Lengths are in millimetres.
"""

from math import sqrt


def unit(v):
    n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return (v[0] / n, v[1] / n, v[2] / n)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def smooth_min(a, b, k):
    """The smaller of two, rounded where they differ by less than k."""
    h = k - abs(a - b)
    least = a if a < b else b
    return least - h * h / (4 * k) if h > 0 else least


def ball(centre, radius):
    cx, cy, cz = centre

    def value(x, y, z):
        x -= cx
        y -= cy
        z -= cz
        return sqrt(x * x + y * y + z * z) - radius

    return value


def ellipsoid(centre, radii):
    """Axes along x, y, z; `placed` turns it."""
    cx, cy, cz = centre
    a, b, c = (1 / r for r in radii)
    middle = min(radii)

    def value(x, y, z):
        x = (x - cx) * a
        y = (y - cy) * b
        z = (z - cz) * c
        k0 = sqrt(x * x + y * y + z * z)
        if k0 < 0.05:
            return (k0 - 1) * middle
        x *= a
        y *= b
        z *= c
        return k0 * (k0 - 1) / sqrt(x * x + y * y + z * z)

    return value


def cone(a, b, ra, rb):
    """Balls of radii from ra to rb along a segment."""
    ax, ay, az = a
    dx, dy, dz = b[0] - ax, b[1] - ay, b[2] - az
    inverse = 1 / (dx * dx + dy * dy + dz * dz)
    more = rb - ra

    def value(x, y, z):
        x -= ax
        y -= ay
        z -= az
        t = (x * dx + y * dy + z * dz) * inverse
        t = 0.0 if t < 0 else 1.0 if t > 1 else t
        x -= t * dx
        y -= t * dy
        z -= t * dz
        return sqrt(x * x + y * y + z * z) - ra - t * more

    return value


def hermite(xs, rows, x):
    """A smooth curve through rows of numbers, given at the increasing places xs."""
    i = 0
    while i < len(xs) - 2 and x > xs[i + 1]:
        i += 1
    h = xs[i + 1] - xs[i]
    t = (x - xs[i]) / h

    def slope(j, column):
        if j == 0:
            return (rows[1][column] - rows[0][column]) / (xs[1] - xs[0])
        if j == len(xs) - 1:
            return (rows[j][column] - rows[j - 1][column]) / (xs[j] - xs[j - 1])
        return (rows[j + 1][column] - rows[j - 1][column]) / (xs[j + 1] - xs[j - 1])

    out = []
    for column in range(len(rows[0])):
        p, q = rows[i][column], rows[i + 1][column]
        m, n = slope(i, column) * h, slope(i + 1, column) * h
        out.append(p + t * (m + t * (3 * (q - p) - 2 * m - n + t * (2 * (p - q) + m + n))))
    return out


def tube(nodes, pieces=4):
    """Balls along a smooth curve; nodes are (x, y, z, radius)."""
    xs = [float(i) for i in range(len(nodes))]
    last = pieces * (len(nodes) - 1)
    path = [hermite(xs, nodes, i / pieces) for i in range(last + 1)]
    parts = []
    for p, q in zip(path, path[1:]):
        d = [b - a for a, b in zip(p, q)]
        parts.append((*p, *d, 1 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2])))

    def value(px, py, pz):
        best = 1e9
        for ax, ay, az, r, dx, dy, dz, dr, inverse in parts:
            x = px - ax
            y = py - ay
            z = pz - az
            t = (x * dx + y * dy + z * dz) * inverse
            t = 0.0 if t < 0 else 1.0 if t > 1 else t
            x -= t * dx
            y -= t * dy
            z -= t * dz
            d = sqrt(x * x + y * y + z * z) - r - t * dr
            if d < best:
                best = d
        return best

    return value


def plate(a, b, c, ra, rb, rc):
    """A triangle with rounded sides, of half thickness ra, rb, rc at its corners."""
    ab, ac = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
    abab, abac, acac = dot(ab, ab), dot(ab, ac), dot(ac, ac)
    scale = 1 / (abab * acac - abac * abac)
    edges = (cone(a, b, ra, rb), cone(b, c, rb, rc), cone(c, a, rc, ra))
    normal = unit(cross(ab, ac))
    ax, ay, az = a

    def value(x, y, z):
        p = (x - ax, y - ay, z - az)
        s, t = dot(p, ab), dot(p, ac)
        u = (acac * s - abac * t) * scale
        v = (abab * t - abac * s) * scale
        if u >= 0 and v >= 0 and u + v <= 1:
            return abs(dot(p, normal)) - (ra + u * (rb - ra) + v * (rc - ra))
        return min(edges[0](x, y, z), edges[1](x, y, z), edges[2](x, y, z))

    return value


def shaft(nodes, edge=3.0, rows=96):
    """A bone's shaft along y, of sections that are about round: nodes are (y, x and z of the centre, radius, and how
    much the radius changes: by cos 2a, sin 2a, cos 3a, sin 3a, where a is the angle from x to z). So cos 2a makes the
    section oval, cos 3a triangular with an edge in front. The rims of its ends are rounded."""
    nodes = sorted(tuple(n) + (0.0,) * (8 - len(n)) for n in nodes)
    ys = [n[0] for n in nodes]
    low, high = ys[0], ys[-1]
    table = [hermite(ys, [n[1:] for n in nodes], low + (high - low) * i / rows) for i in range(rows + 1)]
    table.append(table[-1])
    per = rows / (high - low)

    def value(x, y, z):
        over = edge + (low - y if y + y < low + high else y - high)
        y = low if y < low else high if y > high else y
        t = (y - low) * per
        i = int(t)
        t -= i
        p, q = table[i], table[i + 1]
        x -= p[0] + t * (q[0] - p[0])
        z -= p[1] + t * (q[1] - p[1])
        rho = sqrt(x * x + z * z)
        r = p[2] + t * (q[2] - p[2])
        if rho > 1e-6:
            c, s = x / rho, z / rho
            # Fades in the middle, where the angle means nothing.
            w = rho / r if rho < r else 1.0
            cc = c * c
            r += w * w * (
                (p[3] + t * (q[3] - p[3])) * (2 * cc - 1)
                + (p[4] + t * (q[4] - p[4])) * 2 * c * s
                + (p[5] + t * (q[5] - p[5])) * c * (4 * cc - 3)
                + (p[6] + t * (q[6] - p[6])) * s * (4 * cc - 1)
            )
        d = rho - r
        if over < 0:
            return d
        d += edge
        return (sqrt(d * d + over * over) if d > 0 else over) - edge

    return value


def disc(profile, centre, half_width, edge, lean=0.0):
    """A wheel that stands in the xy plane: balls' outline along the path `profile` of (x, y, radius), from centre −
    half_width to centre + half_width in z, its edges rounded; `lean` moves its middle in z with x."""
    parts = []
    for p, q in zip(profile, profile[1:] if len(profile) > 1 else profile):
        dx, dy = q[0] - p[0], q[1] - p[1]
        length = dx * dx + dy * dy
        parts.append((*p, dx, dy, q[2] - p[2], 1 / length if length > 0 else 0.0))
    inner = half_width - edge

    def value(px, py, z):
        best = 1e9
        for ax, ay, r, dx, dy, dr, inverse in parts:
            x, y = px - ax, py - ay
            t = (x * dx + y * dy) * inverse
            t = 0.0 if t < 0 else 1.0 if t > 1 else t
            x -= t * dx
            y -= t * dy
            d = sqrt(x * x + y * y) - r - t * dr
            if d < best:
                best = d
        u = best + edge
        v = abs(z - centre - lean * px) - inner
        if u > 0 and v > 0:
            return sqrt(u * u + v * v) - edge
        return (u if u > v else v) - edge

    return value


def block(half, edge):
    """A box about the origin with rounded edges."""
    a, b, c = (h - edge for h in half)

    def value(x, y, z):
        x, y, z = abs(x) - a, abs(y) - b, abs(z) - c
        most = max(x, y, z)
        if most <= 0:
            return most - edge
        x, y, z = max(x, 0.0), max(y, 0.0), max(z, 0.0)
        return sqrt(x * x + y * y + z * z) - edge

    return value


def spool(nodes, axis_point):
    """A solid of revolution about a line along z; nodes are (z, radius)."""
    nodes = sorted(nodes)
    zs, rows = [n[0] for n in nodes], [(n[1],) for n in nodes]
    table = [hermite(zs, rows, zs[0] + (zs[-1] - zs[0]) * i / 48)[0] for i in range(49)] + [rows[-1][0]]
    low, high = zs[0], zs[-1]
    per = 48 / (high - low)
    ox, oy = axis_point

    def value(x, y, z):
        over = 0.0
        if z < low:
            over, z = low - z, low
        elif z > high:
            over, z = z - high, high
        t = (z - low) * per
        i = int(t)
        x -= ox
        y -= oy
        d = sqrt(x * x + y * y) - table[i] - (t - i) * (table[i + 1] - table[i])
        if over == 0:
            return d
        return over if d < 0 else sqrt(d * d + over * over)

    return value


def placed(solid, origin, y_axis=(0, 1, 0), x_near=(1, 0, 0)):
    """A solid of its own frame, moved to `origin` and turned: its y to y_axis, its x near x_near."""
    y = unit(y_axis)
    z = unit(cross(x_near, y))
    x = cross(y, z)
    ox, oy, oz = origin
    x0, x1, x2 = x
    y0, y1, y2 = y
    z0, z1, z2 = z

    def value(px, py, pz):
        px -= ox
        py -= oy
        pz -= oz
        return solid(px * x0 + py * x1 + pz * x2, px * y0 + py * y1 + pz * y2, px * z0 + py * z1 + pz * z2)

    return value


class Solid:
    """Parts that are joined and cut out one after the other, each with a blend of its own width."""

    def __init__(self, *steps):
        """steps: (part, width) to join, (part, -width) to cut out."""
        self.steps = steps

    def __call__(self, x, y, z):
        d = 1e9
        for part, k in self.steps:
            v = part(x, y, z)
            if k > 0:
                h = k - abs(d - v)
                if v < d:
                    d = v
                if h > 0:
                    d -= h * h / (4 * k)
            else:
                v = -v
                h = -k - abs(d - v)
                if v > d:
                    d = v
                if h > 0:
                    d += h * h / (-4 * k)
        return d

    def near(self, x, y, z, reach):
        """The value, and a solid that has the same values within `reach` of the point but fewer parts."""
        kept, d = [], 1e9
        slack = 2 * reach
        for part, k in self.steps:
            v = part(x, y, z)
            if k > 0:
                if v - slack >= d + k:
                    continue
                if v + slack + k <= d:
                    kept = []
                d = smooth_min(d, v, k)
            else:
                if -v + slack <= d + k:
                    continue
                d = -smooth_min(-d, v, -k)
            kept.append((part, k))
        return d, self if len(kept) == len(self.steps) else Solid(*kept)
