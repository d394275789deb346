"""The body in a message tree: parsed when first touched, written anew when changed."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.mappings.body import Body, as_bytes
from mqbridge.mappings.conversion.text import DataEncoding

from .blob import Blob
from .content import Content
from .domains import BLOB, Domain
from .element import MAX_TEXT, Element, Value
from .errors import ContentError
from .finding import assign, fill, remove, values_at
from .paths import Step


class BodyPart:
    """``form``: Encoding and CodedCharSetId in front of it, as it came; None for a new body. ``fault``: why its domain
    is not known; raised when it is touched. ``replaced``: whether the tree made it."""

    __slots__ = ("_form", "_root", "blob", "changed", "domain", "fault", "replaced")

    def __init__(
        self, body: Body, domain: Domain, form: DataEncoding | None, fault: ContentError | None = None
    ) -> None:
        self.blob = Blob(body)
        self.domain = domain
        self.fault = fault
        self.replaced = form is None
        self.changed = self.replaced
        self._form = form
        self._root: Element | None = None
        if self.replaced and domain.content is not None:
            self._root = domain.content.empty()

    @property
    def name(self) -> str:
        """As it stands in paths."""
        return self.domain.name

    @property
    def present(self) -> bool:
        """Whether there is anything in it."""
        return self._root is not None or len(self.blob) > 0

    @property
    def was_changed(self) -> bool:
        """Whether anything in it was set or deleted."""
        return self.changed or self.blob.changed

    def _parsed(self, content: Content) -> Element:
        if self._root is None:
            if len(self.blob) > MAX_TEXT:
                raise ContentError(f"{len(self.blob)} bytes; up to {MAX_TEXT} are parsed")
            assert self._form is not None
            self._root = content.read(as_bytes(self.blob.body), self._form)
        return self._root

    def _touched(self) -> Content | None:
        if self.fault is not None:
            raise ContentError(str(self.fault))
        return self.domain.content

    def whole(self) -> Element | Blob:
        """Return all of it."""
        content = self._touched()
        return self.blob if content is None else self._parsed(content)

    def values(self, steps: Sequence[Step]) -> list[Value | Element]:
        """Return what steps lead to."""
        content = self._touched()
        if content is None:
            return [bytes(self.blob)] if _is_blob(steps) else []
        return values_at(self._parsed(content), steps)

    def element(self) -> Element:
        """Return all of it as an element."""
        content = self._touched()
        if content is None:
            return Element(BLOB, children=[Element(BLOB, bytes(self.blob))])
        return self._parsed(content)

    def assign(self, steps: Sequence[Step], value: object) -> None:
        """Set what steps lead to; without any, all of it. Raises `ContentError`."""
        content = self._touched()
        if content is None:
            if steps and not _is_blob(steps):
                raise ContentError(self.domain.note or f"there is nothing in {BLOB} but {BLOB}")
            if not isinstance(value, bytes | bytearray | memoryview):
                raise ContentError(f"a BLOB is bytes, not {type(value).__name__}")
            self.blob[:] = bytes(value)
        elif steps:
            assign(self._parsed(content), steps, value, content.rules)
        else:
            root = content.empty()
            fill(root, value, content.rules)
            self._root = root
        self.changed = True

    def remove(self, steps: Sequence[Step]) -> bool:
        """Delete what steps lead to; return whether there was anything."""
        content = self._touched()
        if content is None:
            raise ContentError("delete BLOB as a whole, or set slices of it")
        removed = remove(self._parsed(content), steps, content.rules)
        self.changed |= removed
        return removed

    def build(self, form: DataEncoding) -> Body:
        """Return the body behind headers that state a form. Raises `ContentError`."""
        content = self.domain.content
        if content is None or self.fault is not None or not (self.present):
            return self.blob.body
        if not self.changed and (not content.in_form or form == self._form):
            return self.blob.body
        return content.write(self._parsed(content), form)


def _is_blob(steps: Sequence[Step]) -> bool:
    return len(steps) == 1 and steps[0].name == BLOB and steps[0].occurrence in (None, 1) and not steps[0].attribute
