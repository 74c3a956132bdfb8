#!/usr/bin/env python3
"""Writes the bones of our models as closed meshes, *.obj in this folder: each a blend of shafts, heads and condyles
about its landmarks. README.md says where these come from. Standard library only; the same bytes every time.

    python3 models/bones/make_bones.py [NAME...]

Right side, millimetres here and metres in the files: x forward, y up, z to the right, in the anatomical position, palms
forward. A bone's origin is the centre of the joint at its upper end, that of a pelvis the middle between the anterior
superior iliac spines.
"""

import multiprocessing
import pathlib
import sys
from math import sqrt

sys.dont_write_bytecode = True  # the folder is installed as it is
from implicit import Solid, ball, block, cone, disc, dot, ellipsoid, placed, plate, shaft, spool, tube  # noqa: E402
from meshing import defect, inverted, mesh  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent


def femur():
    """Head at the origin, knee at (0, -422, 0)."""
    knee = -422.2
    body = shaft([
        (-30, -7, 47, 15),
        (-60, -6, 44, 17.5),
        (-90, -3, 40.5, 16.2),
        (-130, 1, 36, 14.4, 0.3, 0, -0.8),
        (-190, 5, 28.5, 13.3, 0.5, 0, -1.4),
        (-250, 6, 21.5, 13.3, 0.5, 0, -1.4),
        (-310, 3.5, 14, 14.8, -0.5, 0, -0.6),
        (-345, 0, 9, 18.5, -3),
        (-375, -3, 4.5, 24.5, -7),
        (-398, -4, 2, 28.5, -8.5),
        (-420, -2, 1, 27, -8),
    ], 12)  # fmt: skip
    # The sagittal outline of a condyle: facets of 32 and 22 mm as in models/knee, here as the path of a smaller wheel.
    outline = [(17, knee + 13, 16), (16, knee + 1, 16), (12, knee - 10, 16), (6.7, knee - 14.5, 16), (0, knee - 16, 16),
               (-6.8, knee - 14.5, 16), (-10, knee - 10.5, 15.8), (-10.5, knee - 4, 15),
               (2, knee + 4, 18)]  # fmt: skip
    inner = [(x, y, r - 0.8) for x, y, r in outline]
    return Solid(
        (body, 1),
        (tube([(0, 0, 0, 16), (-1, -10, 14, 14.2), (-3, -20, 27, 15), (-5, -33, 42, 18)]), 12),
        (ball((0, 0, 0), 23.5), 4),
        # Greater trochanter, its hooked top, and the crest down to the lesser one behind.
        (ellipsoid((-4, -40, 57), (17, 25, 12)), 12),
        (tube([(-4, -42, 55, 13), (-8, -22, 57, 12), (-13, -9, 55, 9.5)]), 9),
        (tube([(-16, -16, 53, 6), (-21, -42, 45, 5.5), (-19, -70, 32, 6)]), 8),
        (tube([(-8, -80, 36, 10), (-17, -74, 26.5, 7.5), (-19, -71, 24.5, 6.5)]), 8),
        (ball((-16, -15, 39), 7), -8),
        # Condyles: they part towards the back.
        (disc(outline, 23, 15, 12.5, -0.10), 9),
        (disc(inner, -23, 14.5, 12.5, 0.16), 9),
        (ellipsoid((9, knee + 12, 2), (21, 30, 31)), 14),
        (ellipsoid((-3, knee + 6, 34), (13, 13, 8)), 9),
        (ellipsoid((-4, knee + 9, -34), (13, 14, 9)), 9),
        (ball((-6, knee + 26, -36), 4), 8),  # adductor tubercle
        # Groove of the patella, notch between the condyles, hollow above them behind.
        (tube([(38, knee + 36, 3, 9), (43, knee + 14, 2, 11), (39, knee - 10, 1, 11), (28, knee - 31, 0, 10),
               (10, knee - 44, 0, 9)]), -7),
        (plate((2, knee - 42, 0), (-30, knee + 3, 0), (-50, knee - 40, 0), 8, 9, 9), -6),
        (ellipsoid((-34, knee + 32, 3), (14, 20, 18)), -12),
        (ball((0, 3, -26), 5), -4),  # fovea
    )  # fmt: skip


def patella():
    """Middle of the bone at the origin; the articular surface looks back."""
    return Solid(
        (ellipsoid((1, 3, 0), (10.5, 19, 21.5)), 1),
        (cone((2, -6, 0), (2.5, -21, 0), 9, 4.5), 12),
        (cone((-2, 12, -1), (-5, -7, -1), 7.5, 6.5), 8),
        (cone((-24, 22, 14), (-24, -14, 14), 18, 18), -3),
        (cone((-24, 22, -17), (-24, -14, -17), 18, 18), -3),
    )


