"""Writing a folder, jms-mapping.md 4.3 to 4.5: one level of elements, types where the text is not a string."""

from __future__ import annotations

from collections.abc import Iterable
from math import isinf, isnan

from .folder import FolderError, FolderValue, Scalar

_UNWRITABLE = frozenset(" \t\r\n<>/=\"'&.")
"""Characters that no element's name may have; the dot separates groups."""


def write_folder(name: str, values: Iterable[FolderValue]) -> str:
    """A folder: ``<usr><colour>red</colour><count dt='i4'>5</count></usr>``; `read_folder` gives the values back.

    Raises ``FolderError`` for a name that no element can have.
    """
    inner = "".join(_element(value) for value in values)
    _check(name)
    return f"<{name}>{inner}</{name}>"


def _element(value: FolderValue) -> str:
    _check(value.name)
    attributes = "" if value.type == "string" else f" dt='{_escaped(value.type)}'"
    if value.value is None:
        return f"<{value.name}{attributes} xsi:nil='true'></{value.name}>"
    return f"<{value.name}{attributes}>{_text(value.value)}</{value.name}>"


def _check(name: str) -> None:
    if not name or not _UNWRITABLE.isdisjoint(name):
        raise FolderError(f"{name!r} can name no element of a folder")


def _text(value: Scalar) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        if isnan(value):
            return "NaN"
        return ("-Infinity" if value < 0 else "Infinity") if isinf(value) else repr(value)
    return _escaped(str(value))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("'", "&apos;")
