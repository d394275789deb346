"""Syntax trees of source files, one at a time: all together they would fill the memory of a test process for good."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path


def trees(files: Iterable[Path], having: str = "") -> Iterator[tuple[Path, ast.Module]]:
    """Give each file whose text has what the regular expression says, with its tree."""
    wanted = re.compile(having)
    for file in files:
        text = file.read_text(encoding="utf-8")
        if wanted.search(text):
            yield file, ast.parse(text)


def dotted(node: ast.expr) -> str:
    """The name of what an expression names, as ``a.b.c``; empty for what is no plain name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (inside := dotted(node.value)):
        return f"{inside}.{node.attr}"
    return ""
