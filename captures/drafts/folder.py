"""The files of a draft."""

from __future__ import annotations

from pathlib import Path

from .drafting import Drafted
from .grammar_form import grammar
from .lua_form import dissector
from .page import page


def write_folder(drafted: Drafted, folder: Path, port: int = 0) -> list[Path]:
    """Write what was learnt to a folder, and return the files; none where nothing is claimed. ``port``: of the
    responder, for the dissector. Raises ``OSError``."""
    if drafted.protocol is None:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        "protocol.toml": drafted.text,
        "grammar.py": grammar(drafted.protocol),
        "dissector.lua": dissector(drafted.protocol, port),
        "report.html": page(drafted),
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    return [folder / name for name in contents]
