"""Which targets a change touches."""

import pathlib
import re
import subprocess

# Longer than one piece of work takes, and shorter than the pause before the next.
WHILE = 4 * 60 * 60


def git(root, *words):
    return subprocess.run(["git", *words], cwd=root, stdout=subprocess.PIPE, text=True, check=True).stdout


def base(root):
    """The last commit that is four hours older than HEAD, or the first of all."""
    newest = int(git(root, "log", "-1", "--format=%ct"))
    found = git(root, "rev-list", "-1", f"--before={newest - WHILE}", "HEAD").strip()
    return found or git(root, "rev-list", "--max-parents=0", "HEAD").split()[0]


def changed_lines(root, since):
    """How many lines changed, by file; a new file that is not committed counts as one."""
    rows = [row.split("\t") for row in git(root, "diff", "--numstat", "--no-renames", since).splitlines()]
    lines = {name: sum(int(count) for count in counts if count != "-") for *counts, name in rows}
    return lines | {name: 1 for name in git(root, "ls-files", "--others", "--exclude-standard").splitlines()}


class Target:
    def __init__(self, name, body):
        self.name = name
        self.folder = re.search(r"path: \"([^\"]+)\"", body)[1]
        listed = re.search(r"dependencies: \[(.*?)\]", body, re.DOTALL)
        self.dependencies = re.findall(r"\"(\w+)\"", listed[1]) if listed else []


def targets(root):
    """The targets of the package, by name."""
    text = (root / "Package.swift").read_text()
    blocks = re.findall(
        r"\.(?:target|testTarget|executableTarget)\(\s*name: \"(\w+)\",(.*?path: \"[^\"]+\")", text, re.DOTALL)
    return {name: Target(name, body) for name, body in blocks}


def changed_targets(root, since=None):
    """The names of the targets whose files changed, and how many lines did."""
    lines = changed_lines(root, since or base(root))
    counts = {name: sum(count for file, count in lines.items() if file.startswith(f"{target.folder}/"))
              for name, target in targets(root).items()}
    return {name: count for name, count in counts.items() if count}


def modules_of(test, known):
    """What a test target is about: its module, and what stands below that and has no tests of its own."""
    found, open_names = set(), [test.removesuffix("Tests")]
    while open_names:
        name = open_names.pop()
        if name in known and name not in found and (not found or f"{name}Tests" not in known):
            found.add(name)
            open_names += known[name].dependencies
    return found
