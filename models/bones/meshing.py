"""Closed triangle meshes of solids (implicit.py), with few triangles. Only + - * / and square roots, as there."""

from heapq import heapify, heappop, heappush
from math import floor, sqrt

# The six tetrahedra of a cube around its diagonal; corners by bits x, y, z.
TETRAHEDRA = ((0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7))
# The corners of each side of a cube, as bits, and the cube beyond it.
SIDES = (
    (0x55, (-1, 0, 0)), (0xAA, (1, 0, 0)), (0x33, (0, -1, 0)), (0xCC, (0, 1, 0)), (0x0F, (0, 0, -1)), (0xF0, (0, 0, 1)),
)  # fmt: skip
STEEPNESS = 1.6  # of the solids: how much faster than the distance their value may change


def polygonise(solid, box, cell):
    """Marching tetrahedra on a grid, looked at only near the surface. Closed and without edges of more than two
    triangles by construction. Returns vertices and triangles, which are seen counter-clockwise from outside."""
    lowest = [floor(a / cell) for a in box[0]]
    widest = max(floor(b / cell) + 1 - a for a, b in zip(lowest, box[1]))
    size = 1
    while size < widest:
        size *= 2
    found = []
    stack = [(*lowest, size, solid)]
    while stack:
        i, j, k, size, part = stack.pop()
        half = size * cell / 2
        reach = STEEPNESS * half * 1.7320508
        d, part = part.near(i * cell + half, j * cell + half, k * cell + half, reach)
        if abs(d) > reach:
            continue
        if size == 1:
            found.append((i, j, k, part))
            continue
        h = size // 2
        for a in (0, h):
            for b in (0, h):
                for c in (0, h):
                    stack.append((i + a, j + b, k + c, h, part))
    values, vertices, index, triangles = {}, [], {}, []

    def crossing(p, q):
        key = (p, q) if p < q else (q, p)
        vertex = index.get(key)
        if vertex is None:
            a, b = key
            t = values[a] / (values[a] - values[b])
            t = 0.05 if t < 0.05 else 0.95 if t > 0.95 else t
            vertices.append(tuple((u + t * (v - u)) * cell for u, v in zip(a, b)))
            vertex = index[key] = len(vertices) - 1
        return vertex

    # Where a solid is steeper than that, the surface leads on to cubes that were left out.
    known = {cube[:3] for cube in found}
    for i, j, k, part in found:
        corners = [(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2)) for n in range(8)]
        inside = 0
        for n, at in enumerate(corners):
            if at not in values:
                values[at] = part(at[0] * cell, at[1] * cell, at[2] * cell)
            if values[at] < 0:
                inside |= 1 << n
        if inside == 0 or inside == 255:
            continue
        for side, near in SIDES:
            if 0 != inside & side != side:
                cube = (i + near[0], j + near[1], k + near[2])
                if cube not in known:
                    known.add(cube)
                    found.append((*cube, solid))
        for tetrahedron in TETRAHEDRA:
            within = [corners[n] for n in tetrahedron if inside >> n & 1]
            if not within or len(within) == 4:
                continue
            without = [corners[n] for n in tetrahedron if not inside >> n & 1]
            # Whether the order of within, then without, is an even permutation of the tetrahedron's.
            order = [n for n in tetrahedron if inside >> n & 1] + [n for n in tetrahedron if not inside >> n & 1]
            place = [tetrahedron.index(n) for n in order]
            even = True
            for a in range(4):
                for b in range(a):
                    even ^= place[b] > place[a]
            if len(within) == 1:
                faces = [[crossing(within[0], q) for q in without]]
            elif len(within) == 3:
                faces = [[crossing(p, without[0]) for p in within]]
            else:
                (p, q), (r, s) = within, without
                a, b, c, d = crossing(p, r), crossing(p, s), crossing(q, s), crossing(q, r)
                faces = [[a, b, c], [a, c, d]]
            for face in faces:
                triangles.append(tuple(face) if even else (face[0], face[2], face[1]))
    return vertices, triangles