def tibia():
    """Knee at the origin, its plateau 32 mm below, ankle at (0, -434, 0)."""
    body = shaft([
        (-29.5, -5, 0, 29.5, -7.5, 0, -1),
        (-42, -4, 0, 30.8, -7.5, 0, -0.5),
        (-52, -1, 0, 28.5, -6, 0, 1),
        (-66, 2, 0, 23, -2.5, 0, 2.2),
        (-88, 2.5, 0, 18, -0.3, 0, 2.4, -0.4),
        (-120, 1.8, -0.5, 15.2, 0.8, 0, 2.8, -0.6),
        (-170, 0.5, -1, 13.7, 1, 0, 2.8, -0.6),
        (-230, -1, -1.5, 12.4, 0.9, 0, 2.6, -0.5),
        (-290, -2, -2, 11.4, 0.5, 0, 1.8, 0),
        (-335, -2, -2, 11.5, 0, 0, 0.9, 0.3),
        (-370, -2, -2, 13.2, -0.5, 0, 0.4, 0.4),
        (-395, -2, -2, 17, -1.5),
        (-418.5, -2, -2, 19.5, -2.5),
    ], 4)  # fmt: skip
    return Solid(
        (body, 2),
        (ellipsoid((-6, -43, -21), (23, 11, 17)), 7),
        (ellipsoid((-7, -43, 21), (21, 11, 17)), 7),
        # Tuberosity, and the crest that runs down from it.
        (ellipsoid((22, -63, 1), (15, 17, 12)), 12),
        (tube([(22, -75, 1, 6), (16.5, -105, 0, 5), (14, -160, -1.5, 3.5), (10, -230, -2.5, 3), (4, -300, -4, 3)]), 6),
        # Dishes of the plateau, the eminence between, hollows before and behind it.
        (ellipsoid((-4, -6, -21), (50, 26.5, 40)), -5),
        (ellipsoid((-5, -6, 21), (48, 26.5, 40)), -5),
        (tube([(6, -36, -4, 4), (-3, -31, -5, 4.5), (-6, -26, -5.5, 2.5)]), 6),
        (tube([(0, -36, 4, 4), (-6, -31, 5, 4.5), (-8, -27.5, 5.5, 2.5)]), 6),
        (cone((-39, -26, 0), (-37, -50, 0), 10, 8), -8),
        (ball((20, -26, 1), 8), -8),
        # Ankle: arch over the talus, malleolus, notch of the fibula, groove behind.
        (tube([(-2, -396, -16, 12), (-1, -414, -21, 9.5), (0, -428, -22, 7.5)]), 8),
        (disc([(0, -434, 20.5)], 13, 27, 3), -3),
        (cone((-4, -385, 32), (-5, -425, 31), 11, 11), -6),
        (cone((-20, -405, -22), (-17, -435, -23), 4, 5), -5),
    )  # fmt: skip


def fibula():
    """In the frame of the tibia."""
    body = shaft([
        (-54, -16, 35, 9),
        (-68, -15, 34.5, 6.2),
        (-90, -13, 33.5, 5.6, 0.3, 0, 0.5),
        (-150, -13, 31.5, 6.4, 0.9, 0, 1.2, 0.3),
        (-220, -12, 28.5, 6.6, 0.9, 0, 1.3, 0.3),
        (-300, -9, 25, 6, 0.7, 0, 1.0),
        (-360, -6, 23, 5.8, 0.6, 0, 0.6),
        (-395, -5, 22.8, 7, 1),
        (-420, -4, 23.5, 7.2, 2),
    ])  # fmt: skip
    return Solid(
        (body, 1),
        (ellipsoid((-16, -50, 35), (11, 9, 10.5)), 5),
        (cone((-18, -46, 36), (-21, -38, 37), 6, 2.5), 5),
        (ellipsoid((-4, -422, 24.8), (11, 20, 7.6)), 8),
        (cone((-5, -428, 24.5), (-7, -443, 24), 7, 4), 5),
        (ball((-13, -438, 16), 6), -4),
        (cone((-17, -405, 27), (-16, -450, 25), 4, 5), -4),
    )


