"""A long message on its way in: its data go to the store while they come, so that memory holds little of them."""

from __future__ import annotations

from mqbridge.bridge.queue_manager.queues.bodies import BodyInParts, BodyWriter
from mqbridge.mappings.body import Body


class IncomingBody:
    """The data of one message, written by ``writer``."""

    __slots__ = ("_body", "_writer")

    def __init__(self, writer: BodyWriter) -> None:
        self._writer = writer
        self._body: Body | None = None

    def take(self, pieces: list[bytes]) -> None:
        """Takes pieces out of a list. Raises `MQError` when the store refuses a part: the next call tries it again."""
        self._writer.write(b"")
        while pieces:
            self._writer.write(pieces.pop(0))

    def finish(self, rest: list[bytes]) -> Body:
        """The whole data; ``rest`` came since the last `take`. May be asked for again. Raises `MQError`."""
        if self._body is None:
            self.take(rest)
            self._body = self._writer.finish()
        return self._body

    def give_back(self) -> None:
        """Frees what was written, unless a unit of work has taken it over."""
        if self._body is None:
            self._writer.abandon()
        elif isinstance(self._body, BodyInParts):
            self._body.give_back()
