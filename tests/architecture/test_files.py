"""Habits of the source files: one subject each, introduced by a docstring, at home on any machine."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from support.project.project_files import files_below

HOME = Path(__file__).parents[2]
MAX_LINES = 350
GENERATED = HOME / "protocol" / "layouts"
"""Written by ``make layouts``: as long as the structures are."""
SOURCES = ("mqbridge", "protocol", "mappings", "bridge", "captures", "bench", "examples")
# Folders of one machine; the pattern is written so that this file does not match itself.
MACHINE_PATH = re.compile(rb"(?<![\w.])/(?:work|home|root|Users)/[\w.]")


def python_files(*folders: str) -> list[Path]:
    return [file for folder in sorted(folders) for file in files_below(HOME / folder, ".py")]


def project_files() -> list[Path]:
    """Return every file that belongs to the project: what git tracks, or the whole tree where there is no git."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=HOME, capture_output=True, check=False)
    if listed.returncode == 0:
        files = [HOME / name for name in listed.stdout.decode().split("\0") if name]
    else:
        files = files_below(HOME)
    return [file for file in files if file.is_file()]


def test_no_file_has_more_than_one_subject() -> None:
    files = [file for file in python_files(*SOURCES) if GENERATED not in file.parents]
    lengths = {file.relative_to(HOME): file.read_bytes().count(b"\n") for file in files}
    too_long = {str(file): lines for file, lines in lengths.items() if lines > MAX_LINES}
    assert not too_long, f"over {MAX_LINES} lines: {too_long}"


def test_every_file_says_at_its_top_what_it_is() -> None:
    for file in python_files(*SOURCES):
        docstring = ast.get_docstring(ast.parse(file.read_bytes()))
        assert docstring, f"{file.relative_to(HOME)} has no docstring"
        assert "SPDX" not in docstring, f"{file.relative_to(HOME)}: the licence stands in LICENSE"


def test_no_file_names_a_folder_of_one_machine() -> None:
    found = []
    for file in project_files():
        content = file.read_bytes()
        if b"\0" not in content[:1024]:
            found += [
                f"{file.relative_to(HOME)}:{number}: {line[:100]!r}"
                for number, line in enumerate(content.splitlines(), 1)
                if MACHINE_PATH.search(line)
            ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", [b"see %work/x", b"'%home/me'", b"=%root/.x"])
def test_a_path_of_one_machine_is_seen(text: bytes) -> None:
    assert MACHINE_PATH.search(text.replace(b"%", b"/"))


@pytest.mark.parametrize("text", [b"homework%5", b"a.b%work%x", b"%workshop%", b"http:%%x.org%work", b"%root, %home"])
def test_other_text_is_no_path_of_one_machine(text: bytes) -> None:
    assert not MACHINE_PATH.search(text.replace(b"%", b"/"))


@pytest.mark.parametrize("page", [file for file in project_files() if file.suffix == ".md"], ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