def hip():
    """Hip bone. Anterior superior spine at (0, 0, 118), socket about (-70, -70, 85)."""
    socket, spine, tubercle, top = (-70, -70, 85), (-2, -3, 117), (-30, 36, 136), (-78, 58, 128)
    behind, rear, sacral = (-122, 50, 92), (-154, 14, 44), (-112, -14, 60)
    roof, lower_spine, middle = (-66, -46, 94), (-28, -38, 100), (-72, 8, 112)
    return Solid(
        # The wing: plates about its thin middle, and the crest.
        (plate(middle, spine, tubercle, 3, 4, 4), 1),
        (plate(middle, tubercle, top, 3, 4, 4), 1.5),
        (plate(middle, top, behind, 3, 4, 4.5), 1.5),
        (plate(middle, behind, sacral, 3, 4.5, 8), 1.5),
        (plate(behind, rear, sacral, 4.5, 6, 8), 1.5),
        (plate(middle, sacral, roof, 3, 8, 9), 3),
        (plate(middle, roof, lower_spine, 3, 9, 6), 3),
        (plate(middle, lower_spine, spine, 3, 6, 5), 1.5),
        (tube([(*spine, 6.5), (-10, 20, 127, 5.5), (*tubercle, 7), (-54, 52, 136, 5.5), (*top, 5.5), (-103, 57, 113, 6),
               (*behind, 7), (-143, 33, 64, 7.5), (*rear, 8)]), 6),
        (cone(rear, (-142, -16, 48), 8, 6), 8),
        (plate(rear, sacral, (-140, -18, 48), 6, 9, 5), 8),
        (tube([(-4, -6, 115, 6.5), (-17, -22, 107, 4.5), (-24, -36, 101, 7.5)]), 5),
        # The socket with its rim, open to the side, forward and down.
        (ball(socket, 33), 12),
        # Ischium with its spine and tuberosity, pubis, and the rami about the foramen.
        (tube([(-88, -80, 74, 20), (-100, -104, 66, 15), (-112, -126, 62, 15), (-106, -142, 60, 13)]), 12),
        (cone((-106, -78, 62), (-122, -82, 50), 9, 3.5), 10),
        (tube([(-112, -20, 60, 9), (-98, -45, 66, 11), (-92, -66, 68, 13)]), 10),
        (tube([(-100, -146, 57, 10), (-76, -147, 44, 6), (-48, -134, 27, 6), (-26, -116, 13, 8)]), 8),
        (tube([(-56, -72, 68, 15), (-38, -74, 50, 8.5), (-22, -82, 30, 8), (-12, -90, 15, 9)]), 10),
        (plate((-14, -90, 12), (-26, -118, 11), (-22, -98, 24), 8, 7, 6), 8),
        (cone((-15, -90, 6), (-27, -116, 6), 5.5, 4), 5),
        (ball(socket, 26), -5),
        (cone(socket, (-42, -110, 149), 24.5, 42), -5),
        (cone((-66, -88, 96), (-62, -112, 84), 9, 9), -6),  # the socket's notch, below
    )  # fmt: skip


def sacrum():
    """With the coccyx, in the frame of the pelvis."""
    # Vertebrae from the second: where, half width and half depth.
    bodies = [(-124, -20, 23, 15), (-137, -45, 20, 12.5), (-141, -68, 17, 10.5), (-137, -88, 15, 8.5)]
    steps = []
    for side in (-1, 1):
        # Wings beside the upper three vertebrae, the mass beside the others.
        steps += [
            (plate((-108, 8, 20 * side), (-114, 2, 48 * side), (-134, -32, 34 * side), 12, 9, 9), 10),
            (plate((-122, -8, 18 * side), (-126, -20, 45 * side), (-141, -58, 26 * side), 10, 8, 6), 8),
            (plate((-138, -46, 14 * side), (-144, -58, 28 * side), (-139, -90, 14 * side), 7, 6, 5), 8),
        ]
    above = (-106, 4)
    for x, y, width, depth in bodies:
        up = (above[0] - x, above[1] - y, 0)
        steps.append((placed(ellipsoid((0, 0, 0), (depth, 13.5, width)), (x, y, 0), up), 5))
        above = (x, y)
    # What is between them and the spines behind: the canal is not open.
    steps.append((tube([(-118, -2, 0, 14), (-134, -30, 0, 12), (-143, -56, 0, 9), (-141, -84, 0, 6)]), 5))
    first = shaft([(-15, -1, 0, 18, -3), (0, -1, 0, 16.5, -4), (14, 0, 0, 20, -6)])
    steps.append((placed(first, (-106, 4, 0), (-0.5, 1, 0)), 5))
    for x, y, z, r in ((-113, -7, 22, 4.3), (-127, -32, 20, 3.7), (-136, -56, 17, 3.3), (-138, -78, 13.5, 2.8)):
        for side in (-1, 1):
            steps.append((cone((x + 20, y + 8, z * side), (x - 40, y - 14, (z + 2) * side), r + 1.5, r - 0.5), -3))
    # Spines behind, upper facets, coccyx.
    steps += [
        (tube([(-128, 12, 0, 6), (-143, -10, 0, 5.5), (-153, -38, 0, 5), (-153, -64, 0, 4.5), (-146, -86, 0, 4)]), 10),
        (cone((-128, 14, 0), (-142, 7, 0), 6, 4), 5),
        (cone((-140, -14, 0), (-152, -20, 0), 6, 3.5), 5),
        (cone((-147, -38, 0), (-158, -44, 0), 5, 3), 5),
        (cone((-122, 8, -19), (-130, 20, -20), 6.5, 4), 6),
        (cone((-122, 8, 19), (-130, 20, 20), 6.5, 4), 6),
        (tube([(-136, -92, 0, 9), (-130, -104, 0, 8), (-124, -114, 0, 6), (-114, -123, 0, 4)]), 5),
    ]
    return Solid(*steps)


def block_at(centre, half, edge):
    return placed(block(half, edge), centre)


def talus():
    """Ankle at the origin."""
    return Solid(
        (disc([(0, 0, 19.5)], 1, 14.5, 6), 1),
        (block_at((-2, -14, 1), (19, 12, 14), 7), 6),
        (tube([(8, -10, 0, 13), (20, -11, -5, 10.5), (27, -13, -8, 11)]), 8),
        (ellipsoid((32, -15, -11), (10, 11, 14)), 5),
        (cone((-2, -14, 12), (1, -20, 19), 8, 4), 6),
        (cone((-12, -14, -2), (-23, -17, -4), 8, 4.5), 6),
        (cone((-2, 23, 1), (2, 23, 1), 5, 5), -6),
        (cone((-34, -36, 4), (22, -34, 10), 12, 11), -5),
        (cone((18, -34, -14), (18, -34, 22), 11, 11), -6),
    )


