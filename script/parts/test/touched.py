"""Which targets a change touches."""

import json
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
    """A target of Package.swift that has sources of its own."""

    def __init__(self, description):
        self.name, self.folder = description["name"], description["path"]
        self.dependencies = [names[0] for each in description["dependencies"] for names in each.values()]


def manifest(root):
    """What Package.swift says, as SwiftPM reads it."""
    # A build that runs at the same time holds the lock of its own folder.
    command = ["swift", "package", "--scratch-path", ".build/description", "dump-package"]
    return json.loads(subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout)


def targets(root):
    """The targets of the package, by name."""
    return {each["name"]: Target(each) for each in manifest(root)["targets"] if each["type"] != "system"}


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
