"""Records of CONN.

Made by ``make layouts`` from ``protocol/structures/conn.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Conn(Record):
    """CONN, 120 bytes, mq-wire.md 5.5."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "q_mgr_name",
        "appl_name",
        "appl_type",
        "accounting_token",
        "options",
        "x_options",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "CONN"
    SIZE: ClassVar[int] = 120

    q_mgr_name: bytes
    appl_name: bytes
    appl_type: int
    accounting_token: bytes
    options: int
    x_options: int

    def __init__(
        self,
        *,
        q_mgr_name: bytes = b" " * 48,
        appl_name: bytes = b" " * 28,
        appl_type: int = 28,
        accounting_token: bytes = b"\0" * 32,
        options: int = 0,
        x_options: int = 0,
    ) -> None:
        self.q_mgr_name = q_mgr_name
        self.appl_name = appl_name
        self.appl_type = appl_type
        self.accounting_token = accounting_token
        self.options = options
        self.x_options = x_options

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (self.q_mgr_name, self.appl_name, self.appl_type, self.accounting_token, self.options, self.x_options) = values
        return self

    def build(self) -> bytes:
        try:
            if len(self.q_mgr_name) == 48 and len(self.appl_name) == 28 and len(self.accounting_token) == 32:
                return self.LAYOUT.pack(
                    self.q_mgr_name, self.appl_name, self.appl_type, self.accounting_token, self.options, self.x_options
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class ConnBig(Conn):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">48s28sL32sLL")


@mypyc_attr(allow_interpreted_subclasses=True)
class ConnLittle(Conn):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<48s28sL32sLL")
