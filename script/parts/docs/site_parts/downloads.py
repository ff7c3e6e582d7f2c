"""The files of each guide "In five minutes" as an archive, so that nobody has to copy them block by block."""

import pathlib
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "script/parts/check"))

from guide_steps import GUIDES, PAGES, steps  # noqa: E402


def archives(site):
    """Writes an archive for each guide, and returns (page, title, address, number of files)."""
    (site / "packages").mkdir(exist_ok=True)
    for page in PAGES:
        files = [(name, text) for kind, name, text in steps(page) if kind == "file"]
        address = f"packages/{page}.zip"
        with zipfile.ZipFile(site / address, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files:
                # The same files always make the same archive.
                archive.writestr(zipfile.ZipInfo(f"{page}/{name}", (1980, 1, 1, 0, 0, 0)), text)
        title = re.match(r"# (.*)", (GUIDES / f"{page}.md").read_text())[1]
        yield page, title, address, len(files)
