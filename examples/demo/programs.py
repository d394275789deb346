"""The programs at EARTH: one sends the messages, one takes the answers; threads with connections of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rest import Rest
from traffic import Traffic, request

PUT_BYTES = 4 << 20
"""Message data that one request puts, about; it is one unit of work."""
PUT_MESSAGES = 500
GET_MESSAGES = 500
TICK = 0.02
WAIT = 1.0
"""Seconds that a request waits for an answer."""


class Program(threading.Thread):
    """A thread that remembers why it failed; `stop` ends it after what it is doing."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.failure: BaseException | None = None
        self._stopping = threading.Event()

    def run(self) -> None:
        try:
            while not self._stopping.is_set() and self.step():
                pass
        except Exception as failure:
            self.failure = failure

    def step(self) -> bool:
        """One piece of work; False when there is no more."""
        raise NotImplementedError

    def stop(self) -> None:
        """Ends the program."""
        self._stopping.set()


class Sender(Program):
    """Puts all messages, persistent, for the echo program at SATURN.

    ``sent``: how many are on disk at EARTH. ``allowed``: how many may be; it waits there until it may go on.
    """

    def __init__(self, earth: Rest, traffic: Traffic) -> None:
        super().__init__("sender")
        self.sent = 0
        self.allowed = 0
        self._earth = earth
        self._traffic = traffic

    def step(self) -> bool:
        texts: list[str] = []
        size = 0
        most = min(self.allowed - self.sent, PUT_MESSAGES)
        while len(texts) < most and size < PUT_BYTES:
            texts.append(self._traffic.text(self.sent + len(texts) + 1))
            size += len(texts[-1])
        if texts:
            self._earth.put("ECHO", [request(text) for text in texts])
            self.sent += len(texts)
        else:
            time.sleep(TICK)
        return self.sent < len(self._traffic)


class Taker(Program):
    """Takes the answers as they arrive. ``arrived``: (number of the answer, number of the message, text is right)."""

    def __init__(self, earth: Rest, read: Callable[[str], tuple[int, int, bool]]) -> None:
        super().__init__("taker")
        self.arrived: list[tuple[int, int, bool]] = []
        self._earth = earth
        self._read = read

    def step(self) -> bool:
        for message in self._earth.get("ANSWERS", limit=GET_MESSAGES, wait=WAIT):
            self.arrived.append(self._read(message["body"]["text"]))
        return True
