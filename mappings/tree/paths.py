"""Paths in a message tree: ``XMLNSC.Order.Item[2].@id``.

Steps are separated by dots. A step is a name, ``*`` for any name, or ``@`` and the name of an attribute. Behind a name,
``[n]`` selects the n-th occurrence, from 1, ``[<]`` the last, ``[*]`` all of them; without it the first is meant. Names
with other characters stand in double quotes, a double quote in them is doubled: ``XMLNSC."a.b"``. ``Root.`` may stand
in front of a path.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from .errors import TreeError

MAX_PATH: Final = 8192
"""Longest path in characters."""
ALL: Final = 0
"""Index of ``[*]``."""
LAST: Final = -1
"""Index of ``[<]``."""
MAX_INDEX_DIGITS: Final = 9

_STEP: Final = re.compile(
    r"""(?P<at>@)?(?:(?P<any>\*)(?![^.\["\]@])|"(?P<quoted>(?:[^"]|"")*+)"|(?P<plain>[^.\[\]"@]++))"""
    r"""(?:\[(?P<index>\d{1,9}|\*|<)\])?(?P<end>\.|\Z)"""
)
_PLAIN: Final = re.compile(r"(?!\*\Z)[^.\[\]\"@]+\Z")
_INDEXES: Final = {"*": ALL, "<": LAST}


class Step(NamedTuple):
    """One step. ``name``: None for ``*``. ``occurrence``: from 1, `ALL`, `LAST`, or None. ``attribute``: of one."""

    name: str | None
    occurrence: int | None = None
    attribute: bool = False

    @property
    def is_pattern(self) -> bool:
        """Whether it means everything that it fits."""
        return (self.name is None and self.occurrence is None) or self.occurrence == ALL


@lru_cache(maxsize=1024)
def parse_path(path: str) -> tuple[Step, ...]:
    """Return the steps of a path, without ``Root``. Raises `TreeError` for what is no path."""
    if len(path) > MAX_PATH:
        raise TreeError(path, f"a path has {MAX_PATH} characters at most")
    steps: list[Step] = []
    position, end = 0, "."
    while end:
        found = _STEP.match(path, position)
        if found is None:
            raise TreeError(path, f"no step of a path at {position}")
        steps.append(_step(path, found))
        position, end = found.end(), found["end"]
    if steps[0] == Step("Root") and len(steps) > 1:
        del steps[0]
    if any(step.attribute for step in steps[:-1]):
        raise TreeError(path, "nothing is below an attribute")
    return tuple(steps)


def _step(path: str, found: re.Match[str]) -> Step:
    index = found["index"]
    number = None if index is None else _INDEXES[index] if index in _INDEXES else int(index)
    if number == 0 and index != "*":
        raise TreeError(path, "occurrences are counted from 1")
    if found["any"]:
        return Step(None, number, bool(found["at"]))
    name = found["quoted"].replace('""', '"') if found["quoted"] is not None else found["plain"]
    if found["at"] and number is not None:
        raise TreeError(path, "an attribute occurs once")
    return Step(name, number, bool(found["at"]))


def step_text(name: str, occurrence: int = 1, *, attribute: bool = False) -> str:
    """Return a step as it stands in a path; the first occurrence goes without a number."""
    shown = name if _PLAIN.match(name) else '"' + name.replace('"', '""') + '"'
    mark = "@" if attribute else ""
    return f"{mark}{shown}" if occurrence == 1 else f"{mark}{shown}[{occurrence}]"


def path_text(steps: tuple[Step, ...]) -> str:
    """Return steps as a path."""
    return ".".join(map(_shown, steps))


def _shown(step: Step) -> str:
    shown = "*" if step.name is None else step_text(step.name)
    index = "" if step.occurrence is None else {ALL: "[*]", LAST: "[<]"}.get(step.occurrence, f"[{step.occurrence}]")
    return ("@" if step.attribute else "") + shown + index
