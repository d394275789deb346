"""Every inferred choice is documented."""

from __future__ import annotations

import ast
from pathlib import Path

from mqbridge.protocol import inferred


def test_every_choice_says_what_speaks_for_it() -> None:
    body = ast.parse(Path(inferred.__file__).read_text(encoding="utf-8")).body
    undocumented = []
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            text = following.value if isinstance(following, ast.Expr) else None
            grouped = isinstance(following, ast.AnnAssign)  # described by the text behind the group
            if not grouped and not (isinstance(text, ast.Constant) and isinstance(text.value, str)):
                undocumented.append(statement.target.id)
    assert undocumented == []