def calcaneus():
    return Solid(
        (placed(block((40, 15, 11.5), 9), (-10, -45, 5), (-0.16, 1, 0), (1, 0.16, 0.14)), 1),
        (ellipsoid((-44, -47, -1), (12, 21, 15)), 10),
        (ellipsoid((-38, -62, -6), (12, 7, 8)), 6),
        (tube([(-20, -36, 3, 10), (-8, -34, 6, 10.5), (4, -37, 9, 9)]), 8),
        (plate((0, -38, 0), (15, -31, -13), (3, -32, -16), 8, 5, 5), 6),
        (cone((24, -40, 12), (33, -38, 14), 11, 10.5), 6),
        (cone((-14, -62, -18), (26, -56, -10), 11, 8), -10),
        (cone((0, -70, 4), (30, -66, 10), 10, 10), -10),
        (block_at((45, -40, 14), (8, 20, 20), 2), -3),
    )


def placed_solid(part, *place):
    return Solid((placed(part, *place), 1))


def tarsal(centre, half, y_axis=(0, 1, 0), x_near=(1, 0, 0), edge=5.5):
    return lambda: placed_solid(block(half, min(edge, *half)), centre, y_axis, x_near)


def navicular():
    return Solid(
        (placed(ellipsoid((0, 0, 0), (8.5, 12.5, 17)), (46, -17, -13), (-0.15, 1, 0), (1, 0, -0.25)), 1),
        (cone((45, -20, -24), (43, -25, -31), 7.5, 5), 6),
        (ellipsoid((31, -14, -10), (11.8, 12.5, 15)), -3),
    )


def small_long(a, b, base, waist, head, hint=(0, 1, 0)):
    """A metatarsal or metacarpal from the middle of its base to that of its head; base is (half height, half width)."""
    axis = tuple(p - q for p, q in zip(a, b))
    length = sqrt(dot(axis, axis))
    mean, oval = (base[0] + base[1]) / 2, (base[0] - base[1]) / 2
    body = shaft([
        (length, 0, 0, mean, oval),
        (0.86 * length, 0, 0, 0.88 * mean, 0.7 * oval),
        (0.62 * length, 0.02 * length, 0, 1.06 * waist, 0, 0, 0.1 * waist),
        (0.4 * length, 0.022 * length, 0, waist, 0, 0, 0.1 * waist),
        (0.2 * length, 0.01 * length, 0, 1.15 * waist),
        (0, 0, 0, 0.8 * head),
    ], 2, 32)  # fmt: skip
    bone = Solid(
        (body, 1),
        (ellipsoid((0, 0, 0), (1.08 * head, head, 0.94 * head)), 2),
        (ball((-0.52 * head, 0.38 * head, 0.58 * head), 0.42 * head), 2),
        (ball((-0.52 * head, 0.38 * head, -0.58 * head), 0.42 * head), 2),
    )  # fmt: skip
    return Solid((placed(bone, b, axis, hint), 1))


def metatarsal(a, b, *sizes):
    return lambda: small_long(a, b, *sizes)


def fifth_metatarsal():
    return Solid(
        (small_long((52, -46, 29), (110, -58, 34), (6.5, 8), 4, 6.5), 1),
        (cone((52, -48, 32), (41, -52, 37), 6, 3.5), 5),
    )


def phalanx(a, b, base, waist, head, hint=(0, 1, 0)):
    """From the middle of its base's hollow to that of its head; the hint points to its back."""
    axis = tuple(p - q for p, q in zip(a, b))
    length = sqrt(dot(axis, axis))
    body = shaft([
        (length, 0, 0, base, -0.08 * base),
        (0.88 * length, 0, 0, 0.98 * base, -0.08 * base),
        (0.66 * length, 0.01 * length, 0, 1.1 * waist, -0.08 * waist),
        (0.38 * length, 0.02 * length, 0, waist, -0.1 * waist),
        (0.16 * length, 0.01 * length, 0, 1.12 * waist, -0.12 * waist),
        (0, 0, 0, 0.8 * head, -0.1 * head),
    ], 0.25 * base, 32)  # fmt: skip
    # The head is a pulley across.
    bone = Solid(
        (body, 1),
        (spool([(-1.15 * head, 0.72 * head), (-0.75 * head, head), (0, 0.8 * head), (0.75 * head, head),
                (1.15 * head, 0.72 * head)], (0, 0)), 0.5 * head),
        (ball((0, length + 0.72 * base, 0), base), -0.3 * base),
    )  # fmt: skip
    return Solid((placed(bone, b, axis, hint), 1))


