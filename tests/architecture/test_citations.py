"""Every citation of the protocol notes leads to a place in docs/notes, and every number of the notes can be cited."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.project.citations import NAMES, NOTES, check, citations, load_notes, other_forms
from support.project.project_files import files_below

ROOT = NOTES.parents[1]
WRITTEN = frozenset({".py", ".md", ".txt", ".cfg", ".toml", ".js", ".html", ".java", ".sh", ".ipynb", ".lark"})
MADE_UP = frozenset(
    f"tests/unit/{name}.py" for name in ("test_spec_citations", "test_citations", "captures/test_report_notes")
)
"""Tests of the reader of citations, which cite what there is not."""
LEAST = 2200
"""Citations in code, tests and pages; fewer mean that the reader of citations has gone blind."""

ANCHOR = re.compile(r'<a id="[^"]+"></a>')
NUMBERED = re.compile(r"#{2,} (?!<a id)(?:\d|SC-)|\| (?:[CEKMOT]-\d+a?) \|")
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


def texts() -> Iterator[tuple[str, str]]:
    """Path and text of every file that somebody has written."""
    for path in files_below(ROOT):
        if path.suffix in WRITTEN and not path.is_symlink():
            name = path.relative_to(ROOT).as_posix()
            if name not in MADE_UP:
                yield name, path.read_text(encoding="utf-8")


def line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def test_each_citation_leads_to_a_place_in_the_notes() -> None:
    notes = load_notes()
    count = 0
    astray = []
    for name, text in texts():
        for citation in citations(text):
            count += not name.startswith("docs/notes/")
            try:
                check(citation, notes)
            except LookupError as error:
                astray.append(f"{name}:{line(text, citation.offset)}: {error}")
    assert not astray, "\n".join(astray)
    assert count > LEAST


def test_citations_have_one_form() -> None:
    odd = [f"{name}:{line(text, place)}: {found}" for name, text in texts() for found, place in other_forms(text)]
    assert not odd, "\n".join(odd)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_each_number_of_a_note_has_its_anchor(name: str) -> None:
    text = (NOTES / f"{name}.md").read_text(encoding="utf-8")
    assert not [line for line in text.splitlines() if NUMBERED.match(line)]
    for anchor in ANCHOR.findall(text):
        number = anchor.split('"')[1]
        behind = text[text.index(anchor) + len(anchor) :]
        last = number.rpartition(".")[2]
        item = text[: text.index(anchor)].rpartition("\n")[2]
        assert behind.lower().startswith(number) or item == f"{last}. ", number


@pytest.mark.parametrize("name", sorted({*NAMES, "README"}))
def test_links_of_a_note_lead_somewhere(name: str) -> None:
    file = NOTES / f"{name}.md"
    for target, anchor in LINK.findall(file.read_text(encoding="utf-8")):
        path = file.parent / target if target else file
        assert path.exists(), target
        if anchor:
            assert anchor in load_notes()[path.name], anchor


def test_links_into_the_notes_lead_to_anchors() -> None:
    for name, text in texts():
        for target, anchor in LINK.findall(text):
            if name.endswith(".md") and "notes/" in target and anchor:
                path = (ROOT / name).parent / target
                assert anchor in load_notes()[Path(path).name], f"{name}: {target}#{anchor}"


def test_the_index_names_every_note() -> None:
    index = (NOTES / "README.md").read_text(encoding="utf-8")
    assert {target for target, _ in LINK.findall(index)} == {f"{name}.md" for name in NAMES}
