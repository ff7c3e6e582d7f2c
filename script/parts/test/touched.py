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


def changed_files(root, since):
    names = git(root, "diff", "--name-only", since).splitlines()
    return names + git(root, "ls-files", "--others", "--exclude-standard").splitlines()


def folders(root):
    """The folder of each target of the package, by name."""
    text = (root / "Package.swift").read_text()
    pairs = re.findall(r"\.(?:target|testTarget|executableTarget)\(\s*name: \"(\w+)\".*?path: \"([^\"]+)\"", text, re.DOTALL)
    return dict(pairs)


def changed_targets(root, since=None):
    """The targets whose files changed, by name."""
    files = changed_files(root, since or base(root))
    return {name for name, folder in folders(root).items() if any(file.startswith(f"{folder}/") for file in files)}


def modules_of(test):
    """The targets that a test target is about: the module, and the C that it stands on."""
    module = test.removesuffix("Tests")
    return {module, f"C{module}"}