def last_phalanx(a, b, base, waist, tuft, hint=(0, 1, 0)):
    """From the middle of its base to its tip, which is flat."""
    axis = tuple(p - q for p, q in zip(a, b))
    length = sqrt(dot(axis, axis))
    body = shaft([
        (length, 0, 0, base, -0.1 * base),
        (0.86 * length, 0, 0, 0.95 * base, -0.1 * base),
        (0.5 * length, 0, 0, waist, -0.1 * waist),
        (0.2 * length, 0, 0, 0.8 * tuft, -0.3 * tuft),
        (0, 0, 0, 0.7 * tuft, -0.3 * tuft),
    ], 0.3 * base, 32)  # fmt: skip
    bone = Solid(
        (body, 1),
        (ellipsoid((0, 0.12 * length, 0), (0.42 * tuft, 0.16 * length, 1.1 * tuft)), 0.5 * tuft),
        (ball((0, length + 0.8 * base, 0), base), -0.3 * base),
    )
    return Solid((placed(bone, b, axis, hint), 1))


def toe(head, tip, great=False):
    """The phalanges of a toe from the metatarsal's head to its tip."""
    along = tuple(q - p for p, q in zip(head, tip))

    def at(t, drop=0.0):
        return (head[0] + t * along[0], head[1] + t * along[1] + drop, head[2] + t * along[2])

    if great:
        return [
            (lambda: phalanx(at(0.22), at(0.62, -1), 9.5, 6, 6.5), 2.0, 120),
            (lambda: last_phalanx(at(0.76, -1.5), at(1), 8.5, 5.5, 7), 2.0, 90),
        ]
    return [
        (lambda: phalanx(at(0.16), at(0.58, 1.5), 5.5, 3.2, 3.8), 1.5, 80),
        (lambda: phalanx(at(0.66, 1.5), at(0.78, -1), 4.4, 3.4, 3.4), 1.4, 56),
        (lambda: last_phalanx(at(0.86, -2), at(1, -2), 4, 3, 3.6), 1.4, 50),
    ]


FOOT = [
    (calcaneus, 2.6, 500),
    (navicular, 2.2, 200),
    (tarsal((47, -41, 19), (12, 11, 12.5), (-0.1, 1, 0.1), (1, 0, 0.25)), 2.5, 120),  # cuboid
    (tarsal((62, -27, -22), (11, 12.5, 8), (-0.25, 1, 0.1), (1, 0.1, 0)), 2.4, 110),  # cuneiforms
    (tarsal((58.5, -20, -9), (8, 9, 6.5), (-0.2, 1, 0), (1, 0, 0)), 2.0, 90),
    (tarsal((59, -25, 3.5), (9.5, 9, 6.5), (-0.15, 1, 0.25), (1, 0, 0.1)), 2.0, 90),
    (metatarsal((76, -31, -22), (123, -55, -25), (12, 8.5), 6, 10), 2.4, 240),
    (metatarsal((69, -23, -9), (132, -54, -7), (8.5, 7), 4, 7), 2.0, 200),
    (metatarsal((71, -28, 4), (128, -55, 8), (8.5, 6.5), 3.9, 6.8), 2.0, 200),
    (metatarsal((59, -37, 17), (120, -57, 22), (8, 6.5), 3.8, 6.5), 2.0, 200),
    (fifth_metatarsal, 2.0, 220),
]
TOES = [
    *toe((123, -55, -25), (178, -62, -26), True),
    *toe((132, -54, -7), (176, -63, -8)),
    *toe((128, -55, 8), (169, -63, 7)),
    *toe((120, -57, 22), (158, -64, 20)),
    *toe((110, -58, 34), (145, -64, 31)),
]


def scapula():
    """In the frame of the humerus at rest: its head at the origin, the socket 25 mm from it, looking to the side and
    forward."""
    socket, neck = (-12.5, -1, -22), (-19, -1, -34)
    root, upper, lower = (-66, 0, -104), (-52, 46, -84), (-74, -112, -88)
    side, below = (-30, -34, -42), (-61, -48, -81)
    face = placed(ellipsoid((0, 0, 0), (12.5, 18.5, 5)), socket, (0.05, 1, 0.08), (0.85, 0, -0.5))
    return Solid(
        # The blade: plates, and its borders.
        (plate(neck, root, upper, 6, 2.5, 2.5), 1),
        (plate(neck, root, below, 6, 2.5, 2), 2),
        (plate(neck, side, below, 6, 4.5, 2), 2),
        (plate(root, below, lower, 2.5, 2, 3.5), 2),
        (plate(below, side, lower, 2, 4.5, 4), 2),
        (tube([(-17, -20, -29, 6.5), (*side, 5.5), (-52, -76, -66, 4.8), (*lower, 5.5)]), 5),
        (tube([(*lower, 5), (-76, -60, -102, 3.4), (*root, 3.6), (-61, 26, -98, 3), (*upper, 4)]), 5),
        (tube([(*upper, 3.6), (-38, 36, -64, 2.8), (-25, 22, -46, 3.6)]), 4),
        # The socket's head and rim, with the tubercles above and below.
        (cone(neck, socket, 12, 14), 8),
        (face, 4),
        (cone((-17, -18, -29), (-15.5, -21, -26), 6, 4.5), 5),
        # Coracoid process.
        (tube([(-17, 18, -37, 8.5), (-8, 28, -40, 7), (10, 29, -36, 6), (27, 17, -25, 5.2)]), 6),
        # Spine and acromion.
        (plate(root, (-46, 6, -62), (-60, 14, -66), 2.5, 3.5, 2.8), 5),
        (plate((-46, 6, -62), (-60, 14, -66), (-30, 6, -42), 3.5, 2.8, 4), 5),
        (plate((-60, 14, -66), (-30, 6, -42), (-52, 26, -22), 2.8, 4, 3.5), 5),
        (tube([(*root, 3), (-60, 12, -72, 4.2), (-57, 22, -40, 4.6), (-50, 30, -14, 5), (-40, 35, 8, 4.8)]), 5),
        (plate((-50, 30, -12), (-38, 34, 10), (-26, 37, -4), 4.5, 4.3, 3.8), 6),
        (plate((-38, 34, 10), (-26, 37, -4), (-8, 36, 18), 4.3, 3.8, 4), 6),
        (plate((-26, 37, -4), (-8, 36, 18), (2, 36, 6), 3.8, 4, 3.8), 6),
        (ball((0, 0, 0), 25), -3),
    )  # fmt: skip


