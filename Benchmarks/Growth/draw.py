"""Draws a CSV file of script/bench --growth: costs and peaks of memory over the number of pictures."""

import csv
import sys
from collections import defaultdict

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot  # noqa: E402


def read(path):
    series = defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            peak = float(row["peak bytes"]) / 2**20 if row["peak bytes"] else None
            series[row["series"]].append((int(row["count"]), float(row["microseconds"]), peak))
    return series


def draw(path, title, unit, lines, lowest=None):
    figure, axes = plot.subplots(figsize=(8, 5), dpi=110)
    for name, points in lines.items():
        axes.plot([x for x, _ in points], [y for _, y in points], marker="o", label=name)
    axes.set(xscale="log", yscale="log", title=title, xlabel="pictures", ylabel=unit)
    if lowest:
        axes.set_ylim(bottom=lowest)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="small")
    figure.tight_layout()
    # Without the time and the version, equal figures give equal files.
    figure.savefig(path, metadata={"Software": None})


def main(source, directory):
    series = read(source)
    cached = {name: [p[:2] for p in points] for name, points in series.items() if "cache" in name or "hit" in name}
    loads = {name: [p[:2] for p in points] for name, points in series.items() if name not in cached}
    peaks = {name: [(p[0], p[2]) for p in points if p[2]] for name, points in series.items() if points[0][2] is not None}
    draw(f"{directory}/growth-caches.png", "Cost of a picture by the number that is cached", "microseconds", cached)
    draw(f"{directory}/growth-loads.png", "Cost of a load by the number in flight", "microseconds", loads)
    draw(f"{directory}/growth-memory.png", "Peak of memory by the number of loads in flight", "MiB", peaks, lowest=0.1)


if __name__ == "__main__":
    main(*sys.argv[1:])