def onto(solid, x, y, z, rounds, step):
    """The point moved to the surface along the gradient, never by more than `step` in a round."""
    e = 0.01
    for _ in range(rounds):
        d = solid(x, y, z)
        if abs(d) < 0.002:
            break
        gx = (solid(x + e, y, z) - d) / e
        gy = (solid(x, y + e, z) - d) / e
        gz = (solid(x, y, z + e) - d) / e
        g = gx * gx + gy * gy + gz * gz
        if g < 0.01:
            break
        move = -d / g
        far = abs(move) * sqrt(g)
        if far > step:
            move *= step / far
        x += move * gx
        y += move * gy
        z += move * gz
    return x, y, z


def normal(p, q, r):
    """Square to the triangle, of twice its area; and the square of its longest side."""
    ux, uy, uz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    vx, vy, vz = r[0] - p[0], r[1] - p[1], r[2] - p[2]
    wx, wy, wz = ux - vx, uy - vy, uz - vz
    longest = max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz)
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx, longest


def settle(solid, vertices, triangles, step):
    """Moves vertices onto the surface, then those of thin triangles towards the middle of their neighbours, where this
    turns no triangle over and leaves none thinner."""
    vertices = list(vertices)
    around = [[] for _ in vertices]
    for t in triangles:
        for v in t:
            around[v].append(t)

    def thinnest(v, at, least):
        """The least height over longest side of the triangles about v if it were moved; -1 if one turns over."""
        for t in around[v]:
            before = normal(*(vertices[u] for u in t))
            after = normal(*(at if u == v else vertices[u] for u in t))
            along = before[0] * after[0] + before[1] * after[1] + before[2] * after[2]
            old = before[0] * before[0] + before[1] * before[1] + before[2] * before[2]
            new = after[0] * after[0] + after[1] * after[1] + after[2] * after[2]
            if along <= 0 or along * along < 0.25 * old * new:
                return -1.0
            least = min(least, sqrt(new) / after[3])
        return least

    def move(v, to, keep):
        now = thinnest(v, vertices[v], 1.0)
        for part in (1.0, 0.5, 0.25):
            at = tuple(a + part * (b - a) for a, b in zip(vertices[v], to))
            if thinnest(v, at, 1.0) >= min(now, keep):
                vertices[v] = at
                return

    for v, at in enumerate(vertices):
        move(v, onto(solid, *at, 3, step), 0.1)
    for _ in range(4):
        for v, at in enumerate(vertices):
            if thinnest(v, at, 1.0) > 0.2:
                continue
            others = sorted({u for t in around[v] for u in t} - {v})
            mx = my = mz = 0.0
            for u in others:
                mx += vertices[u][0]
                my += vertices[u][1]
                mz += vertices[u][2]
            n = len(others)
            middle = ((at[0] + mx / n) / 2, (at[1] + my / n) / 2, (at[2] + mz / n) / 2)
            move(v, onto(solid, *middle, 2, step), 1.0)
    return vertices


