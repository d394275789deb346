"""Answers in both modes: text that the end of the connection ends, or status, length and payload (M-031 to M-037)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from mqbridge.protocol.constants import ByteOrder

from .codes import Code, MoqError
from .grammars import ANSWER
from .text_fields import read_number, write_number

MAX_PAYLOAD: Final = 99_999
"""Longest payload of a framed answer, by the width of its length field."""
_SUCCESS: Final = "SUCCESS"
_ANSWER: Final = ANSWER.codec(ByteOrder.BIG)
_STATUS: Final = re.compile(r"MOQ-(\d{4})")
_PLAIN: Final = re.compile(rb"MOQ-(\d{4})(?: ([^\r\n]*))?[\r\n]*\Z")


class Answer(NamedTuple):
    """``code``: why it is refused, 0 for success; a number beside `Code` may come from a partner. ``payload``: the
    message, description or number that was asked for; of a refusal the phrase."""

    code: int = 0
    payload: bytes = b""

    @classmethod
    def refusal(cls, error: MoqError) -> Answer:
        """Return the answer that says an error."""
        return cls(int(error.code), error.phrase.encode("ascii", "replace"))

    def check(self) -> bytes:
        """Return the payload. Raises `MoqError` for a refusal."""
        if self.code:
            raise MoqError(self.code, self.payload.decode("latin-1"))
        return self.payload

    def plain(self) -> bytes:
        """Return its bytes in plain mode; the end of the connection ends them, so that a message keeps its bytes."""
        if self.code:
            return b"MOQ-%04d %s" % (self.code, self.payload)
        return self.payload

    def framed(self) -> bytes:
        """Return its bytes in framed mode. Raises `ValueError` for a payload over `MAX_PAYLOAD`."""
        word = f"MOQ-{self.code:04d}" if self.code else _SUCCESS
        return word.encode().ljust(10) + write_number(len(self.payload), 5, "the payload's length") + self.payload


SUCCESS: Final = Answer(0, _SUCCESS.encode())
"""The answer to create, delete, shutdown, put and purge (M-031)."""


class AnswerReader:
    """Takes the bytes of the end that is called. ``framed``: in framed mode; ``most``: longest payload accepted."""

    __slots__ = ("_data", "_framed", "_most")

    def __init__(self, framed: bool, most: int = MAX_PAYLOAD) -> None:
        self._framed = framed
        self._most = most
        self._data = bytearray()

    def receive(self, data: bytes) -> None:
        """Take bytes. Raises `MoqError` 2003 where a plain answer grows too long."""
        self._data += data
        if not self._framed and len(self._data) > self._most:
            raise MoqError(Code.MALFORMED, f"the answer has more than {self._most} bytes")

    def next_answer(self) -> Answer | None:
        """Return the next framed answer, or None while it is not whole, and always None in plain mode.

        Raises `MoqError` 2003 for a status or length that is none.
        """
        data = self._data
        if not self._framed or len(data) < ANSWER.size:
            return None
        head = _ANSWER.parse(data)
        code = _status(head.status)
        try:
            size = read_number(head.length)
        except ValueError:
            raise MoqError(Code.MALFORMED, f"the answer's length is {head.length!r}") from None
        if size > self._most:
            raise MoqError(Code.MALFORMED, f"the answer has {size} bytes; {self._most} are allowed")
        end = ANSWER.size + size
        if len(data) < end:
            return None
        payload = bytes(data[ANSWER.size : end])
        del data[:end]
        return Answer(code, payload)

    def ended(self) -> Answer | None:
        """The connection has ended: return the plain answer; None in framed mode, and where no byte came.

        A payload of the form of an error counts as one (M-037), and an empty message as no answer.
        """
        if self._framed or not self._data:
            return None
        data, self._data = bytes(self._data), bytearray()
        refusal = _PLAIN.match(data)
        return Answer(int(refusal[1]), refusal[2] or b"") if refusal else Answer(0, data)


def _status(field: bytes) -> int:
    word = field.rstrip(b" \0").decode("latin-1")
    if word == _SUCCESS:
        return 0
    found = _STATUS.fullmatch(word)
    if found is None or not int(found[1]):
        raise MoqError(Code.MALFORMED, f"the answer's status is {word!r}")
    return int(found[1])
