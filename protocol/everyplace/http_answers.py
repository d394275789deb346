"""Answers of HTTP 1.0 and 1.1, read from bytes as they come, within limits."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from .errors import Code, EveryplaceError
from .frames import HEAD, MAX_BODY

MAX_HEADERS: Final = 16 << 10
"""Longest status line with headers in bytes; also of one line between chunks."""
MAX_ANSWER: Final = HEAD.size + MAX_BODY
"""Longest body: one frame."""
_STATUS: Final = re.compile(rb"HTTP/1\.([01]) (\d{3})(?: ([^\r\n]*))?")
_HEADER: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*")
_WITHOUT_BODY: Final = (204, 304)
_CONTINUE: Final = range(100, 200)


class Answer(NamedTuple):
    """``headers``: by names in lower case. ``keeps``: whether the connection may be used again."""

    status: int
    reason: str
    headers: dict[str, str]
    body: bytes
    keeps: bool


class AnswerReader:
    """Reads one answer. ``bodiless``: of a CONNECT, what follows is no body."""

    def __init__(self, *, bodiless: bool = False) -> None:
        self._data = bytearray()
        self._bodiless = bodiless
        self._head: Answer | None = None
        self._body = bytearray()
        self._left = 0
        self._chunked = self._trailer = self._to_end = False

    @property
    def began(self) -> bool:
        """Whether anything has come."""
        return bool(self._data) or self._head is not None

    def receive(self, data: bytes) -> Answer | None:
        """Take bytes; no bytes mean the end. Returns the answer when it is whole.

        Raises `EveryplaceError` DATA, TOO_LONG.
        """
        if not data:
            if self._head is not None and self._to_end:
                return self._whole()
            raise EveryplaceError(Code.ADAPTER_EXCEPTION, "the connection ended before the answer was there")
        self._data += data
        while self._head is None:
            if not self._read_head():
                return None
        if self._chunked:
            return self._read_chunks()
        self._take(len(self._data) if self._to_end else self._left)
        return None if self._to_end or self._left else self._whole()

    def _read_head(self) -> bool:
        """Read status line and headers; those that announce another answer are passed over."""
        end = self._data.find(b"\r\n\r\n")
        if end < 0 or end > MAX_HEADERS:
            if len(self._data) > MAX_HEADERS:
                raise EveryplaceError(Code.TOO_LONG, f"headers of an answer have more than {MAX_HEADERS} bytes")
            return False
        first, *lines = bytes(self._data[:end]).split(b"\r\n")
        del self._data[: end + 4]
        status = _STATUS.fullmatch(first)
        if status is None:
            raise EveryplaceError(Code.DATA, "what answers does not speak HTTP 1.0 or 1.1")
        number = int(status[2])
        if number in _CONTINUE:
            return True
        headers = _headers(lines)
        words = headers.get("connection", "").lower()
        keeps = "keep-alive" in words if status[1] == b"0" else "close" not in words
        self._head = Answer(number, (status[3] or b"").decode("latin-1"), headers, b"", keeps)
        self._measure(number, headers)
        return True

    def _measure(self, status: int, headers: dict[str, str]) -> None:
        length, coding = headers.get("content-length"), headers.get("transfer-encoding")
        if status in _WITHOUT_BODY or (self._bodiless and status == 200):
            return
        if coding is not None:
            if length is not None or coding.lower() != "chunked":
                raise EveryplaceError(
                    Code.DATA, f"an answer has the transfer encoding {coding[:40]!r}, or a length too"
                )
            self._chunked = True
        elif length is None:
            self._to_end = True
        elif not length.isdecimal():
            raise EveryplaceError(Code.DATA, f"an answer has the length {length[:40]!r}")
        else:
            self._left = int(length)
            if self._left > MAX_ANSWER:
                raise _too_long(self._left)

    def _take(self, count: int) -> None:
        """Move bytes to the body."""
        taken = self._data[:count]
        del self._data[:count]
        self._body += taken
        self._left = max(self._left - len(taken), 0)
        if len(self._body) > MAX_ANSWER:
            raise _too_long(len(self._body))

    def _read_chunks(self) -> Answer | None:
        while True:
            if self._left:  # of a chunk, with the end of its line
                if len(self._data) < self._left:
                    return None
                if self._data[self._left - 2 : self._left] != b"\r\n":
                    raise EveryplaceError(Code.DATA, "a chunk of an answer is longer than its length")
                size = self._left - 2
                self._take(size)
                del self._data[:2]
                self._left = 0
            end = self._data.find(b"\r\n")
            if end < 0 or end > MAX_HEADERS:
                if len(self._data) > MAX_HEADERS:
                    raise EveryplaceError(Code.TOO_LONG, "a line between chunks of an answer is too long")
                return None
            line = bytes(self._data[:end])
            del self._data[: end + 2]
            if self._trailer:
                if not line:
                    return self._whole()
                continue
            digits = line.split(b";")[0].strip()
            if not re.fullmatch(rb"[0-9A-Fa-f]{1,8}", digits):
                raise EveryplaceError(Code.DATA, "a chunk of an answer has no length")
            size = int(digits, 16)
            if len(self._body) + size > MAX_ANSWER:
                raise _too_long(len(self._body) + size)
            self._trailer = size == 0
            self._left = size + 2 if size else 0

    def _whole(self) -> Answer:
        assert self._head is not None
        keeps = self._head.keeps and not self._to_end and not self._data
        return self._head._replace(body=bytes(self._body), keeps=keeps)


def _headers(lines: list[bytes]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        match = _HEADER.fullmatch(line)
        if match is None:
            raise EveryplaceError(Code.DATA, "a header of an answer breaks the rules of HTTP")
        name, value = match[1].decode().lower(), match[2].decode("latin-1")
        if name in ("content-length", "transfer-encoding") and found.get(name, value) != value:
            raise EveryplaceError(Code.DATA, f"an answer has two headers {name}")
        found.setdefault(name, value)
    return found


def _too_long(length: int) -> EveryplaceError:
    return EveryplaceError(Code.TOO_LONG, f"an answer of {length} bytes; {MAX_ANSWER} are allowed")
