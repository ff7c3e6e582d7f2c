"""The frame of a page that stands alone, and the bar that all pages begin with."""

import html
import pathlib

PARTS = pathlib.Path(__file__).parent
LINKS = [
    ("Easel", ""), ("Guides", "#guides"), ("Reference", "documentation/easel/"), ("Gallery", "gallery.html"),
    ("Formats", "documentation/easel/formats/"), ("Benchmarks", "benchmarks.html"),
]


def bar(root, has_search=True):
    """Returns the bar with the links of the site and the search; `root` is the way to the front page, with its slash."""
    links = "".join(
        f'<a href="{root + name if name and name[0] != "#" else (root or "./") + name}">{title}</a>' for title, name in LINKS)
    search = """<div class="site-search" data-search><input type="search" placeholder="Search guides and reference"
 aria-label="Search guides and reference" autocomplete="off"><ol hidden></ol></div>""" if has_search else ""
    return (f'<nav class="site-bar" aria-label="Site">{links}{search}</nav>\n'
            f'<script src="{root}search.js" data-root="{root}" defer></script>\n')


def layout(title, body, icon='<link rel="icon" href="favicon.svg">\n<link rel="stylesheet" href="bar.css">'):
    style = (PARTS / "site.css").read_text()
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
{icon}
<style>
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""