def clavicle():
    """In the frame of the scapula."""
    return Solid(
        (tube([(0, 40, -1, 5.5), (8, 42, -12, 5.8), (18, 41, -28, 6), (23, 39, -48, 6), (24, 36, -72, 6),
               (28, 32, -96, 6.4), (37, 28, -120, 7.5), (42, 25, -136, 10)]), 1),
        (ellipsoid((4, 39.5, -6), (10, 4.8, 11)), 6),
        (ellipsoid((42, 24, -138), (10, 12, 8)), 6),
        (ball((12, 35, -24), 4), 4),
    )  # fmt: skip


def humerus():
    """Head at the origin, elbow at (0, -282, 0)."""
    elbow = -281.7
    body = shaft([
        (-8, 3, 8, 20),
        (-24, 3, 8, 19),
        (-44, 2.5, 8, 15),
        (-75, 1.5, 8, 12.4),
        (-115, 1, 7.5, 11.8, 0, 0, 0.5, 0.8),
        (-150, 1, 6, 11.2, 0, 0, 0.6, 0.5),
        (-190, 1, 4.5, 10.5, 0, 0, 0.4),
        (-222, 1.5, 2.5, 10.8, -1.8),
        (-245, 2, 0, 13.2, -4.5),
        (-262, 2, -2, 16, -7.5),
        (-274, 2, -2, 16, -7.5),
    ], 5)  # fmt: skip
    trochlea = [(-21, 11.5), (-18, 13.2), (-13, 11), (-7, 8.8), (-1, 10), (3, 10.8), (5.5, 9.8)]
    return Solid(
        (body, 1),
        (ball((0, 0, 0), 23), 4),
        # Tubercles with the groove between.
        (tube([(4, 6, 20, 11), (2, -10, 21, 10), (2, -26, 17, 7)]), 6),
        (tube([(20, 1, 8, 7), (18, -12, 8, 6), (14, -28, 9, 4)]), 5),
        (tube([(27, 14, 20, 4), (25, -2, 18.5, 4), (20, -24, 16, 3.8), (15, -60, 14, 3)]), -4),
        (tube([(3, -85, 10, 7), (3, -108, 13.5, 7.2), (2, -126, 15, 7.2), (1, -155, 9.5, 6)]), 9),  # deltoid tuberosity
        # Elbow: pulley, little head, epicondyles, pits before and behind.
        (cone((-1, -268, -22), (-5, -271, -33), 10, 5.5), 7),
        (cone((0, -264, 18), (-2, -269, 24), 8, 6), 8),
        (tube([(0, -212, 8, 4), (0, -240, 16, 4), (-1, -264, 24, 5)]), 7),
        (tube([(0, -218, -4, 4), (0, -246, -14, 4), (-4, -267, -29, 5)]), 7),
        (spool(trochlea, (1, elbow)), 3),
        (ball((2.5, elbow, 14), 11.2), 3),
        (ellipsoid((-16, -265, -5), (11.5, 12, 11)), -4),
        (ellipsoid((16, -266, -6), (8.5, 7.5, 8.5)), -4),
        (ellipsoid((17, -265, 12), (8, 6, 7)), -4),
    )  # fmt: skip


