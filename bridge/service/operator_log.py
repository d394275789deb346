"""The log: one line per message on standard error, as text for people or as JSON for programs."""

from __future__ import annotations

import json
import time
from typing import Any, Final, TextIO

from twisted.logger import LogLevel, formatEvent, globalLogBeginner
from twisted.python.failure import Failure

from mqbridge.bridge.operator_messages import OperatorMessage, operator_message

LEVELS: Final = ("debug", "info", "warning", "error")


class OperatorLog:
    """A log of messages of at least ``level``, written to ``stream`` as one line each.

    ``form`` is ``text`` (``2026-11-21T09:30:00.123Z AMQ9002I: channel …``) or ``json`` (``{"time", "level", "id",
    "message", "inserts"}``). A stream that fails is abandoned silently: the queue manager continues.
    """

    def __init__(self, stream: TextIO, level: str = "info", form: str = "text") -> None:
        self._stream: TextIO | None = stream
        self._lowest = LEVELS.index(level)
        self._json = form == "json"

    def write(self, amq: str, inserts: tuple[str | int, ...] = ()) -> None:
        """Write the message with an id."""
        self.message(operator_message(amq, inserts))

    def message(self, message: OperatorMessage) -> None:
        """Write a message if its level is high enough."""
        if LEVELS.index(message.level) < self._lowest or self._stream is None:
            return
        try:
            self._stream.write(self._line(message) + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            self._stream = None

    def _line(self, message: OperatorMessage) -> str:
        stamp = _timestamp(time.time())
        if not self._json:
            return f"{stamp} {message.id}: {message.text}"
        fields = {
            "time": stamp,
            "level": message.level,
            "id": message.id,
            "message": message.text,
            "inserts": list(message.inserts),
        }
        return json.dumps(fields, ensure_ascii=False)

    def take_over_twisted(self) -> None:
        """Log everything that Twisted logs: unhandled errors as errors, the rest as debug messages."""
        globalLogBeginner.beginLoggingTo([self._observe], redirectStandardIO=False, discardBuffer=True)

    def _observe(self, event: Any) -> None:
        failure = event.get("log_failure")
        if isinstance(failure, Failure):
            text = " ".join(failure.getTraceback().split())
            self.message(OperatorMessage("AMQ6183", "E", f"unexpected error: {text}"))
        elif event.get("log_level") in (LogLevel.error, LogLevel.critical):
            self.message(OperatorMessage("AMQ6183", "E", formatEvent(event)))
        elif self._lowest == 0:
            self.message(OperatorMessage("AMQ6184", "D", formatEvent(event)))


def _timestamp(moment: float) -> str:
    """Return UTC with milliseconds in ISO 8601."""
    whole, part = divmod(moment, 1)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int(part * 1000):03}Z"
