"""Removal of passwords from recordings: bytes of one direction in, the same number of bytes out.

USERID_DATA and CONAUTH_INFO carry passwords (mq-wire.md 5.2, 5.3), which are overwritten, clear or protected. Lengths,
user ids and everything else are kept: the recording can be judged, but not used to sign on. Streams other than MQ are
unchanged, because TLS cannot be read anyway.
"""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import ByteOrder, ControlFlags2, SegmentType
from mqbridge.protocol.segment import HEADER_SIZES
from mqbridge.protocol.structures import CAUT_13, conauth_form
from mqbridge.protocol.structures.userid import SHORT_UID_SIZE

#: Longest sign-on segment that is parsed; of a longer one the whole body is overwritten.
MAX_SIGN_ON: Final = 1 << 16

#: Bytes of any header that contain its length, type and flags.
HEAD_LENGTH: Final = 20

_ID_LENGTH: Final = 4
_SINGLE: Final = HEADER_SIZES[b"TSH "]
_BYTE_ORDER, _TYPE, _FLAGS2 = 8, 9, 11  # offsets in a header that is not shared; a shared one is longer before them
_SIGN_ON: Final = frozenset((SegmentType.USERID_DATA, SegmentType.CONAUTH_INFO))
_COMPRESSED: Final = ControlFlags2.HDRCOMP | ControlFlags2.MSGCOMP
_UID_PASSWORD: Final = slice(16, SHORT_UID_SIZE)
_USER_ID_LENGTH: Final = slice(16, 20)
_TEXTS: Final = (24, 32)  # where the texts of the two forms of CAUT begin
_EBCDIC_T: Final = b"\xe3"
_EBCDIC_STAR: Final = b"\x5c"
_EMPTY: Final = (b" \0", b"\x40\0")  # what fills a password that is not there, in ASCII and EBCDIC


class PasswordMask:
    """Masks one direction of a connection.

    Everything passes at once except headers, and segments that sign on, which wait until they are complete.
    """

    __slots__ = ("_foreign", "_held", "_passing", "_star")

    def __init__(self) -> None:
        self._held = b""
        self._passing = 0  # bytes of the present segment still to come
        self._star = b""  # what overwrites them; empty: they pass as they are
        self._foreign = False  # the stream is not MQ, or no longer

    def mask(self, data: bytes) -> bytes:
        """Take the next bytes; return those that may be recorded now."""
        data = self._held + data
        self._held = b""
        out: list[bytes] = []
        position = 0
        while position < len(data) and not self._foreign:
            if self._passing:
                piece = data[position : position + self._passing]
                self._passing -= len(piece)
                out.append(self._star * len(piece) if self._star else piece)
                position += len(piece)
                continue
            head = data[position : position + HEAD_LENGTH]
            size = HEADER_SIZES.get(head[:_ID_LENGTH], 0)
            length = int.from_bytes(head[4:8], "big")
            if len(head) < HEAD_LENGTH and (size or len(head) < _ID_LENGTH):
                self._held = data[position:]
                return b"".join(out)
            if length < size or not size:
                self._foreign = True
            elif head[_TYPE + (size - _SINGLE)] not in _SIGN_ON:
                self._passing, self._star = length, b""
            elif length <= MAX_SIGN_ON and len(data) - position < length:
                self._held = data[position:]
                return b"".join(out)
            else:
                out.append(data[position : position + size])
                position += size
                self._passing, self._star = length - size, _star(head)
                if length <= MAX_SIGN_ON:
                    out.append(_masked(head, size, data[position : position + self._passing]))
                    position += self._passing
                    self._passing = 0
        out.append(data[position:])
        return b"".join(out)

    def rest(self) -> bytes:
        """End the stream: return the held bytes, an incomplete sign-on without its body."""
        held, self._held = self._held, b""
        size = HEADER_SIZES.get(held[:_ID_LENGTH], len(held))
        return held[:size] + _star(held) * len(held[size:])


def _masked(head: bytes, size: int, body: bytes) -> bytes:
    """Return the body of a whole sign-on segment, its password overwritten."""
    shift = size - _SINGLE
    star = _star(head)
    if head[_FLAGS2 + shift] & _COMPRESSED:
        return star * len(body)
    if head[_TYPE + shift] == SegmentType.USERID_DATA:
        password = body[_UID_PASSWORD]
        if not password.strip(_EMPTY[star == _EBCDIC_STAR]):
            return body  # without a password: the recording must not look as if there was one
        return body[: _UID_PASSWORD.start] + star * len(password) + body[_UID_PASSWORD.stop :]
    order = ByteOrder.LITTLE if head[_BYTE_ORDER + shift] == ByteOrder.LITTLE else ByteOrder.BIG
    form = conauth_form(body, order)
    start = _TEXTS[form is CAUT_13] + int.from_bytes(body[_USER_ID_LENGTH], order.endian)
    if start > len(body):  # the length is wrong, the password may be anywhere
        start = _TEXTS[False]
    return body[:start] + star * len(body[start:])


def _star(head: bytes) -> bytes:
    return _EBCDIC_STAR if head[:1] == _EBCDIC_T else b"*"
