"""Draws the picture of which README and the gallery show variants: mountains at a lake in the evening. It is an SVG that
follows from the numbers here alone; easel draws its pixels."""

import math
import random

WIDTH, HEIGHT = 1200, 800
SHORE = 560  # the height at which the lake begins
SUN = (694, 340)


def ridge(seed, top, rough):
    """The heights of a mountain ridge, every six pixels, by displacing middles."""
    numbers = random.Random(seed)
    points, swing = [top + numbers.uniform(-40, 40) for _ in range(5)], rough
    while len(points) < WIDTH // 6:
        finer = []
        for one, other in zip(points, points[1:]):
            finer += [one, (one + other) / 2 + numbers.uniform(-swing, swing)]
        points, swing = finer + points[-1:], swing * 0.56
    return [(at * WIDTH / (len(points) - 1), height) for at, height in enumerate(points)]


def path(points, close=""):
    return "M" + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) + close


def mountains():
    """The farther a ridge, the more it has of the air's colour. Snow lies on the farther ones."""
    layers = [(3, 300, 90, "far", 46), (8, 372, 76, "middle", 26), (15, 448, 52, "near", 0), (23, 512, 26, "shore", 0)]
    for seed, top, rough, name, snow in layers:
        points = ridge(seed, top, rough)
        outline = path(points, f" L{WIDTH},{SHORE} 0,{SHORE}Z")
        yield f'<path d="{outline}" fill="url(#{name})"/>'
        for (x, y), (right, below) in zip(points, points[1:]):
            # The sun is on the right: what falls to the right is light, what rises is dark.
            slope = max(-1.0, min(1.0, (below - y) / 7))
            color = "#ffd9b0" if slope > 0 else "#141634"
            foot = min(SHORE, max(y, below) + 90)
            yield f'<path d="{path([(x, y), (right, below), (right + slope * 22, foot), (x + slope * 22, foot)], "Z")}" ' \
                f'fill="{color}" opacity="{abs(slope) * 0.16:.2f}"/>'
        if snow:
            lower = [(x, y + snow * (0.6 + 0.4 * math.sin(x / 8 + seed)) + 9 * math.sin(x / 2.7)) for x, y in points]
            yield f'<path d="{path(points + lower[::-1], "Z")}" fill="#fde9e2" opacity="0.7"/>'


def trees():
    numbers = random.Random(5)
    for _ in range(34):
        foot, x = 574 + numbers.randrange(26), numbers.triangular(-20, 400, 40)
        tall, half = 62 + numbers.randrange(110), 0
        for step in range(6):
            top, bottom = foot - tall * (1 - step / 7), foot - tall * (1 - (step + 1.9) / 7)
            half = tall * 0.05 * (step + 1.6)
            yield f'<path d="{path([(x, top), (x - half, bottom), (x + half, bottom)], "Z")}" fill="url(#fir)"/>'
    bank = [(x, 570 + 12 * math.sin(x / 57)) for x in range(0, 500, 10)]
    yield f'<path d="{path(bank, " L520,592 0,640Z")}" fill="#10181f"/>'


BOAT = """<path d="M905 622h132l-24 26h-88z" fill="url(#hull)"/><path d="M964 490h5v134h-5z" fill="#34222a"/>
<path d="M971 490c40 44 56 84 60 126h-60z" fill="url(#sail)"/><path d="M961 498c-22 44-34 84-40 118h40z" fill="#dc4436"/>"""


def svg():
    """Returns the picture as the text of an SVG."""
    def shade(name, *stops):
        inner = "".join(f'<stop offset="{at}" stop-color="{color}"/>' for at, color in stops)
        return f'<linearGradient id="{name}" x1="0" y1="0" x2="0" y2="1">{inner}</linearGradient>'

    shades = "".join([
        shade("sky", (0, "#26346a"), (0.4, "#5e5c94"), (0.68, "#d68484"), (0.9, "#faba78"), (1, "#ffd696")),
        shade("far", (0, "#8a7aa4"), (1, "#e6ae92")), shade("middle", (0, "#665a88"), (1, "#c28c84")),
        shade("near", (0, "#3e4068"), (1, "#82667a")), shade("shore", (0, "#222e44"), (1, "#3a4258")),
        shade("water", (0, "#6a5a78"), (0.35, "#2c3e62"), (1, "#14243e")), shade("fir", (0, "#1c2a30"), (1, "#0c161c")),
        shade("hull", (0, "#e8442f"), (1, "#7c161e")), shade("sail", (0, "#fffaf0"), (1, "#f6b27a"))])
    land = "\n".join(mountains())
    scene = f"""<g id="land"><rect width="{WIDTH}" height="{SHORE}" fill="url(#sky)"/>
<circle cx="{SUN[0]}" cy="{SUN[1]}" r="330" fill="url(#glow)"/><circle cx="{SUN[0]}" cy="{SUN[1]}" r="46" fill="#fff3d2"/>
{land}</g>"""
    return f"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 width="{WIDTH}" height="{HEIGHT}" viewBox="24 0 1152 768"><rect width="1200" height="800" fill="#2c3e62"/>
<defs>{shades}<radialGradient id="glow"><stop offset="0" stop-color="#ffe2a0" stop-opacity="0.9"/>
<stop offset="1" stop-color="#ffe2a0" stop-opacity="0"/></radialGradient>
<clipPath id="lake"><rect y="{SHORE}" width="{WIDTH}" height="{HEIGHT - SHORE}"/></clipPath>
<filter id="waves" x="0" y="0" width="1" height="1"><feTurbulence type="fractalNoise" baseFrequency="0.006 0.11" numOctaves="3"
 seed="4"/><feDisplacementMap in="SourceGraphic" scale="34" xChannelSelector="R" yChannelSelector="G"/></filter>
<filter id="grain" x="0" y="0" width="1" height="1"><feTurbulence type="fractalNoise" baseFrequency="0.8" numOctaves="2"
 seed="9"/><feColorMatrix values="0 0 0 0 0.5  0 0 0 0 0.5  0 0 0 0 0.5  0.5 0.5 0 0 -0.38"/></filter></defs>
{scene}
<g clip-path="url(#lake)"><g filter="url(#waves)"><rect y="{SHORE - 20}" width="{WIDTH}" height="{HEIGHT}" fill="#6a5a78"/>
<use xlink:href="#land" transform="translate(0 {SHORE * 1.62:.0f}) scale(1 -0.62)"/></g>
<rect y="{SHORE}" width="{WIDTH}" height="{HEIGHT - SHORE}" fill="url(#water)" opacity="0.62"/>
<g transform="translate(0 1292) scale(1 -1)" opacity="0.3" filter="url(#waves)">{BOAT}</g></g>
{"".join(trees())}
{BOAT}
<rect width="{WIDTH}" height="{HEIGHT}" filter="url(#grain)" opacity="0.4"/>
</svg>
"""
