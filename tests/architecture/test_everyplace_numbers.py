"""Every number of mqe.md is cited by a test, or docs/features.md says that it will not be built."""

from __future__ import annotations

import ast
from pathlib import Path

from support.project.citations import citations, load_notes
from support.project.project_files import files_below
from support.project.spec_coverage import refused
from support.project.syntax import trees

TESTS = Path(__file__).parents[1]


def cited_by_markers(tree: ast.Module) -> set[str]:
    """Numbers of mqe.md in the arguments of ``pytest.mark.spec``."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "spec":
            for argument in node.args:
                if isinstance(argument, ast.Constant):
                    found |= {each.number for each in citations(str(argument.value)) if each.document == "mqe.md"}
    return found


def test_every_number_is_cited_or_will_not_be_built() -> None:
    numbers = {each.number for each in load_notes()["mqe.md"].values() if each.number.startswith("E-")}
    assert len(numbers) == 501
    cited = set()
    for _, tree in trees(files_below(TESTS, ".py"), r"E-\d\d\d"):
        cited |= cited_by_markers(tree)
    will_not = {number for document, number in refused() if document == "mqe.md"}
    assert sorted(numbers - cited - will_not) == []