def decimate(vertices, triangles, target, cell):
    """Collapses edges until `target` triangles are left, those first that change the shape least (M. Garland and
    P. Heckbert, SIGGRAPH 1997). A small part of the cost is the edge's length, which keeps triangles even. The
    surface stays closed, and no triangle turns over."""
    position = [list(v) for v in vertices]
    faces = [list(t) for t in triangles]
    around = [set() for _ in vertices]
    quadric = [[0.0] * 10 for _ in vertices]
    for f, (a, b, c) in enumerate(faces):
        p, q, r = position[a], position[b], position[c]
        ux, uy, uz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        vx, vy, vz = r[0] - p[0], r[1] - p[1], r[2] - p[2]
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        n = sqrt(nx * nx + ny * ny + nz * nz)
        for v in (a, b, c):
            around[v].add(f)
        if n == 0:
            continue
        nx, ny, nz = nx / n, ny / n, nz / n
        d = -(nx * p[0] + ny * p[1] + nz * p[2])
        terms = (nx * nx, nx * ny, nx * nz, nx * d, ny * ny, ny * nz, ny * d, nz * nz, nz * d, d * d)
        for v in (a, b, c):
            row = quadric[v]
            for i in range(10):
                row[i] += n * terms[i]
    even = 1e-3 * cell * cell  # weight of the length, against areas times squared distances

    def cost(a, b):
        q = [s + t for s, t in zip(quadric[a], quadric[b])]
        p, r = position[a], position[b]
        mx, my, mz = (p[0] + r[0]) / 2, (p[1] + r[1]) / 2, (p[2] + r[2]) / 2
        length = (p[0] - r[0]) * (p[0] - r[0]) + (p[1] - r[1]) * (p[1] - r[1]) + (p[2] - r[2]) * (p[2] - r[2])
        # Best place: the quadric's least value, with a little weight on the middle, so that there is just one.
        w = 1e-3 * (q[0] + q[4] + q[7]) + 1e-12
        xx, yy, zz, xy, xz, yz = q[0] + w, q[4] + w, q[7] + w, q[1], q[2], q[5]
        bx, by, bz = w * mx - q[3], w * my - q[6], w * mz - q[8]
        i, j, k = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
        det = xx * i + xy * j + xz * k
        x = (bx * i + by * j + bz * k) / det
        y = (bx * j + by * (xx * zz - xz * xz) + bz * (xz * xy - xx * yz)) / det
        z = (bx * k + by * (xz * xy - xx * yz) + bz * (xx * yy - xy * xy)) / det
        away = (x - mx) * (x - mx) + (y - my) * (y - my) + (z - mz) * (z - mz)
        if away > length:
            x, y, z = mx, my, mz
        error = (
            q[0] * x * x + q[4] * y * y + q[7] * z * z + q[9]
            + 2 * (q[1] * x * y + q[2] * x * z + q[5] * y * z + q[3] * x + q[6] * y + q[8] * z)
        )
        return max(error, 0.0) + even * length, x, y, z

    version = [0] * len(position)
    heap = []
    for f, face in enumerate(faces):
        for a, b in zip(face, face[1:] + face[:1]):
            if a < b:
                heap.append((*cost(a, b), a, b, 0, 0))
    heapify(heap)
    left = len(faces)
    tiny = 0.0025 * cell * cell * cell * cell  # squared; of those that grids cut off, which look anywhere

    def turns_over(moved, other, x, y, z):
        sx = sy = sz = 0.0
        for f in around[moved]:
            nx, ny, nz, _ = normal(*(position[v] for v in faces[f]))
            sx += nx
            sy += ny
            sz += nz
        for f in around[moved]:
            a, b, c = faces[f]
            if other in (a, b, c):
                continue
            while a != moved:
                a, b, c = b, c, a
            p, q, r = position[a], position[b], position[c]
            ux, uy, uz = r[0] - q[0], r[1] - q[1], r[2] - q[2]
            vx, vy, vz = p[0] - q[0], p[1] - q[1], p[2] - q[2]
            wx, wy, wz = x - q[0], y - q[1], z - q[2]
            mx, my, mz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            nx, ny, nz = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
            along = mx * nx + my * ny + mz * nz
            new = nx * nx + ny * ny + nz * nz
            old = mx * mx + my * my + mz * mz
            if old > tiny and (along <= 0 or along * along < 0.16 * new * old):
                return True
            if nx * sx + ny * sy + nz * sz <= 0:
                return True
            # No slivers: a height below a twelfth of the longest side.
            longest = max(ux * ux + uy * uy + uz * uz, wx * wx + wy * wy + wz * wz)
            if new < longest * longest / 144 and new < old:
                return True
        return False

    while left > target and heap:
        _, x, y, z, a, b, va, vb = heappop(heap)
        if version[a] != va or version[b] != vb:
            continue
        shared = around[a] & around[b]
        if len(shared) != 2:
            continue
        ring_a = {v for f in around[a] for v in faces[f]}
        ring_b = {v for f in around[b] for v in faces[f]}
        if len(ring_a & ring_b) != 4:  # both ends, and the two corners opposite: else it would pinch
            continue
        if len(ring_a | ring_b) < 6 or turns_over(a, b, x, y, z) or turns_over(b, a, x, y, z):
            continue
        for f in shared:
            for v in faces[f]:
                if v not in (a, b):
                    around[v].discard(f)
        left -= 2
        around[a] -= shared
        for f in around[b] - shared:
            face = faces[f]
            face[face.index(b)] = a
            around[a].add(f)
        for f in shared:
            faces[f] = None
        around[b] = set()
        position[a] = [x, y, z]
        row, other = quadric[a], quadric[b]
        for i in range(10):
            row[i] += other[i]
        version[a] += 1
        version[b] = -1
        for v in sorted({v for f in around[a] for v in faces[f]} - {a}):
            p, q = (a, v) if a < v else (v, a)
            heappush(heap, (*cost(p, q), p, q, version[p], version[q]))
    names = {}
    for face in faces:
        if face is not None:
            for v in face:
                names.setdefault(v, len(names))
    return [tuple(position[v]) for v in names], [tuple(names[v] for v in f) for f in faces if f is not None]