def ulna():
    """In the frame of the forearm: elbow at the origin, wrist at (0, -269, 0)."""
    body = shaft([
        (-8, -15, -7, 10.5, 0),
        (-25, -12, -7, 10.5, 0.5, 0, 0.3),
        (-48, -9.5, -8, 8.8, 0.6, 0, -0.2, 0.8),
        (-90, -8, -10, 7.3, 0.5, 0, -0.4, 1),
        (-140, -8, -13, 6.7, 0.3, 0, -0.3, 1),
        (-190, -8, -16, 6, 0, 0, 0, 0.6),
        (-230, -7, -18, 5.4),
        (-248, -6, -19, 6.6),
        (-256, -6, -19, 7.5),
    ], 2.5)  # fmt: skip
    return Solid(
        (body, 1),
        # Olecranon and coronoid process hold the pulley of the humerus.
        (tube([(-16, -8, -7, 11), (-19, 6, -7, 10.5), (-16, 15, -7, 9.5)]), 6),
        (cone((-10, 17, -7), (-3, 17.5, -7), 7, 4), 5),
        (tube([(-8, -24, -7, 10), (4, -20, -7, 9), (13, -14.5, -8, 5)]), 6),
        (ellipsoid((2, -34, -5), (6, 8, 6)), 6),
        (spool([(-26, 15.5), (-21, 14.2), (-13, 12.8), (-7, 11.2), (-1, 12.3), (6, 13.6), (12, 15)], (1, 0)), -2),
        (cone((2, -8, 13.5), (2, -30, 13.5), 12.5, 12.5), -3),
        (cone((-10, -254, -22), (-11, -264, -24), 4, 2.2), 4),
    )  # fmt: skip


def radius():
    """In the frame of the forearm."""
    body = shaft([
        (-20, 2.5, 14, 7.5),
        (-30, 2.5, 14, 6.4),
        (-46, 2.5, 13, 6.8),
        (-70, 1, 12.5, 6.6, 0, 0, 0, -0.5),
        (-110, 0, 15.5, 6.9, 0, 0, 0, -1.1),
        (-155, 0, 18, 7.3, 0, 0, 0, -1.1),
        (-195, 0, 16.5, 7.8, 0, 0, 0, -0.9),
        (-225, 0, 13.5, 9.5, -1),
        (-245, 0, 10.5, 13, -2.8),
        (-258, 0, 10, 14.2, -3.4),
        (-265, 0, 10.5, 13.5, -3.4),
    ], 3)  # fmt: skip
    return Solid(
        (body, 1),
        (placed(shaft([(-5, 0, 0, 9.5), (0, 0, 0, 11.2), (4.5, 0, 0, 11)], 2), (2.5, -17, 14)), 4),
        (ball((2.5, 0, 14), 12.4), -1.5),
        (ellipsoid((5, -46, 9), (6, 10.5, 6)), 5),
        (cone((0, -258, 22), (0, -271, 25), 7, 3), 6),
        (cone((-10, -246, 12), (-11, -254, 11), 3.5, 2.5), 4),
        (ellipsoid((0, -273, 8), (14, 12, 18)), -3),
        (ball((-5, -254, -15), 10.5), -3),
    )


def carpal(centre, radii, *place):
    return lambda: placed_solid(ellipsoid((0, 0, 0), radii), centre, *place)


def finger(knuckle, direction, lengths, size):
    """The phalanges of a finger that points along `direction` from its knuckle; joints are `lengths` apart."""
    n = sqrt(dot(direction, direction))
    along = tuple(d / n for d in direction)

    def at(distance):
        return tuple(k + distance * a for k, a in zip(knuckle, along))

    parts, start = [], 0.0
    gap = 6.6 * size
    for i, length in enumerate(lengths):
        a, end = start + gap, start + length
        base, waist, head = [(7.0, 4.4, 4.6), (5.6, 3.6, 3.8), (4.6, 2.8, 3.9)][i + 3 - len(lengths)]
        make = last_phalanx if i == len(lengths) - 1 else phalanx
        parts.append((
            lambda a=a, end=end, make=make, sizes=(base * size, waist * size, head * size): make(
                at(a), at(end), *sizes, (-1, 0, 0)
            ),
            1.5 * size,
            100,
        ))
        start, gap = end, (head + 0.9) * size
    return parts


def metacarpals(*knuckles):
    bases = [(-1, -28, 12), (-2, -30.5, 2), (-1, -28, -7), (1, -27, -14)]
    sizes = [((7.5, 7.5), 4.1, 7), ((7.5, 6.5), 4.1, 7.2), ((7, 5.5), 3.7, 6.5), ((6.5, 5.5), 3.6, 6)]
    return [
        (lambda a=a, b=b, size=size: small_long(a, b, *size, (-1, 0, 0)), 2.2, 140)
        for a, b, size in zip(bases, knuckles, sizes)
    ]


def metacarpal():
    return small_long((0, -2, 0), (0, -64, 0), (7.5, 7.5), 4.1, 7, (-1, 0, 0))


CARPALS = [
    (carpal((3, -7, 13), (7.5, 8, 10), (0.2, 1, 0.5)), 2.2, 110),  # scaphoid
    (carpal((0, -6, 1), (8.5, 7, 7.5)), 2.0, 90),  # lunate
    (carpal((-1, -10, -11), (7, 7, 7.5), (0, 1, -0.4)), 2.0, 90),  # triquetrum
    (carpal((9, -11, -14), (5, 6, 5)), 1.8, 70),  # pisiform
    (tarsal((7, -20, 20), (7, 7, 8.5), (0, 1, 0.5)), 2.0, 100),  # trapezium
    (tarsal((0, -20, 11), (6.5, 6, 5.5)), 2.0, 80),  # trapezoid
    (carpal((-1, -18, 1.5), (8, 11.5, 7)), 2.2, 100),  # capitate
    (tarsal((1, -19, -9.5), (8, 8, 6.5), (0, 1, -0.25)), 2.0, 100),  # hamate
]

