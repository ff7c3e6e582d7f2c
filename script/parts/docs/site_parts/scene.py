"""Paints the picture of which README and the gallery show variants: mountains at a lake in the evening. It follows from
the numbers here alone, so that every machine paints the same."""

import math
import random

WIDTH, HEIGHT = 1200, 800
SHORE = 560  # the row at which the lake begins


def mix(one, other, share):
    return tuple(a + (b - a) * share for a, b in zip(one, other))


def ridge(seed, top, rough):
    """The heights of a mountain ridge, a row for each column, by displacing middles."""
    numbers = random.Random(seed)
    points, swing = [top + numbers.uniform(-40, 40) for _ in range(5)], rough
    while len(points) < WIDTH:
        finer = []
        for one, other in zip(points, points[1:]):
            finer += [one, (one + other) / 2 + numbers.uniform(-swing, swing)]
        points, swing = finer + points[-1:], swing * 0.56
    return [points[at * (len(points) - 1) // (WIDTH - 1)] for at in range(WIDTH)]


def sky(row):
    """The colour of a row of the sky: blue above, rose, and gold at the shore."""
    stops = [(0, (38, 52, 104)), (220, (94, 92, 148)), (380, (214, 132, 132)), (500, (250, 186, 120)), (SHORE, (255, 214, 150))]
    for (above, one), (below, other) in zip(stops, stops[1:]):
        if row <= below:
            return mix(one, other, (row - above) / (below - above))
    return stops[-1][1]


def paint_land(rows):
    sun = (770, 452)
    for y in range(SHORE):
        color, row = sky(y), rows[y]
        for x in range(WIDTH):
            away = math.hypot(x - sun[0], y - sun[1])
            if away < 46:
                row.append((255, 246, 214))
            else:
                row.append(mix(color, (255, 226, 160), min(0.85, 2400 / (away * away + 900))))
    # The farther a ridge, the more it has of the air's colour. Snow lies on the upper part of the farthest two.
    layers = [(3, 300, 90, (146, 118, 158), 60), (8, 372, 76, (104, 88, 134), 34), (15, 448, 52, (66, 66, 104), 0),
              (23, 512, 26, (36, 48, 70), 0)]
    for seed, top, rough, color, snow in layers:
        heights = ridge(seed, top, rough)
        for x in range(WIDTH):
            slope = heights[min(x + 4, WIDTH - 1)] - heights[max(x - 4, 0)]
            light = max(-1.0, min(1.0, -slope / 14)) * 0.16  # the sun is on the right
            for y in range(max(0, int(heights[x])), SHORE):
                deep = y - heights[x]
                share = min(1.0, deep / 240)
                shade = mix(color, sky(SHORE), 0.42 * share)
                shade = mix(shade, (255, 222, 190), light) if light > 0 else mix(shade, (20, 22, 52), -light)
                if deep < snow + 26 * math.sin(x / 7 + seed) + 12 * math.sin(x / 2.6):
                    shade = mix(shade, (250, 228, 224), 0.62 + light)
                rows[y][x] = shade


def paint_lake(rows, numbers):
    for y in range(SHORE, HEIGHT):
        deep = (y - SHORE) / (HEIGHT - SHORE)
        mirror = rows[max(0, SHORE - 1 - int((y - SHORE) * 1.55))]
        shift = int(numbers.uniform(-1, 1) * (2 + 14 * deep))
        gleam = 0.18 * max(0.0, math.sin(y * 0.9 + 5 * math.sin(y / 11)))
        for x in range(WIDTH):
            color = mix(mirror[min(WIDTH - 1, max(0, x + shift))], (24, 40, 74), 0.26 + 0.34 * deep)
            rows[y].append(mix(color, (255, 232, 186), gleam if abs(x - 770) < 60 + 140 * deep else gleam * 0.25))


def fill(rows, x, y, color, share=1.0):
    if 0 <= x < WIDTH and 0 <= y < HEIGHT:
        rows[y][x] = mix(rows[y][x], color, share)


def paint_trees(rows, numbers):
    for at in range(34):
        foot, x = 574 + numbers.randrange(24), int(numbers.triangular(-20, 400, 40))
        tall = 62 + numbers.randrange(110)
        for y in range(foot - tall, foot):
            down = (y - foot + tall) / tall
            half = (0.22 * tall) * down * (0.55 + 0.45 * ((y * 0.11 + at) % 1))
            for px in range(int(x - half), int(x + half) + 1):
                fill(rows, px, y, mix((14, 26, 34), (42, 52, 52), max(0.0, (px - x) / (half + 1))))
    for x in range(0, 480):
        for y in range(int(566 + 14 * math.sin(x / 57)), int(612 - 52 * x / 480 + 4 * math.sin(x / 9))):
            fill(rows, x, y, (20, 28, 34))


def paint_boat(rows):
    left, water = 905, 640
    for y in range(water - 20, water + 8):  # the hull
        down = (y - water + 20) / 28
        for x in range(int(left + 18 * down), int(left + 130 - 22 * down)):
            fill(rows, x, y, mix((226, 62, 48), (128, 22, 30), down))
    for y in range(water - 150, water - 24):  # the sails and the mast
        share = (y - water + 150) / 126
        for x in range(int(left + 66), int(left + 70 + 58 * share)):
            fill(rows, x, y, mix((255, 250, 240), (246, 178, 122), share))
        for x in range(int(left + 58 - 40 * share), left + 58):
            fill(rows, x, y, mix((246, 84, 64), (204, 44, 48), share))
        for x in range(left + 59, left + 64):
            fill(rows, x, y, (52, 34, 36))
    for y in range(water + 8, water + 92):  # what the water shows of it
        share = 1 - (y - water - 8) / 84
        for x in range(left + 14, left + 112):
            if math.sin(y * 1.3 + x * 0.05) > -0.2:
                fill(rows, x, y, (224, 116, 88), 0.34 * share)


def pixels():
    """Returns the bytes of the picture, three for each pixel."""
    numbers = random.Random(20261130)
    rows = [[] for _ in range(HEIGHT)]
    paint_land(rows)
    paint_lake(rows, numbers)
    paint_trees(rows, numbers)
    paint_boat(rows)
    # The grain of a sensor; without it, all formats would seem better than they are.
    return bytes(
        max(0, min(255, round(value + grain)))
        for row in rows for color in row for grain in (numbers.gauss(0, 1.6),) for value in color)


def write(path):
    """Writes the picture as a PPM."""
    path.write_bytes(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + pixels())
