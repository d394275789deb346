"""The variable part of an MQRFH2: its folders, each read when first touched and written when changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mqbridge.mappings.properties.folders import folder_name
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.structures.bodies import Body
from mqbridge.protocol.structures.rfh2 import MAX_FOLDERS, RFH2, split_folders
from mqbridge.protocol.text import decode_text, encode_text

from .element import Element, Value
from .errors import ContentError
from .finding import assign, fill, fitting, remove, values_at
from .folder_text import FolderRules, folder_text, read_folder_element
from .paths import ALL, Step, step_text

MAX_FOLDER: Final = 1 << 20
"""Longest folder in bytes that is read."""


class _Folder:
    """One folder: its bytes, its name, and the element that was read of it."""

    __slots__ = ("changed", "element", "name", "raw", "text")

    def __init__(self, raw: bytes, text: str, name: str, element: Element | None = None) -> None:
        self.raw = raw
        self.text = text
        self.name = name
        self.element = element
        self.changed = element is not None

    def read(self) -> Element:
        """Return the element, read when first asked for."""
        if self.element is None:
            if len(self.raw) > MAX_FOLDER:
                raise ContentError(f"folder {self.name}: longer than {MAX_FOLDER} bytes")
            try:
                self.element = read_folder_element(self.text)
            except ContentError as fault:
                raise ContentError(f"folder {self.name[:60]}: {fault}") from None
        return self.element


class Folders:
    """The folders of a header. ``changed``: any of them; ``build`` gives the variable part again."""

    __slots__ = ("_ccsid", "_end", "_folders", "_order", "changed")

    def __init__(self, header: Body) -> None:
        record = header.record
        self._ccsid, self._order = record.name_value_ccsid, record.ORDER
        folders, end, _ = split_folders(header.rest, self._order, RFH2.size)
        self._folders = [self._of(raw) for raw in folders]
        self._end = header.rest[end:]
        self.changed = False

    def _of(self, raw: bytes) -> _Folder:
        try:
            text = decode_text(raw, self._ccsid, errors="replace", order=self._order)
        except ConversionError:
            return _Folder(raw, "", "")
        return _Folder(raw, text, folder_name(text))

    def elements(self) -> list[Element]:
        """Return the elements of all folders, in order. Raises `ContentError` for one that is malformed."""
        return [folder.read() for folder in self._folders]

    def names(self) -> list[str]:
        """Return the names of all folders, in order, without reading them."""
        return [folder.name for folder in self._folders]

    def _named(self, step: Step) -> list[_Folder]:
        shells = [Element(folder.name) for folder in self._folders]
        chosen = {id(shell) for shell in fitting(Element("", children=shells), step)}
        return [folder for folder, shell in zip(self._folders, shells, strict=True) if id(shell) in chosen]

    def values(self, steps: Sequence[Step]) -> list[Value | Element]:
        """Return what steps lead to, from the name of a folder on."""
        return [value for folder in self._named(steps[0]) for value in values_at(folder.read(), steps[1:])]

    def assign(self, steps: Sequence[Step], value: object) -> None:
        """Set what steps lead to; a folder that is missing is made. Raises `ContentError`."""
        found = self._named(steps[0])
        if not found:
            found = [self._made(steps[0])]
        for folder in found:
            rules = FolderRules(folder.name)
            if len(steps) > 1:
                assign(folder.read(), steps[1:], value, rules)
            elif isinstance(value, Mapping | Element):
                fill(folder.read(), value, rules)
            else:
                raise ContentError("a folder is set by a mapping of its elements")
            folder.changed = self.changed = True
            if folder not in self._folders:
                self._folders.append(folder)

    def _made(self, step: Step) -> _Folder:
        if step.name is None or step.is_pattern:
            raise ContentError("there is nothing to set")
        if len(self._folders) >= MAX_FOLDERS:
            raise ContentError(f"more than {MAX_FOLDERS} folders")
        if step.occurrence not in (None, len(self._named(Step(step.name, ALL))) + 1):
            raise ContentError(f"there is no {step_text(step.name, step.occurrence or 1)}")
        name = FolderRules("").name(step.name)
        return _Folder(b"", "", name, Element(name, children=[]))

    def remove(self, steps: Sequence[Step]) -> bool:
        """Delete what steps lead to; return whether there was anything."""
        found = self._named(steps[0])
        if len(steps) == 1:
            self._folders = [folder for folder in self._folders if folder not in found]
            removed = bool(found)
        else:
            removed = False
            for folder in found:
                if remove(folder.read(), steps[1:], FolderRules(folder.name)):
                    folder.changed = removed = True
        self.changed |= removed
        return removed

    def build(self) -> bytes:
        """Return the variable part. Raises ``ConversionError`` for what the folders' code page lacks."""
        parts = []
        for folder in self._folders:
            raw = folder.raw
            if folder.changed and folder.element is not None:
                raw = encode_text(folder_text(folder.element), self._ccsid, order=self._order)
                blank = encode_text(" ", self._ccsid, order=self._order)
                raw += blank * (-len(raw) % 4 // len(blank))
                folder.raw, folder.changed = raw, False
            parts += [len(raw).to_bytes(4, self._order.endian), raw]
        return b"".join((*parts, self._end))
