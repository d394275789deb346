"""The adapters `http` and `https`: each frame of the caller is a POST, and its answer the body of the answer (E-302).

A question that may wait at the other end has a connection of its own, so that it holds up nothing else.
"""

from __future__ import annotations

import struct
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Final

from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import HEAD, Kind
from mqbridge.protocol.everyplace.http_requests import WAIT

from .http_posts import Poster
from .interface import TIMEOUT, Adapter, ListeningAdapter, Place

_KIND: Final = 4
"""Place of the kind in a frame."""
_LENGTH: Final = struct.Struct(">I")


class HttpAdapter:
    """Frames as POSTs. What fails is raised by `read`."""

    def __init__(self, network: str, place: Place) -> None:
        self.network = network
        secured = network == "https"
        self._place = place
        self._posters = [Poster(place, TIMEOUT, secured=secured), Poster(place, WAIT, secured=secured)]
        self._asking: SimpleQueue[bytes] = SimpleQueue()
        self._answers: SimpleQueue[bytes | EveryplaceError] = SimpleQueue()
        self._lock = Lock()
        self._asker: Thread | None = None
        self._channel = ""
        self._rest = b""
        self._closed = False

    @property
    def local_address(self) -> str:
        """Own address of the last connection."""
        return self._posters[0].local_address

    @property
    def peer(self) -> Peer:
        """What is known of the other end."""
        return self._posters[0].peer

    def open(self) -> None:
        """See whether the other end, or the proxy, can be reached."""
        self._posters[0].connect()

    def write(self, data: bytes) -> None:
        """Send frames, each in a request of its own."""
        data, at = self._rest + data, 0
        while len(data) - at >= HEAD.size:
            end = at + _LENGTH.size + _LENGTH.unpack_from(data, at)[0]
            if end > len(data):
                break
            frame, at = data[at:end], end
            if frame[_KIND] == Kind.PULL:
                self._ask(frame)
            else:
                self._post(self._posters[0], frame)
        self._rest = data[at:]

    def read(self) -> bytes:
        """Return the next answer."""
        found = self._answers.get()
        if isinstance(found, EveryplaceError):
            raise found
        return found

    def close(self) -> None:
        """End all requests."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._answers.put(b"")
        self._asking.put(b"")
        for each in self._posters:
            each.close()

    def _ask(self, frame: bytes) -> None:
        if self._asker is None:
            self._asker = Thread(target=self._ask_all, name=f"questions to {self._place.connection}", daemon=True)
            self._asker.start()
        self._asking.put(frame)

    def _ask_all(self) -> None:
        while frame := self._asking.get():
            self._post(self._posters[1], frame)

    def _post(self, poster: Poster, frame: bytes) -> None:
        try:
            answer = poster.post(frame, self._channel)
            channel = poster.requests.channel_of(answer)
        except EveryplaceError as error:
            self._answers.put(b"" if self._closed else error)
            return
        self._channel = channel or self._channel
        if answer.body:
            self._answers.put(answer.body)


class Http:
    """Makes adapters `http` and `https`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def initiator(self, place: Place) -> Adapter:
        """Return the adapter of a connection."""
        return HttpAdapter(self._name, place)

    def listening(self, definition: ListenerDefinition) -> ListeningAdapter:
        """Refuse: a gateway listens for HTTP. Raises `EveryplaceError` NOT_SUPPORTED."""
        raise EveryplaceError(
            Code.NOT_SUPPORTED,
            f"listener {definition.name}: a device listens by tcp and tls; a gateway listens by {self._name}",
        )
