"""Collects what the search of the site knows: declarations with their first sentence, and guides with all their words."""

import re

WORD = re.compile(r"[a-z0-9][a-z0-9+_-]*(?:\\.[a-z0-9]+)*")


def plain(blocks):
    """Yields the texts of blocks, at any depth."""
    if isinstance(blocks, dict):
        for name in ("text", "code", "title"):
            value = blocks.get(name)
            if isinstance(value, str):
                yield value
            elif isinstance(value, list):
                yield from (line for line in value if isinstance(line, str))
        for name in ("content", "inlineContent", "items", "rows", "identifier"):
            if isinstance(blocks.get(name), list):
                yield from plain(blocks[name])
    elif isinstance(blocks, list):
        for block in blocks:
            yield from plain(block)


def text(blocks):
    """Returns the words of blocks, each once."""
    return " ".join(dict.fromkeys(WORD.findall(" ".join(plain(blocks)).lower())))


def sections(page):
    """Yields (title, anchor, blocks) for a guide: its beginning, then each part with a heading."""
    title, anchor, blocks = page.title, "", [*page.node.get("abstract", [])]
    for block in page.blocks():
        if block["type"] == "heading" and block["level"] == 2:
            yield title, anchor, blocks
            title, anchor, blocks = f'{page.title}: {block["text"]}', "#" + block["anchor"], []
        blocks.append(block)
    yield title, anchor, blocks


def entries(front, pages):
    """Yields title, kind, module, address and text of each entry."""
    def walk(node, module):
        for child in node.get("children", []):
            if "path" in child:
                is_module = child["path"].count("/") == 2
                inner = child["title"] if is_module else module
                page = pages.get(child["path"][1:].lower())
                yield child, "module" if is_module else child["type"], inner, page
                yield from walk(child, inner)

    seen = set()
    for child, kind, module, page in walk(front, "Easel"):
        address = child["path"][1:] + "/"
        if address in seen:
            continue
        seen.add(address)
        if kind == "article" and page:
            for title, anchor, blocks in sections(page):
                yield [title, "guide", module, address + anchor, text(blocks)]
        else:
            yield [child["title"], kind, module, address, text(page.node.get("abstract", [])) if page else ""]


def missing(found, questions):
    """Yields a fault for each question to which no guide answers."""
    guides = [entry[0].lower() + " " + entry[4] for entry in found if entry[1] == "guide"]
    for question in questions:
        if not any(question in guide for guide in guides):
            yield f"search: {question}: no guide is found"
