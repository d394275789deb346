"""Writing of folders, jms-mapping.md 4.3 to 4.5: elements, types of values other than strings, optional groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isinf, isnan

from .escaping import escaped
from .folder import FolderError, FolderValue, Scalar

_UNWRITABLE = frozenset(" \t\r\n<>/=\"'&.")
"""Characters that are not valid in an element's name; a dot separates groups."""


def write_folder(
    name: str, values: Iterable[FolderValue], attributes: Mapping[str, str] | None = None, *, grouped: bool = False
) -> str:
    """A folder: ``<usr><colour>red</colour><count dt='i4'>5</count></usr>``; `read_folder` gives the values back.

    ``attributes`` are those of the folder's tag. ``grouped``: dots in the names of values part groups, which become
    elements around them. Raises ``FolderError`` for a name that no element can have.
    """
    inner = "".join(_grouped(values) if grouped else map(write_element, values))
    check_element_name(name)
    given = "".join(f" {key}='{escaped(text)}'" for key, text in (attributes or {}).items())
    return f"<{name}{given}>{inner}</{name}>"


def write_grouped(value: FolderValue) -> str:
    """An element inside the elements of its groups, which are parted by dots in its name. Raises ``FolderError``."""
    return "".join(_grouped((value,)))


def _grouped(values: Iterable[FolderValue]) -> Iterator[str]:
    """Return elements nested in their groups; adjacent values of one group share its element."""
    open_groups: list[str] = []
    for value in values:
        *groups, name = value.name.split(".")
        shared = 0
        while shared < min(len(groups), len(open_groups)) and groups[shared] == open_groups[shared]:
            shared += 1
        while len(open_groups) > shared:
            yield f"</{open_groups.pop()}>"
        for group in groups[shared:]:
            check_element_name(group)
            yield f"<{group}>"
            open_groups.append(group)
        yield write_element(FolderValue(name, value.type, value.value))
    while open_groups:
        yield f"</{open_groups.pop()}>"


def write_element(value: FolderValue) -> str:
    """An element: ``<count dt='i4'>5</count>``. Raises ``FolderError``."""
    check_element_name(value.name)
    attributes = "" if value.type == "string" else f" dt='{escaped(value.type)}'"
    if value.value is None:
        return f"<{value.name}{attributes} xsi:nil='true'></{value.name}>"
    return f"<{value.name}{attributes}>{text_of(value.value)}</{value.name}>"


def check_element_name(name: str) -> None:
    """Raise ``FolderError`` for a name that no element of a property folder can have."""
    if not name or not _UNWRITABLE.isdisjoint(name):
        raise FolderError(f"{name!r} can name no element of a folder")


def text_of(value: Scalar) -> str:
    """Return the text of a value, escaped."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        if isnan(value):
            return "NaN"
        return ("-Infinity" if value < 0 else "Infinity") if isinf(value) else repr(value)
    return escaped(str(value))
