"""Merges reports of script/bench --json into one file, and writes its tables into Markdown files.

usage: write_tables.py FIGURES [REPORT ...]

FIGURES (docs/benchmarks.json) keeps the newest figures of each case; REPORTs replace what they measured again.
"""

import json
import os
import re
import sys

# The job of which README's table tells: the figures that readers want first.
HIGHLIGHT = "thumbnails of files, mixed"


def title(result):
    return f"{result['group']}: {result['name']} / {result['baselineName']}"


def short(value):
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def time(seconds):
    for limit, factor, unit in [(999.5e-9, 1e9, "ns"), (999.5e-6, 1e6, "us"), (0.9995, 1e3, "ms")]:
        if seconds < limit:
            return f"{short(seconds * factor)} {unit}"
    return f"{short(seconds)} s"


def spread(side):
    seconds = side["seconds"]
    return f"{time(seconds['median'])} ({time(seconds['min'])} to {time(seconds['max'])})"


def memory(result):
    sides = [result[side].get("peakBytes") for side in ("subject", "baseline")]
    return " / ".join(f"{short(side / 2**20)} MiB" for side in sides) if None not in sides else ""


def verdict(is_met, bar):
    return f"{'met' if is_met else '**missed**'} (at most {bar:.2f})"


def bar(result):
    cells = []
    if "bar" in result:
        cells.append(verdict(result["ratio"] <= result["bar"], result["bar"]))
    if "memoryBar" in result:
        own, other = (result[side].get("peakBytes") for side in ("subject", "baseline"))
        is_met = bool(other) and own is not None and own / other <= result["memoryBar"]
        cells.append("memory " + verdict(is_met, result["memoryBar"]))
    return ", ".join(cells)


def machine(figures):
    values = figures["machine"]
    gigabytes = values["memoryKilobytes"] / 2**20
    return (
        f"{values['processor']}, {values['cores']} cores, {gigabytes:.1f} GiB, Linux {values['kernel']}, "
        f"{values['swift']}"
    )


def full_table(figures):
    lines = [machine(figures)]
    groups = sorted({result["group"] for result in figures["results"]})
    for group in groups:
        lines += ["", f"### {group}", ""]
        lines += ["| case | Easel | against | takes | ratio | bar | peak memory |", "|---|---|---|---|---|---|---|"]
        for result in figures["results"]:
            if result["group"] == group:
                cells = [
                    result["name"], spread(result["subject"]), result["baselineName"], spread(result["baseline"]),
                    f"{result['ratio']:.2f}", bar(result), memory(result),
                ]
                lines.append(f"| {' | '.join(cells)} |")
    if figures["skipped"]:
        lines.append("")
        lines += [f"Skipped: {name}: {reason}" for name, reason in sorted(figures["skipped"].items())]
    return lines


def highlights(figures):
    lines = ["| against | Easel | the other | ratio | peak memory |", "|---|---|---|---|---|"]
    chosen = [each for each in figures["results"] if each["group"] == "job" and each["name"] == HIGHLIGHT]
    for result in sorted(chosen, key=lambda each: each["ratio"]):
        seconds = [time(result[side]["seconds"]["median"]) for side in ("subject", "baseline")]
        # The C program is a limit and no rival: its pictures are made in the process that measures.
        held = "" if result["baselineName"] == "the C libraries" else memory(result)
        lines.append(f"| {result['baselineName']} | {seconds[0]} | {seconds[1]} | {result['ratio']:.2f} | {held} |")
    return lines


def insert(path, lines):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, end = "<!-- figures: written by script/bench docs -->", "<!-- end of figures -->"
    if begin not in text:
        sys.exit(f"{path} has no line {begin}")
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    body = "\n".join([begin, "", *lines, "", end])
    with open(path, "w", encoding="utf-8") as file:
        file.write(pattern.sub(lambda _: body, text))


def merge(figures, report):
    figures["machine"] = report["machine"]
    known = {title(result): index for index, result in enumerate(figures["results"])}
    for result in report["results"]:
        if title(result) in known:
            figures["results"][known[title(result)]] = result
        else:
            figures["results"].append(result)
        figures["skipped"].pop(title(result), None)
    for name, reason in report["skipped"].items():
        if name not in known:
            figures["skipped"][name] = reason


def main(path, *reports):
    figures = {"machine": None, "results": [], "skipped": {}}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            figures = json.load(file)
    for report in reports:
        with open(report, encoding="utf-8") as file:
            merge(figures, json.load(file))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(figures, file, indent=1, sort_keys=True)
        file.write("\n")
    insert("docs/benchmarks.md", full_table(figures))
    insert("README.md", highlights(figures))


if __name__ == "__main__":
    main(*sys.argv[1:])