# With the trapezium where our hand has the joint of its thumb.
PALM = [
    *CARPALS[:4],
    (tarsal((8, -18, 24), (7.5, 7.5, 9.5), (0, 1, 0.4)), 2.0, 100),
    *CARPALS[5:],
    *metacarpals((0, -90, 26), (0, -92, 6), (0, -90, -14), (0, -85, -34)),
]

HAND = [
    *CARPALS,
    (lambda: small_long((11, -29, 27), (27, -63, 47), (6.5, 7), 5, 7, (-1, 0, 0)), 2.2, 140),
    *metacarpals((0, -90, 22), (-3, -92, 2), (-1, -85, -16), (3, -78, -32)),
    *finger((27, -63, 47), (8, -25, 14), (31, 24), 1.1),
    *finger((0, -90, 22), (1.5, -20, 2), (42, 24, 20), 1.0),
    *finger((-3, -92, 2), (1.5, -20, 0), (46, 28, 20), 1.02),
    *finger((-1, -85, -16), (1.5, -20, -2), (43, 27, 20), 0.97),
    *finger((3, -78, -32), (1.5, -20, -4.5), (34, 19, 18), 0.87),
]

# Joints 45, 26 and 20 mm apart, as in our fingers; each with its own joint at the origin.
INDEX = [finger((0, up, 0), (0, -1, 0), (45, 26, 20), 1.0)[k][0] for k, up in enumerate((0, 45, 71))]

# Of each file: what it is, and its solids with the cell of their grid in mm and the number of their triangles.
BONES = {
    "hip_r": ("Right hip bone", [(hip, 3.2, 2600)]),
    "sacrum": ("Sacrum and coccyx", [(sacrum, 3.0, 2200)]),
    "femur_r": ("Right femur", [(femur, 3.6, 2400)]),
    "patella_r": ("Right patella", [(patella, 2.5, 500)]),
    "tibia_r": ("Right tibia", [(tibia, 3.4, 2200)]),
    "fibula_r": ("Right fibula", [(fibula, 2.8, 1000)]),
    "talus_r": ("Right talus", [(talus, 2.2, 700)]),
    "foot_r": ("Right calcaneus, midfoot and metatarsals", FOOT),
    "toes_r": ("Phalanges of a right foot", TOES),
    "clavicle_r": ("Right clavicle", [(clavicle, 2.5, 800)]),
    "scapula_r": ("Right scapula", [(scapula, 2.6, 2200)]),
    "humerus_r": ("Right humerus", [(humerus, 2.8, 2200)]),
    "ulna_r": ("Right ulna", [(ulna, 2.5, 1600)]),
    "radius_r": ("Right radius", [(radius, 2.5, 1500)]),
    "hand_r": ("Bones of a right hand", HAND),
    "palm_r": ("Right carpus and four metacarpals", PALM),
    "metacarpal": ("A metacarpal", [(metacarpal, 2.0, 400)]),
    "phalanx_proximal": ("Proximal phalanx of a finger", [(INDEX[0], 1.3, 400)]),
    "phalanx_middle": ("Middle phalanx of a finger", [(INDEX[1], 1.1, 340)]),
    "phalanx_distal": ("Distal phalanx of a finger", [(INDEX[2], 1.0, 300)]),
}  # fmt: skip
MIRRORED = {"hip_l": ("hip_r", "Left hip bone")}
REACH = ((-180, -460, -150), (200, 70, 150))  # all bones are within it


def make(name):
    """Vertices in mm and triangles of a bone."""
    vertices, triangles = [], []
    for solid, cell, target in BONES[name][1]:
        points, faces = mesh(solid(), REACH, cell, target)
        if problem := defect(points, faces) or ("a triangle is folded over" if inverted(points, faces) else ""):
            raise ValueError(f"{name}: {problem}")
        triangles += [tuple(v + len(vertices) for v in face) for face in faces]
        vertices += points
    return vertices, triangles


def text(title, vertices, triangles):
    lines = [f"# {title}, written for Sinew by models/bones/make_bones.py. Apache-2.0."]
    for vertex in vertices:
        lines.append("v " + " ".join(f"{c / 1000:.5f}" for c in vertex))
    lines += ["f " + " ".join(str(v + 1) for v in t) for t in triangles]
    return "\n".join(lines) + "\n"


def files(name):
    """The files of a bone, with its mirror image where there is one."""
    vertices, triangles = make(name)
    out = {name: text(BONES[name][0], vertices, triangles)}
    for other, (of, title) in MIRRORED.items():
        if of == name:
            out[other] = text(title, [(x, y, -z) for x, y, z in vertices], [(a, c, b) for a, b, c in triangles])
    return out


def main(names=()):
    with multiprocessing.Pool() as pool:
        for written in pool.imap(files, names or BONES):
            for name, content in written.items():
                (FOLDER / f"{name}.obj").write_text(content)


if __name__ == "__main__":
    main(sys.argv[1:])
