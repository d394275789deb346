"""Domain BLOB: opaque bytes, read and changed by slices; what is not changed is not copied."""

from __future__ import annotations

from mqbridge.mappings.body import Body, BodyPieces, as_bytes, joined, read_slice, without_front


class Blob:
    """The bytes of a body: ``blob[4:8]``, ``blob[4:8] = b"..."``, ``bytes(blob)``, ``len(blob)``.

    Indexes are slices without step; a slice that is set may get another length.
    """

    __slots__ = ("body", "changed")

    def __init__(self, body: Body) -> None:
        self.body = body
        self.changed = False

    def __len__(self) -> int:
        return len(self.body)

    def __bytes__(self) -> bytes:
        return as_bytes(self.body)

    def _bounds(self, where: slice) -> tuple[int, int]:
        start, end, step = where.indices(len(self.body))
        if step != 1:
            raise ValueError("slices of a BLOB have no step")
        return start, max(start, end)

    def __getitem__(self, where: slice) -> bytes:
        start, end = self._bounds(where)
        return read_slice(self.body, start, end - start)

    def __setitem__(self, where: slice, data: bytes) -> None:
        start, end = self._bounds(where)
        front = read_slice(self.body, 0, start) + bytes(data)
        rest = without_front(self.body, end)
        self.body = joined(front, rest) if len(rest) else BodyPieces((front,))
        self.changed = True

    def __eq__(self, other: object) -> bool:
        return bytes(self) == bytes(other) if isinstance(other, Blob | bytes) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Blob of {len(self)} bytes>"
