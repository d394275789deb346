"""Records of SOCKET.

Made by ``make layouts`` from ``protocol/structures/socket_action.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Socket(Record):
    """SOCKET, 20 bytes, mq-wire.md 5.11."""

    KEYS: ClassVar[tuple[str, ...]] = ("conversation_id", "request_id", "type", "parm1", "parm2")
    __slots__ = KEYS

    NAME: ClassVar[str] = "SOCKET"
    SIZE: ClassVar[int] = 20

    conversation_id: int
    request_id: int
    type: int
    parm1: int
    parm2: int

    def __init__(
        self, *, conversation_id: int = 0, request_id: int = 0, type: int = 0, parm1: int = 0, parm2: int = 0
    ) -> None:
        self.conversation_id = conversation_id
        self.request_id = request_id
        self.type = type
        self.parm1 = parm1
        self.parm2 = parm2

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.conversation_id, self.request_id, self.type, self.parm1, self.parm2) = values
        return self

    def build(self) -> bytes:
        try:
            return self.LAYOUT.pack(self.conversation_id, self.request_id, self.type, self.parm1, self.parm2)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class SocketBig(Socket):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">LLLLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class SocketLittle(Socket):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<LLLLL")
