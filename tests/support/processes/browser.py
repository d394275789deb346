"""A real browser that looks at a page: what its document is after the scripts have run, and a picture of it."""

from __future__ import annotations

import functools
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
LIMIT = 200


@functools.cache
def browser() -> str:
    """Path of the browser; skips the test where there is none."""
    for name in PROGRAMS:
        if (found := shutil.which(name)) is not None:
            return found
    pytest.skip("no Chromium on this machine")


def _run(folder: Path, *arguments: str) -> str:
    profile = folder / "profile"
    result = subprocess.run(
        [
            browser(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            f"--user-data-dir={profile}",
            "--virtual-time-budget=10000",
            *arguments,
        ],
        capture_output=True,
        timeout=LIMIT,
        check=True,
        text=True,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
    )
    return result.stdout


class Document(HTMLParser):
    """The text of every element with an id, the rows of the tables in it, and the classes of what it draws."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.text: dict[str, str] = {}
        self.rows: dict[str, list[list[str]]] = {}
        self.drawn: dict[str, list[tuple[str, str]]] = {}
        self.body: dict[str, str | None] = {}
        self.unfolded: set[str] = set()
        """Ids of what can be folded and is not."""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        inside = given.get("id") or (self.open[-1][1] if self.open else "")
        if tag == "body":
            self.body = given
        if tag == "details" and "open" in given:
            self.unfolded.add(inside)
        if tag == "tr":
            self.rows.setdefault(inside, []).append([])
        if tag in ("td", "th") and self.rows.get(inside):
            self.rows[inside][-1].append("")
        if tag in ("rect", "circle", "line", "text", "svg"):
            self.drawn.setdefault(inside, []).append((tag, given.get("class") or ""))
        if tag not in ("meta", "input", "br", "link"):
            self.open.append((tag, inside))

    def handle_endtag(self, tag: str) -> None:
        while self.open:
            if self.open.pop()[0] == tag:
                return

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1][0] in ("script", "style"):
            return
        inside = self.open[-1][1]
        self.text[inside] = self.text.get(inside, "") + data
        if any(each[0] in ("td", "th") for each in self.open[-2:]) and self.rows.get(inside):
            self.rows[inside][-1][-1] += data

    def count(self, section: str, tag: str, classes: str | None = None) -> int:
        """How many elements of a kind are drawn in a section; ``classes``: with exactly these."""
        return sum(each[0] == tag and classes in (None, each[1].strip()) for each in self.drawn.get(section, []))

    def count_any(self, section: str, tag: str, kind: str) -> int:
        """How many elements of a kind are drawn in a section that have a class among others."""
        return sum(each[0] == tag and kind in each[1].split() for each in self.drawn.get(section, []))


def look_at(page: Path, folder: Path, view: str = "") -> Document:
    """The document that the browser makes of a page; ``view``: what stands behind # in its address."""
    return Document(_run(folder, "--dump-dom", f"file://{page}{'#' + view if view else ''}"))


def picture(page: Path, folder: Path) -> Path:
    """A picture of the page, PNG."""
    path = folder / "page.png"
    _run(folder, "--hide-scrollbars", "--window-size=1300,3000", f"--screenshot={path}", f"file://{page}")
    return path
