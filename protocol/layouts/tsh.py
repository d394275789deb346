"""Records of TSH, TSHC, TSHM.

Made by ``make layouts`` from ``protocol/structures/tsh.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error
from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.records import Buffer, Record


@mypyc_attr(allow_interpreted_subclasses=True)
class Tsh(Record):
    """TSH, 28 bytes, mq-wire.md 2.1."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "seg_length",
        "byte_order",
        "segment_type",
        "control_flags1",
        "control_flags2",
        "luwid",
        "encoding",
        "ccsid",
        "reserved",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "TSH"
    SIZE: ClassVar[int] = 28

    struc_id: bytes
    seg_length: int
    byte_order: int
    segment_type: int
    control_flags1: int
    control_flags2: int
    luwid: bytes
    encoding: int
    ccsid: int
    reserved: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"TSH ",
        seg_length: int = 28,
        byte_order: int = 1,
        segment_type: int = 0,
        control_flags1: int = 0,
        control_flags2: int = 0,
        luwid: bytes = b"\0" * 8,
        encoding: int = 546,
        ccsid: int = 437,
        reserved: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.seg_length = seg_length
        self.byte_order = byte_order
        self.segment_type = segment_type
        self.control_flags1 = control_flags1
        self.control_flags2 = control_flags2
        self.luwid = luwid
        self.encoding = encoding
        self.ccsid = ccsid
        self.reserved = reserved

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.struc_id,
            seg_length,
            self.byte_order,
            self.segment_type,
            self.control_flags1,
            self.control_flags2,
            self.luwid,
            self.encoding,
            self.ccsid,
            self.reserved,
        ) = values
        self.seg_length = int.from_bytes(seg_length, "big")
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4 and len(self.luwid) == 8:
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.seg_length.to_bytes(4, "big"),
                    self.byte_order,
                    self.segment_type,
                    self.control_flags1,
                    self.control_flags2,
                    self.luwid,
                    self.encoding,
                    self.ccsid,
                    self.reserved,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class TshBig(Tsh):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4s4sBBBB8sLHH")


