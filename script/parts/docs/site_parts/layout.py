"""The frame of a page that stands alone: its head and its style."""

import html
import pathlib


def layout(title, body, script="", icon='<link rel="icon" href="favicon.svg">'):
    style = (pathlib.Path(__file__).parent / "site.css").read_text()
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
{script}</body>
</html>
"""
