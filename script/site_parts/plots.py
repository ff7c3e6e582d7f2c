"""Draws figures of benchmarks as SVG whose colours follow the page, light or dark."""

import csv
import html
import math


def seconds(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def bars(results):
    """Returns rows with a bar each: the time of Easel as a share of the other's, which is the line."""
    # The line of the other lies at half of the width; a bar that takes more than twice its time ends at the edge.
    rows = []
    for result in results:
        ratio = result["ratio"]
        width = min(ratio / 2, 1) * 100
        words = f"{ratio:.2f} of {result['baselineName']}"
        times = f"{seconds(result['subject']['seconds']['median'])} beside {seconds(result['baseline']['seconds']['median'])}"
        rows.append(
            f'<div class="row"><div class="name">{html.escape(result["name"])}</div>'
            f'<svg class="bar" role="img" aria-label="{html.escape(words)}" width="100%" height="14">'
            f'<rect class="{"good" if ratio <= 1 else "bad"}" x="0" y="2" width="{width:.1f}%" height="10" rx="2"/>'
            '<line class="other" x1="50%" x2="50%" y1="0" y2="14"/></svg>'
            f'<div class="figures"><b>{html.escape(words)}</b> <span>{html.escape(times)}</span></div></div>')
    return "\n".join(rows)


WIDTH, HEIGHT, LEFT, RIGHT, TOP = 480, 300, 64, 12, 10


def growth(title, unit, lines):
    """Returns a plot with logarithmic axes: name of a line -> pairs of a count and a value."""
    points = [point for line in lines.values() for point in line]
    low_x, high_x = (f(math.log10(count) for count, _ in points) for f in (min, max))
    low_y = math.floor(min(math.log10(value) for _, value in points))
    high_y = math.ceil(max(math.log10(value) for _, value in points))
    bottom = HEIGHT - 40

    def place(count, value):
        x = LEFT + (math.log10(count) - low_x) / (high_x - low_x) * (WIDTH - LEFT - RIGHT)
        y = bottom - (math.log10(value) - low_y) / (high_y - low_y) * (bottom - TOP)
        return f"{x:.1f}", f"{y:.1f}"

    parts = [
        f'<figure><figcaption>{html.escape(title)}</figcaption>'
        f'<svg class="plot" role="img" aria-label="{html.escape(title)}" viewBox="0 0 {WIDTH} {HEIGHT}">']
    for power in range(low_y, high_y + 1):
        _, y = place(10**low_x, 10**power)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{10.0**power:,g}</text>')
    for power in range(math.ceil(low_x), math.floor(high_x) + 1):
        x, _ = place(10**power, 10**low_y)
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{TOP}" y2="{bottom}"/>')
        anchor = "end" if power == math.floor(high_x) else "middle"
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="{anchor}">{10**power:,}</text>')
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 6}">pictures; {html.escape(unit)}</text>')
    for number, line in enumerate(lines.values()):
        way = " ".join(",".join(place(*point)) for point in line)
        parts.append(f'<polyline class="line s{number % 6}" points="{way}"/>')
        parts += [f'<circle class="dot s{number % 6}" cx="{x}" cy="{y}" r="3"/>' for x, y in (place(*point) for point in line)]
    parts.append("</svg><ul class=\"legend\">")
    parts += [f'<li class="s{number % 6}">{html.escape(name)}</li>' for number, name in enumerate(lines)]
    parts.append("</ul></figure>")
    return "\n".join(parts)


def growths(path):
    """Returns the plots of docs/growth.csv."""
    times, peaks = {}, {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for lines, column in ((times, "microseconds"), (peaks, "peak bytes")):
                if row[column] and float(row[column]) > 0:
                    scale = 1 << 20 if lines is peaks else 1
                    lines.setdefault(row["series"], []).append((int(row["count"]), float(row[column]) / scale))
    in_flight = {name: line for name, line in times.items() if "load" in name or "JPEG" in name}
    cached = {name: line for name, line in times.items() if name not in in_flight}
    return "\n".join([
        growth("The cost of a picture by the number that is cached", "microseconds", cached),
        growth("The cost of a load by the number in flight", "microseconds", in_flight),
        growth("The peak of memory by the number in flight", "MiB", peaks)])
