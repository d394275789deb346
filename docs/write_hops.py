"""Write into ``architecture.md`` by which functions a message comes in and goes out: ``python docs/write_hops.py``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.project.hop_trace import hops, stacks_of

PAGE = Path(__file__).with_name("architecture.md")
BEGIN, END = "<!-- hops of a {kind} -->\n", "<!-- end -->\n"


def lines_of(kind: str) -> str:
    """The list of one kind, ``put`` or ``get``: files in order, with their functions."""
    found: list[tuple[str, list[str]]] = []
    for hop in hops(stacks_of(kind)):
        file, _, function = hop.rpartition(":")
        if not found or found[-1][0] != file:
            found.append((file, []))
        found[-1][1].append(function)
    return "".join(f"1. `{file}`: {', '.join(f'`{name}`' for name in functions)}\n" for file, functions in found)


def written(text: str, kind: str) -> str:
    """The list that a page has. Raises ``ValueError`` where it has none."""
    begin = text.index(BEGIN.format(kind=kind)) + len(BEGIN.format(kind=kind))
    return text[begin : text.index(END, begin)]


def main() -> None:
    """Write both lists."""
    text = PAGE.read_text(encoding="utf-8")
    for kind in ("put", "get"):
        text = text.replace(BEGIN.format(kind=kind) + written(text, kind), BEGIN.format(kind=kind) + lines_of(kind))
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
