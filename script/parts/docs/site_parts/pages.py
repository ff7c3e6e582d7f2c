"""Reads the pages that docc has made, and writes their content as plain HTML for readers without scripts."""

import html
import json
import sys

from .layout import bar


class Page:
    """One page of the reference or a guide."""

    def __init__(self, site, path):
        self.site = site
        # The address of the page, from the root of the site: documentation/easel/...
        self.address = str(path.relative_to(site / "data").with_suffix(""))
        self.node = json.loads(path.read_text())
        self.title = self.node["metadata"].get("title", self.address)
        self.references = self.node.get("references", {})

    def anchors(self):
        """Yields the names of the places in the page that links may lead to."""
        for block in self.blocks():
            if block["type"] == "heading":
                yield block["anchor"].lower()
        for section in self.node.get("topicSections", []):
            if "anchor" in section:
                yield section["anchor"].lower()

    def blocks(self):
        for section in self.node.get("primaryContentSections", []):
            yield from section.get("content", [])

    def addresses(self):
        """Yields where the page leads to: addresses that begin with a slash, of pages and of files."""
        for reference in self.references.values():
            if reference.get("url", "").startswith("/"):
                yield reference["url"]
            for variant in reference.get("variants", []):
                yield variant["url"]

    def content(self):
        """Returns the page as HTML without scripts."""
        parts = [f"<h1>{html.escape(self.title)}</h1>", f"<p>{self.inline(self.node.get('abstract', []))}</p>"]
        for section in self.node.get("primaryContentSections", []):
            if section["kind"] == "declarations":
                for declaration in section["declarations"]:
                    code = "".join(token["text"] for token in declaration["tokens"])
                    parts.append(f"<pre><code>{html.escape(code)}</code></pre>")
            elif section["kind"] == "parameters":
                for parameter in section["parameters"]:
                    parts.append(f"<p><code>{html.escape(parameter['name'])}</code></p>{self.body(parameter['content'])}")
            else:
                parts.append(self.body(section.get("content", [])))
        for section in self.node.get("topicSections", []) + self.node.get("relationshipsSections", []):
            parts.append(f"<h2>{html.escape(section.get('title', ''))}</h2><ul>")
            for identifier in section["identifiers"]:
                reference = self.references.get(identifier, {})
                abstract = self.inline(reference.get("abstract", []))
                parts.append(f"<li>{self.link(identifier)}{': ' + abstract if abstract else ''}</li>")
            parts.append("</ul>")
        return "\n".join(parts)

    def link(self, identifier, title=None):
        reference = self.references.get(identifier, {})
        title = html.escape(title or reference.get("title", identifier.rsplit("/", 1)[-1]))
        if reference.get("kind") == "symbol":
            title = f"<code>{title}</code>"
        return f'<a href="{html.escape(reference["url"])}">{title}</a>' if "url" in reference else title

    def body(self, blocks):
        return "\n".join(self.block(block) for block in blocks)

    def block(self, block):
        kind = block["type"]
        if kind == "paragraph":
            return f"<p>{self.inline(block['inlineContent'])}</p>"
        if kind == "heading":
            return f'<h{block["level"]} id="{html.escape(block["anchor"])}">{html.escape(block["text"])}</h{block["level"]}>'
        if kind == "codeListing":
            return f"<pre><code>{html.escape(chr(10).join(block['code']))}</code></pre>"
        if kind in ("unorderedList", "orderedList"):
            tag = "ul" if kind == "unorderedList" else "ol"
            items = "".join(f"<li>{self.body(item['content'])}</li>" for item in block["items"])
            return f"<{tag}>{items}</{tag}>"
        if kind == "aside":
            return f"<blockquote>{self.body(block['content'])}</blockquote>"
        if kind == "table":
            rows = "".join("<tr>" + "".join(f"<td>{self.body(cell)}</td>" for cell in row) + "</tr>" for row in block["rows"])
            return f"<table>{rows}</table>"
        raise ValueError(f"{self.address} has a block of the unknown kind {kind}")

    def inline(self, parts):
        return "".join(self.piece(part) for part in parts)

    def piece(self, part):
        kind = part["type"]
        if kind == "text":
            return html.escape(part["text"])
        if kind == "codeVoice":
            return f"<code>{html.escape(part['code'])}</code>"
        if kind == "reference":
            return self.link(part["identifier"], part.get("overridingTitle"))
        if kind in ("emphasis", "strong"):
            tag = "em" if kind == "emphasis" else "strong"
            return f"<{tag}>{self.inline(part['inlineContent'])}</{tag}>"
        if kind == "link":
            return f'<a href="{html.escape(part["destination"])}">{html.escape(part["title"])}</a>'
        if kind == "image":
            reference = self.references[part["identifier"]]
            return f'<img src="{html.escape(reference["variants"][0]["url"])}" alt="{html.escape(reference.get("alt") or "")}">'
        raise ValueError(f"{self.address} has text of the unknown kind {kind}")


def all_pages(site):
    """Returns the pages of a site: address -> page."""
    pages = (Page(site, path) for path in sorted((site / "data/documentation").rglob("*.json")))
    return {page.address: page for page in pages}


def write_content(site, base, pages):
    """Puts the content of each page into its file, where docc says only that scripts are needed."""
    for page in pages.values():
        file = site / page.address / "index.html"
        text = file.read_text()
        start, end = text.index("<noscript>"), text.index("</noscript>")
        content = page.content().replace('href="/', f'href="{base}/').replace('src="/', f'src="{base}/')
        style = "<style>#plain{max-width:46rem;margin:0 auto;padding:1rem;font:17px/1.5 sans-serif}#plain pre{overflow-x:auto}</style>"
        plain = f'<noscript>{style}<main id="plain"><p><a href="{base}/">Easel</a></p>\n{content}\n</main>'
        text = text[:start] + plain + text[end:]
        text = text.replace("<title>Documentation</title>", f"<title>{html.escape(page.title)}</title>")
        text = text.replace("</head>", f'<link rel="stylesheet" href="{base}/bar.css"></head>')
        file.write_text(text.replace("<noscript>", bar(f"{base}/") + "<noscript>", 1))


def nest_modules(site):
    """Makes all modules parts of the tree beside the pages, so that it, and the search in it, has them all."""
    path = site / "index/index.json"
    index = json.loads(path.read_text())
    roots = index["interfaceLanguages"]["swift"]
    front = next(root for root in roots if root["title"] == "Easel")
    modules = [root for root in roots if root is not front]
    if not modules:
        sys.exit(f"site: {site} is a site already; let docc make it anew")
    # The pages show the tree of the innermost module that they belong to, so there must be one only.
    for module in modules:
        module["type"] = "collection"
    front["children"] += [{"title": "Modules", "type": "groupMarker"}, *modules]
    index["interfaceLanguages"]["swift"] = [front]
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")))
    return front, modules
