"""Writes the page: markup, style, script and data in one file."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Final

from mqbridge.captures.report.page_data import PageData

TITLE: Final = "MQ traffic"
SCRIPTS: Final = ("notes.js", "page.js")


def write_page(data: PageData, path: Path, *, title: str = TITLE) -> None:
    """Write the page; it asks nothing of any server. Raises ``OSError``."""
    parts = files(__package__)
    page = parts.joinpath("page.html").read_text(encoding="utf-8")
    # A closing tag in a name that came over the wire must not end the element that the data stand in.
    content = json.dumps(data.as_json(), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    for mark, text in (
        ("{{title}}", title.replace("&", "&amp;").replace("<", "&lt;")),
        ("{{style}}", parts.joinpath("page.css").read_text(encoding="utf-8")),
        ("{{script}}", "".join(parts.joinpath(each).read_text(encoding="utf-8") for each in SCRIPTS)),
        ("{{data}}", content),
    ):
        page = page.replace(mark, text)
    path.write_text(page, encoding="utf-8", errors="replace")