@mypyc_attr(allow_interpreted_subclasses=True)
class TshLittle(Tsh):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4s4sBBBB8sLHH")

    def __init__(
        self,
        *,
        struc_id: bytes = b"TSH ",
        seg_length: int = 28,
        byte_order: int = 2,
        segment_type: int = 0,
        control_flags1: int = 0,
        control_flags2: int = 0,
        luwid: bytes = b"\0" * 8,
        encoding: int = 546,
        ccsid: int = 437,
        reserved: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.seg_length = seg_length
        self.byte_order = byte_order
        self.segment_type = segment_type
        self.control_flags1 = control_flags1
        self.control_flags2 = control_flags2
        self.luwid = luwid
        self.encoding = encoding
        self.ccsid = ccsid
        self.reserved = reserved


@mypyc_attr(allow_interpreted_subclasses=True)
class Tshc(Record):
    """TSHC, 28 bytes, mq-wire.md 2.1."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "seg_length",
        "byte_order",
        "segment_type",
        "control_flags1",
        "control_flags2",
        "luwid",
        "encoding",
        "ccsid",
        "reserved",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "TSHC"
    SIZE: ClassVar[int] = 28

    struc_id: bytes
    seg_length: int
    byte_order: int
    segment_type: int
    control_flags1: int
    control_flags2: int
    luwid: bytes
    encoding: int
    ccsid: int
    reserved: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"TSH ",
        seg_length: int = 28,
        byte_order: int = 1,
        segment_type: int = 0,
        control_flags1: int = 0,
        control_flags2: int = 0,
        luwid: bytes = b"\0" * 8,
        encoding: int = 546,
        ccsid: int = 437,
        reserved: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.seg_length = seg_length
        self.byte_order = byte_order
        self.segment_type = segment_type
        self.control_flags1 = control_flags1
        self.control_flags2 = control_flags2
        self.luwid = luwid
        self.encoding = encoding
        self.ccsid = ccsid
        self.reserved = reserved

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.struc_id,
            seg_length,
            self.byte_order,
            self.segment_type,
            self.control_flags1,
            self.control_flags2,
            self.luwid,
            self.encoding,
            self.ccsid,
            self.reserved,
        ) = values
        self.seg_length = int.from_bytes(seg_length, "big")
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4 and len(self.luwid) == 8:
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.seg_length.to_bytes(4, "big"),
                    self.byte_order,
                    self.segment_type,
                    self.control_flags1,
                    self.control_flags2,
                    self.luwid,
                    self.encoding,
                    self.ccsid,
                    self.reserved,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class TshcBig(Tshc):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4s4sBBBB8sLHH")


@mypyc_attr(allow_interpreted_subclasses=True)
class TshcLittle(Tshc):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4s4sBBBB8sLHH")

    def __init__(
        self,
        *,
        struc_id: bytes = b"TSH ",
        seg_length: int = 28,
        byte_order: int = 2,
        segment_type: int = 0,
        control_flags1: int = 0,
        control_flags2: int = 0,
        luwid: bytes = b"\0" * 8,
        encoding: int = 546,
        ccsid: int = 437,
        reserved: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.seg_length = seg_length
        self.byte_order = byte_order
        self.segment_type = segment_type
        self.control_flags1 = control_flags1
        self.control_flags2 = control_flags2
        self.luwid = luwid
        self.encoding = encoding
        self.ccsid = ccsid
        self.reserved = reserved


@mypyc_attr(allow_interpreted_subclasses=True)
class Tshm(Record):
    """TSHM, 36 bytes, mq-wire.md 2.2."""

    KEYS: ClassVar[tuple[str, ...]] = (
        "struc_id",
        "seg_length",
        "conversation_id",
        "request_id",
        "byte_order",
        "segment_type",
        "control_flags1",
        "control_flags2",
        "luwid",
        "encoding",
        "ccsid",
        "reserved",
    )
    __slots__ = KEYS

    NAME: ClassVar[str] = "TSHM"
    SIZE: ClassVar[int] = 36

    struc_id: bytes
    seg_length: int
    conversation_id: int
    request_id: int
    byte_order: int
    segment_type: int
    control_flags1: int
    control_flags2: int
    luwid: bytes
    encoding: int
    ccsid: int
    reserved: int

    def __init__(
        self,
        *,
        struc_id: bytes = b"TSHM",
        seg_length: int = 36,
        conversation_id: int = 0,
        request_id: int = 0,
        byte_order: int = 1,
        segment_type: int = 0,
        control_flags1: int = 0,
        control_flags2: int = 0,
        luwid: bytes = b"\0" * 8,
        encoding: int = 546,
        ccsid: int = 437,
        reserved: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.seg_length = seg_length
        self.conversation_id = conversation_id
        self.request_id = request_id
        self.byte_order = byte_order
        self.segment_type = segment_type
        self.control_flags1 = control_flags1
        self.control_flags2 = control_flags2
        self.luwid = luwid
        self.encoding = encoding
        self.ccsid = ccsid
        self.reserved = reserved

    @classmethod
    def parse(cls, buffer: Buffer, offset: int = 0) -> Self:
        try:
            values = cls.LAYOUT.unpack_from(buffer, offset)
        except error:
            raise cls._short(buffer, offset) from None
        made: Any = cls
        self: Self = made.__new__(made)
        (
            self.struc_id,
            seg_length,
            conversation_id,
            request_id,
            self.byte_order,
            self.segment_type,
            self.control_flags1,
            self.control_flags2,
            self.luwid,
            self.encoding,
            self.ccsid,
            self.reserved,
        ) = values
        self.seg_length = int.from_bytes(seg_length, "big")
        self.conversation_id = int.from_bytes(conversation_id, "big")
        self.request_id = int.from_bytes(request_id, "big")
        return self

    def build(self) -> bytes:
        try:
            if len(self.struc_id) == 4 and len(self.luwid) == 8:
                return self.LAYOUT.pack(
                    self.struc_id,
                    self.seg_length.to_bytes(4, "big"),
                    self.conversation_id.to_bytes(4, "big"),
                    self.request_id.to_bytes(4, "big"),
                    self.byte_order,
                    self.segment_type,
                    self.control_flags1,
                    self.control_flags2,
                    self.luwid,
                    self.encoding,
                    self.ccsid,
                    self.reserved,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._unfit()


@mypyc_attr(allow_interpreted_subclasses=True)
class TshmBig(Tshm):
    """The same, big-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.BIG
    LAYOUT: ClassVar[Struct] = Struct(">4s4s4s4sBBBB8sLHH")


@mypyc_attr(allow_interpreted_subclasses=True)
class TshmLittle(Tshm):
    """The same, little-endian."""

    __slots__ = ()

    ORDER: ClassVar[ByteOrder] = ByteOrder.LITTLE
    LAYOUT: ClassVar[Struct] = Struct("<4s4s4s4sBBBB8sLHH")

    def __init__(
        self,
        *,
        struc_id: bytes = b"TSHM",
        seg_length: int = 36,
        conversation_id: int = 0,
        request_id: int = 0,
        byte_order: int = 2,
        segment_type: int = 0,
        control_flags1: int = 0,
        control_flags2: int = 0,
        luwid: bytes = b"\0" * 8,
        encoding: int = 546,
        ccsid: int = 437,
        reserved: int = 0,
    ) -> None:
        self.struc_id = struc_id
        self.seg_length = seg_length
        self.conversation_id = conversation_id
        self.request_id = request_id
        self.byte_order = byte_order
        self.segment_type = segment_type
        self.control_flags1 = control_flags1
        self.control_flags2 = control_flags2
        self.luwid = luwid
        self.encoding = encoding
        self.ccsid = ccsid
        self.reserved = reserved
