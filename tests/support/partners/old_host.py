"""A made-up host with a protocol of its own, written by hand: EBCDIC, packed times, an id and a number in each order.

    python old_host.py PORT-FILE [JOURNAL] [--forgets]

It is a process of its own that listens on a free port of the loopback interface, and writes each order that it takes to
its journal before it answers. With an id that it knows it takes nothing and answers as before, unless it ``forgets``.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from pathlib import Path

MAGIC = b"\xca\xfe"
ORDER, ANSWER, REFUSAL, NOTICE, TAKEN, LOGON, HEARTBEAT, WELCOME = 1, 2, 3, 4, 5, 6, 7, 8
CODE_PAGE = "cp037"
"""Agrees with 1047 in letters, digits and blanks, which is all that is sent."""


def packet(kind: int, content: bytes = b"") -> bytes:
    return MAGIC + struct.pack(">HB", len(content) + 1, kind) + content


def ebcdic(text: str) -> bytes:
    return text.encode(CODE_PAGE)


class OldHost:
    """What the host knows, over all connections. ``journal``: where it notes each order; None keeps them in memory."""

    def __init__(self, journal: Path | None = None, *, forgets: bool = False) -> None:
        self.journal = journal
        self.forgets = forgets
        self.orders: list[tuple[int, str, str]] = []
        """Number, action and text of what was taken."""
        self.answers: dict[bytes, bytes] = {}
        self.repeats = 0
        self.faults: list[str] = []
        self.notices: dict[int, str] = {}
        """Notices that were not taken yet."""
        self.taken: list[int] = []
        if journal is not None and journal.exists():
            for line in journal.read_text("utf-8").splitlines():
                number, identity, action, text = line.split("\t")
                self.orders.append((int(number), action, text))
                self.answers[bytes.fromhex(identity)] = self._answer(bytes.fromhex(identity), int(number), text)

    def order(self, content: bytes) -> bytes:
        """Take an order, and return the answer."""
        number, time, identity = struct.unpack(">I7s8s", content[:19])
        digits = time.hex()
        if not digits.isdigit() or not "19700101" <= digits[:8] <= "20991231":
            self.faults.append(f"time {digits}")
        action, text = content[19:27].decode(CODE_PAGE).rstrip(), content[27:].decode(CODE_PAGE)
        known = self.answers.get(identity)
        if known is not None and not self.forgets:
            self.repeats += 1
            return known
        if action == "REFUSE":
            return packet(REFUSAL, identity + ebcdic("not here"))
        last = self.orders[-1][0] if self.orders else 0
        if number != last + 1 and not (number == last and self.forgets):
            self.faults.append(f"number {number} after {last}")
        self.orders.append((number, action, text))
        if self.journal is not None:
            with self.journal.open("a", encoding="utf-8") as file:
                file.write(f"{number}\t{identity.hex()}\t{action}\t{text}\n")
                file.flush()
                os.fsync(file.fileno())
        self.answers[identity] = self._answer(identity, number, text)
        return self.answers[identity]

    @staticmethod
    def _answer(identity: bytes, number: int, text: str) -> bytes:
        return packet(ANSWER, identity + ebcdic(f"{number % 100:02}") + ebcdic(f"done {text}"))


class Connection:
    """One connection: bytes in, bytes out."""

    def __init__(self, host: OldHost) -> None:
        self.host = host
        self.closed = False
        self.ready = False
        self._data = bytearray()

    def receive(self, data: bytes) -> bytes:
        """Return what the host says to it."""
        self._data += data
        said = b""
        while not self.closed and len(self._data) >= 4:
            length = 4 + int.from_bytes(self._data[2:4], "big")
            if self._data[:2] != MAGIC:
                self.closed = True
            elif len(self._data) < length:
                break
            else:
                found = bytes(self._data[4:length])
                del self._data[:length]
                said += self._packet(found[0], found[1:])
        return said

    def notices(self) -> bytes:
        """All notices that were not taken."""
        return b"".join(
            packet(NOTICE, struct.pack(">I", number) + ebcdic(text)) for number, text in self.host.notices.items()
        )

    def _packet(self, kind: int, content: bytes) -> bytes:
        if kind == LOGON:
            self.ready = True
            return packet(WELCOME) + self.notices()
        if not self.ready:
            self.closed = True
            return b""
        if kind == ORDER:
            return self.host.order(content)
        if kind == TAKEN:
            (number,) = struct.unpack(">I", content)
            self.host.taken.append(number)
            self.host.notices.pop(number, None)
        return b""


def main() -> None:
    forgets = "--forgets" in sys.argv
    names = [each for each in sys.argv[1:] if not each.startswith("--")]
    host = OldHost(Path(names[1]) if len(names) > 1 else None, forgets=forgets)
    with socket.create_server(("127.0.0.1", 0)) as server:
        made = Path(names[0] + ".new")
        made.write_text(str(server.getsockname()[1]), encoding="utf-8")
        made.replace(names[0])
        while True:
            caller, _ = server.accept()
            with caller:
                connection = Connection(host)
                try:
                    while not connection.closed and (data := caller.recv(65536)):
                        caller.sendall(connection.receive(data))
                except OSError:
                    continue


if __name__ == "__main__":
    main()
