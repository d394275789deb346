"""Lines over HTTP: each request brings one frame and takes its answer (mqe.md 15, E-300 to E-307).

The first request of a line has no channel id; its response names one in `CHANNEL`, which the requests behind it have.
The id is random, so that nobody who does not read the first response can take part.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, Protocol

from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import HEAD, FrameReader, Kind

from .carrier import EveryplaceHost

ID_BYTES: Final = 16
OK, BAD_REQUEST, FORBIDDEN, GONE, UNAVAILABLE = 200, 400, 403, 410, 503
_LENGTH: Final = struct.Struct(">I")


class FrameAnswer(Protocol):
    """A request that waits for its answer."""

    def answer(self, status: int, body: bytes, channel: str = "") -> None:
        """Respond. ``channel``: id of the line, where the response is to name it."""
        ...


class HttpLine:
    """One line, whose frames travel in requests."""

    def __init__(self, host: EveryplaceHost, ended: Callable[[HttpLine], None], channel: str, peer: Peer) -> None:
        self._host = host
        self._ended = ended
        self._reader = FrameReader()
        self._waiting: dict[int, FrameAnswer] = {}
        self._new = True
        self.channel = channel
        self.peer = peer
        self.line: Line | None = None

    def post(self, request: int, kind: Kind, body: bytes, answer: FrameAnswer) -> None:
        """Pass a frame to the line; ``answer`` gets the one with its request id."""
        if request in self._waiting:
            answer.answer(BAD_REQUEST, b"this request id waits for its answer")
            return
        self._waiting[request] = answer
        assert self.line is not None, "it has a line"
        self._host.received(self.line, body)
        if kind is Kind.CLOSE:
            self._respond(request, b"")

    def flush(self) -> None:
        """See `LineCarrier.flush`."""
        line = self.line
        if line is None:
            return
        data = line.take()
        if data:
            for frame in self._reader.receive(data):
                request = frame.request if frame.request in self._waiting else next(iter(self._waiting), None)
                if request is not None:
                    self._respond(request, frame.encode())
        if line.ended:
            self._end()

    def _respond(self, request: int, body: bytes) -> None:
        answer = self._waiting.pop(request, None)
        if answer is not None:
            new, self._new = self._new, False
            answer.answer(OK, body, self.channel if new else "")

    def leaves(self, answer: FrameAnswer) -> None:
        """A requester is gone before its answer was there, which is lost with it: so is the line."""
        if answer in self._waiting.values():
            self._waiting = {request: each for request, each in self._waiting.items() if each is not answer}
            self.abort()

    def abort(self) -> None:
        """See `LineCarrier.abort`."""
        line = self.line
        if line is not None:
            self._end()
            self._host.cut(line)

    def _end(self) -> None:
        """The line has ended: nothing that waits is answered any more."""
        self.line = None
        waiting, self._waiting = self._waiting, {}
        self._ended(self)
        for each in waiting.values():
            each.answer(GONE, b"the connection has ended")


class HttpLines:
    """The lines of one listener. ``new_id``: returns random ids. ``binding``: see `Peer`."""

    def __init__(
        self, host: EveryplaceHost, listener: ListenerDefinition, new_id: Callable[[], str], binding: bytes = b""
    ) -> None:
        self._host = host
        self._listener = listener
        self._new_id = new_id
        self.binding = binding
        self._lines: dict[str, HttpLine] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, channel: str) -> bool:
        return channel in self._lines

    def post(self, channel: str, peer: Peer, body: bytes, answer: FrameAnswer) -> HttpLine | None:
        """Take a request: a whole frame of the line ``channel``, or the first one of a new line without an id.

        Returns the line with which the answer waits; None if it was answered.
        """
        if len(body) < HEAD.size or _LENGTH.unpack_from(body)[0] != len(body) - _LENGTH.size:
            answer.answer(BAD_REQUEST, b"the body is not one whole frame")
            return None
        _, number, _, request = HEAD.unpack_from(body)
        try:
            kind = Kind(number)
        except ValueError:
            answer.answer(BAD_REQUEST, b"the frame is of no known kind")
            return None
        found = self._lines.get(channel) if channel else self._begin(kind, peer, answer)
        if found is None:
            if channel:
                answer.answer(GONE, b"there is no such channel, or no longer; begin without one")
            return None
        if found.peer.certificate_name != peer.certificate_name or found.peer.secure != peer.secure:
            answer.answer(FORBIDDEN, b"the channel is another caller's")
            return None
        found.post(request, kind, body, answer)
        return found

    def _begin(self, kind: Kind, peer: Peer, answer: FrameAnswer) -> HttpLine | None:
        if kind is not Kind.HELLO:
            answer.answer(BAD_REQUEST, b"a channel begins with HELLO")
            return None
        found = HttpLine(self._host, self._forget, self._new_id(), peer)
        try:
            found.line = self._host.called(self._listener, peer, found)
        except EveryplaceError as error:
            self._host.refused(peer.address, error)
            status = UNAVAILABLE if error.code is Code.CHNL_LIMIT else BAD_REQUEST
            answer.answer(status, b"no further channel is taken")
            return None
        self._lines[found.channel] = found
        return found

    def _forget(self, line: HttpLine) -> None:
        self._lines.pop(line.channel, None)

    def abort_all(self) -> None:
        """End all."""
        for each in list(self._lines.values()):
            each.abort()
