"""Draws figures of benchmarks as SVG whose colours follow the page, light or dark."""

import csv
import html
import math


def seconds(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def explanation(machine):
    """Returns what a reader of the bars has to know."""
    return f"""<p>Both sides of a case run in turn, and the ratio is the median of the ratios within each pair: a ratio below
1 means that Easel takes less. The line in a row is the other's time or memory, the bar is Easel's; a bar to the edge takes
twice as much or more. The triangle is the most that Easel promises. Measured on {html.escape(machine["processor"])},
{machine["cores"]} cores, Linux {html.escape(machine["kernel"])}, {html.escape(machine["swift"])}.</p>"""


def groups(results):
    """Returns the bars of all results, those of a group under its name."""
    named = {}
    for result in results:
        named.setdefault(result["group"], []).append(result)
    return "\n".join(f"<h2>{html.escape(name)}</h2>\n{bars(inner)}" for name, inner in sorted(named.items()))


def memory_ratio(result):
    """Returns the memory of Easel as a share of the other's; None if it is not known."""
    own, other = (result[side].get("peakBytes") for side in ("subject", "baseline"))
    return own / other if own is not None and other else None


def misses(results):
    """Returns the results that take more than they promise; memory that is not known keeps no promise."""
    def is_miss(result):
        memory = memory_ratio(result)
        return "bar" in result and result["ratio"] > result["bar"] or (
            "memoryBar" in result and (memory is None or memory > result["memoryBar"]))
    return [result for result in results if is_miss(result)]


def bars(results):
    """Returns a row with a bar for the time of each result, and another for its memory where that has a limit."""
    rows = []
    for result in results:
        own, other = result["subject"], result["baseline"]
        times = f"{seconds(own['seconds']['median'])} beside {seconds(other['seconds']['median'])}"
        rows.append(bar(result["name"], result["baselineName"], result["ratio"], times, result.get("bar")))
        memory = memory_ratio(result)
        if "memoryBar" in result and memory is not None:
            sizes = f"{own['peakBytes'] / 2**20:.3g} MiB beside {other['peakBytes'] / 2**20:.3g} MiB"
            rows.append(bar(
                f"{result['name']}: memory", result["baselineName"], memory, sizes, result["memoryBar"]))
    return "\n".join(rows)


def bar(name, other, ratio, figures, most):
    """Returns a row whose bar is Easel's share of what the other takes; `most` is the promise, or None."""
    def place(share):  # The other's line lies at half of the width.
        return f"{min(share / 2, 1) * 100:.1f}%"

    words = f"{ratio:.2f} of {other}"
    promise, mark = "", ""
    if most is not None:
        promise = f", {'at most' if ratio <= most else 'missed: at most'} {most:.3g}"
        mark = f'<svg class="promise" x="{place(most)}" y="0" overflow="visible"><path d="M-4 0h8l-4 6z"/></svg>'
    is_good = ratio <= (1 if most is None else most)
    return (
        f'<div class="row"><div class="name">{html.escape(name)}</div>'
        f'<svg class="bar" role="img" aria-label="{html.escape(words + promise)}" width="100%" height="14">'
        f'<rect class="{"good" if is_good else "bad"}" x="0" y="2" width="{place(ratio)}" height="10" rx="2"/>'
        f'<line class="other" x1="50%" x2="50%" y1="0" y2="14"/>{mark}</svg>'
        f'<div class="figures"><b>{html.escape(words)}</b> <span>{html.escape(figures + promise)}</span></div></div>')


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