def inverted(vertices, triangles):
    """Triangles that look the other way than those beside them."""
    units, beside = [], {}
    for k, t in enumerate(triangles):
        x, y, z, _ = normal(*(vertices[v] for v in t))
        n = sqrt(x * x + y * y + z * z)
        units.append((x / n, y / n, z / n))
        for a, b in zip(t, t[1:] + t[:1]):
            beside[a, b] = k
    out = []
    for k, t in enumerate(triangles):
        alike = 0.0
        for a, b in zip(t, t[1:] + t[:1]):
            other = units[beside[b, a]]
            alike += units[k][0] * other[0] + units[k][1] * other[1] + units[k][2] * other[2]
        if alike < -0.5:
            out.append(t)
    return out


def unfold(solid, vertices, triangles, step):
    """Moves the corners of such triangles to the middle of their neighbours on the surface, until there are none."""
    near = [set() for _ in vertices]
    for t in triangles:
        for v in t:
            near[v].update(t)
    for _ in range(12):
        for v in sorted({v for t in inverted(vertices, triangles) for v in t}):
            others = sorted(near[v] - {v})
            middle = [0.0, 0.0, 0.0]
            for u in others:
                for a in range(3):
                    middle[a] += vertices[u][a] / len(others)
            vertices[v] = onto(solid, *middle, 2, step)
    return vertices


def mesh(solid, box, cell, target):
    """A closed mesh of about `target` triangles; details below `cell` are lost."""
    vertices, triangles = decimate(*polygonise(solid, box, cell), target, cell)
    vertices = settle(solid, vertices, triangles, cell)
    return unfold(solid, vertices, triangles, cell), triangles


def volume(vertices, triangles):
    """Six times that of the body; positive where triangles look outwards."""
    out = 0.0
    for a, b, c in triangles:
        (px, py, pz), (qx, qy, qz), (rx, ry, rz) = vertices[a], vertices[b], vertices[c]
        out += px * (qy * rz - qz * ry) + py * (qz * rx - qx * rz) + pz * (qx * ry - qy * rx)
    return out


def defect(vertices, triangles):
    """What is wrong with a closed mesh; empty if nothing is."""
    edges = set()
    for t in triangles:
        if len(set(t)) < 3:
            return "a triangle has two corners in one"
        x, y, z, longest = normal(*(vertices[v] for v in t))
        if sqrt(x * x + y * y + z * z) < 1e-3 * longest:
            return "a triangle has no area"
        for a, b in zip(t, t[1:] + t[:1]):
            if (a, b) in edges:
                return "two triangles run along an edge in the same direction"
            edges.add((a, b))
    if any((b, a) not in edges for a, b in edges):
        return "an edge has one triangle only"
    if volume(vertices, triangles) <= 0:
        return "triangles look inwards"
    return ""
