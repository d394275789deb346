"""The body of a long incoming message, staged in the store as it arrives to save memory."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.queues.bodies import BodyInParts, BodyWriter
from mqbridge.mappings.body import Body


class IncomingBody:
    """The body of one message, staged by ``writer``."""

    __slots__ = ("_body", "_writer")

    def __init__(self, writer: BodyWriter) -> None:
        self._writer = writer
        self._body: Body | None = None

    def take(self, pieces: list[bytes]) -> None:
        """Stage pieces, removing them from the list. Raises `MQError` if the store refuses a part, which the next call
        retries."""
        self._writer.write(b"")
        while pieces:
            self._writer.write(pieces.pop(0))

    def finish(self, rest: list[bytes]) -> Body:
        """The complete body; ``rest``: pieces since the last `take`. May be called again. Raises `MQError`."""
        if self._body is None:
            self.take(rest)
            self._body = self._writer.finish()
        return self._body

    def give_back(self) -> None:
        """Free what was staged, unless a unit of work has taken it over."""
        if self._body is None:
            self._writer.abandon()
        elif isinstance(self._body, BodyInParts):
            self._body.give_back()
