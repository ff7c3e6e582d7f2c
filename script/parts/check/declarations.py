"""The declarations of test files, and which of them carry the tag `.alone`."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]

# The arguments of an attribute, which may have parentheses within.
ARGUMENTS = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
MODIFIERS = r"(?:@\w+\s*)*(?:(?:private|fileprivate|package|public|final|static)\s+)*"
TYPE = re.compile(
    rf"^(?P<attribute>@Suite(?P<traits>{ARGUMENTS})?\s*)?{MODIFIERS}(?:struct|class|enum|actor|extension) (?P<name>\w+)",
    re.MULTILINE)
TEST = re.compile(rf"@Test(?P<traits>{ARGUMENTS})?\s*{MODIFIERS}func (?P<name>\w+)")


def targets(root=ROOT):
    """The folders of the test targets, by name."""
    return {path.name: path for path in sorted((root / "Tests").iterdir()) if path.name.endswith("Tests") and path.is_dir()}


class Unit:
    """A declaration at the top level of a test file: a suite, a helper, or an extension of one."""

    def __init__(self, path, match, text, line):
        self.path, self.name, self.text, self.line = path, match["name"], text, line
        self.is_alone = ".alone" in (match["traits"] or "")
        self.tests = list(TEST.finditer(text))


def units(path):
    """The declarations of a file, from its first to its last type."""
    text = path.read_text()
    matches = list(TYPE.finditer(text))
    for number, match in enumerate(matches):
        end = matches[number + 1].start() if number + 1 < len(matches) else len(text)
        yield Unit(path, match, text[match.start():end], text.count("\n", 0, match.start()) + 1)
