"""A small host whose protocol stands in this program alone: it takes orders, answers each, and says that it lives.

    python host.py FILE

FILE gets the port on which it listens. Nothing of mqbridge is used here.
"""

from __future__ import annotations

import contextlib
import datetime
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

MARK = b"\xca\xfe"
REQUEST, ANSWER, ALIVE = 1, 2, 7
CODE_PAGE = "cp500"
TAKEN, UNKNOWN = 0, 12
PRICES = {"APPLE": 120, "PEAR": 145, "PLUM": 95, "GRAPE": 310}


def message(kind: int, body: bytes) -> bytes:
    """Return a message: mark, length of what follows it, kind, body."""
    return MARK + struct.pack(">HB", len(body) + 1, kind) + body


def packed_now() -> bytes:
    """Return the present time in packed digits."""
    return bytes.fromhex(f"{datetime.datetime.now(datetime.UTC):%Y%m%d%H%M%S}")


def text(value: str, width: int) -> bytes:
    """Return text of the host's code page with blanks behind it."""
    return value.ljust(width).encode(CODE_PAGE)


def messages(connection: socket.socket) -> Iterator[tuple[int, bytes]]:
    """Yield kind and body of each message that comes."""
    data = bytearray()
    while True:
        while len(data) >= 4 and len(data) >= 4 + int.from_bytes(data[2:4]):
            end = 4 + int.from_bytes(data[2:4])
            yield data[4], bytes(data[5:end])
            del data[:end]
        more = connection.recv(4096)
        if not more:
            return
        data += more


def request(number: int, action: str, item: str, amount: int, identity: bytes) -> bytes:
    """Return a request, as the host's own clients send it."""
    body = struct.pack(">I", number) + packed_now() + text(action, 8) + identity + struct.pack(">I", amount)
    return message(REQUEST, body + item.encode(CODE_PAGE))


def answer(body: bytes) -> bytes:
    """Return the answer to a request: its number and identity, a code, the price, and words."""
    number, identity, amount, item = body[:4], body[19:23], int.from_bytes(body[23:27]), body[27:].decode(CODE_PAGE)
    price = PRICES.get(item)
    code, total = (UNKNOWN, 0) if price is None else (TAKEN, price * amount)
    words = "NO SUCH ITEM" if price is None else f"{amount} {item}"
    return message(ANSWER, number + identity + struct.pack(">HI", code, total) + words.encode(CODE_PAGE))


def serve(connection: socket.socket) -> None:
    """Answer what comes on a connection until it ends."""
    with connection, contextlib.suppress(OSError):
        for kind, body in messages(connection):
            if kind == ALIVE:
                connection.sendall(message(ALIVE, b""))
            elif kind == REQUEST:
                connection.sendall(answer(body))


def main() -> None:
    """Listen, and say where."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        file = Path(sys.argv[1])
        part = file.with_suffix(".part")
        part.write_text(str(listener.getsockname()[1]))
        part.rename(file)
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


if __name__ == "__main__":
    main()
