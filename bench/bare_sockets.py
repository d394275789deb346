"""Baseline for a channel: the same frames over bare sockets between two processes, 28 bytes in reply to each batch."""

from __future__ import annotations

import multiprocessing
import socket
import struct
import time

FRAME = struct.Struct(">4sI")
HEADERS = 28 + 20 + 428
ANSWER = bytes(28)


def rate(count: int, size: int, batch: int) -> float:
    """Messages a second."""
    listener = socket.create_server(("127.0.0.1", 0))
    receiver = multiprocessing.Process(target=_receive, args=(listener, count, batch))
    receiver.start()
    with socket.create_connection(listener.getsockname()) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        length = HEADERS + size
        frame = FRAME.pack(b"TSH ", length) + bytes(length - FRAME.size)
        together = frame * batch
        began = time.perf_counter()
        for _ in range(count // batch):
            connection.sendall(together)
            left = len(ANSWER)
            while left:
                left -= len(connection.recv(left))
        took = time.perf_counter() - began
    receiver.join()
    listener.close()
    return count / took


def _receive(listener: socket.socket, count: int, batch: int) -> None:
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    rest, seen = b"", 0
    while seen < count:
        data = rest + connection.recv(65536)
        start, end = 0, len(data)
        while end - start >= FRAME.size:
            length = FRAME.unpack_from(data, start)[1]
            if end - start < length:
                break
            bytes(data[start + 28 : start + length])
            start += length
            seen += 1
            if not seen % batch:
                connection.sendall(ANSWER)
        rest = data[start:]
    connection.close()
