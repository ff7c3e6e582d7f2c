"""Reads the guides "In five minutes": the files that they write, their commands, and what these print."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
GUIDES = ROOT / "Sources/Easel/Easel.docc"
PAGES = ["AddToAServer", "ThumbnailsOfUploads", "PicturesInGTK", "ACoderInFiveMinutes", "ServeBehindNginx"]
ADDRESS = "https://git.example.org/easel.git"


def steps(page):
    """Yields (kind, name, text) for the blocks of a page: a file, commands, or what they print."""
    before, block, language, kind = "", None, "", None
    for line in (GUIDES / f"{page}.md").read_text().splitlines():
        if block is not None:
            if line != "```":
                block.append(line)
                continue
            text = "\n".join(block) + "\n"
            if name := re.search(r"`([^`]+)`:$", before):
                kind = "file"
                yield kind, name[1], text
            elif language == "sh":
                kind = "commands"
                yield kind, None, text
            elif kind == "commands" and not language:
                yield "output", None, text
            else:
                sys.exit(f"check guides: {page}: no file is named before this block, and no command:\n{text}")
            block, before = None, ""
        elif line.startswith("```"):
            block, language = [], line[3:]
        elif line:
            before = line
