"""Form of message data: byte order, MQENC, MQFMT and MQCCSI, mq-wire.md 1.2, 1.5 and 9.3."""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

from .base import U32, MQFlags, MQInt, MQText


class MQENC(MQFlags):
    """Word that says how integers, packed decimals and floating-point numbers are written, mq-wire.md 1.5.

    One value out of each of three nibbles; the masks cut them out. A nibble of zero means undefined.
    """

    INTEGER_UNDEFINED = 0x000
    INTEGER_NORMAL = 0x001
    INTEGER_REVERSED = 0x002
    INTEGER_MASK = 0x00F
    DECIMAL_UNDEFINED = 0x000
    DECIMAL_NORMAL = 0x010
    DECIMAL_REVERSED = 0x020
    DECIMAL_MASK = 0x0F0
    FLOAT_UNDEFINED = 0x000
    FLOAT_IEEE_NORMAL = 0x100
    FLOAT_IEEE_REVERSED = 0x200
    FLOAT_S390 = 0x300
    FLOAT_TNS = 0x400
    FLOAT_MASK = 0xF00
    RESERVED_MASK = 0xFFFFF000
    NORMAL = 0x111
    REVERSED = 0x222
    S390 = 0x311
    TNS = 0x411

    def parts(self) -> list[str]:
        """Return the names of the three nibbles, then the reserved bits; of the whole word if it has a name."""
        known = {0x111: "NORMAL", 0x222: "REVERSED", 0x311: "S390", 0x411: "TNS"}.get(self._value_)
        if known is not None:
            return [self.prefix() + known]
        word = self._value_ & U32 if self._value_ < 0 else self._value_
        names = []
        for bits in (word & 0x00F, word & 0x0F0, word & 0xF00, word & ~0xFFF):
            if bits:
                named = MQENC(bits)
                names.append(self.prefix() + named.name if named.known else f"0x{bits:X}")
        return names


class ByteOrder(IntEnum):
    """Byte order of binary integers. The number is its value in the ByteOrder field of a segment header, and in the
    integer nibble of an encoding (mq-wire.md 1.2, 1.5)."""

    BIG = 1
    LITTLE = 2

    endian: Literal["big", "little"]
    """Argument of ``int.from_bytes``."""
    prefix: Literal[">", "<"]
    """First character of a ``struct`` format."""
    encoding: int
    """Encoding with this order in all three nibbles and IEEE floats: 273 or 546."""

    def __init__(self, number: int) -> None:
        self.endian = "big" if number == 1 else "little"
        self.prefix = ">" if number == 1 else "<"
        self.encoding = 0x111 * number


class MQFMT(MQText):
    """Format name of message data, without padding to eight characters."""

    NONE = ""
    ADMIN = "MQADMIN"
    AMQP = "MQAMQP"
    CHANNEL_COMPLETED = "MQCHCOM"
    CICS = "MQCICS"
    COMMAND_1 = "MQCMD1"
    COMMAND_2 = "MQCMD2"
    DEAD_LETTER_HEADER = "MQDEAD"
    DIST_HEADER = "MQHDIST"
    EMBEDDED_PCF = "MQHEPCF"
    EVENT = "MQEVENT"
    IMS = "MQIMS"
    IMS_VAR_STRING = "MQIMSVS"
    MD_EXTENSION = "MQHMDE"
    PCF = "MQPCF"
    REF_MSG_HEADER = "MQHREF"
    RF_HEADER = "MQHRF"
    RF_HEADER_1 = "MQHRF"
    RF_HEADER_2 = "MQHRF2"
    STRING = "MQSTR"
    TRIGGER = "MQTRIG"
    WORK_INFO_HEADER = "MQHWIH"
    XMIT_Q_HEADER = "MQXMIT"


class MQCCSI(MQInt):
    """Special values of a CodedCharSetId field, mq-wire.md 1.5."""

    UNDEFINED = 0
    DEFAULT = 0
    Q_MGR = 0
    EMBEDDED = -1
    INHERIT = -2
    APPL = -3
    AS_PUBLISHED = -4
