"""What handles one request: told when its headers are in, for each part of its body, and when it is whole."""

from __future__ import annotations

from typing import Final

from .errors import TOO_LARGE, RestError
from .exchange import RestExchange

MAX_SMALL_BODY: Final = 1 << 20
"""Bytes of a body that is taken whole: a command, the options of a unit."""


class Handler:
    """One request. Subclasses say what happens; any of the methods may raise `RestError` or `MQError`.

    ``changes``: whether a request may do something, so that the token against foreign pages is demanded.
    ``reaches_others``: whether it can be meant for another queue manager (header ``ibm-mq-rest-gateway-qmgr``).
    """

    changes = True
    reaches_others = False

    def __init__(self, exchange: RestExchange) -> None:
        self.exchange = exchange
        self.context = exchange.context

    def begin(self) -> None:
        """The headers are in."""

    def write(self, data: bytes) -> None:
        """A part of the body has come; most requests have none, and what comes is passed over."""

    async def run(self) -> None:
        """The request is whole; answers it."""
        raise NotImplementedError

    def abandon(self) -> None:
        """The request will not be answered: it was wrong, or the client has left."""


class SmallBodyHandler(Handler):
    """A request whose body is taken whole."""

    def __init__(self, exchange: RestExchange) -> None:
        super().__init__(exchange)
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Keeps a part."""
        self._size += len(data)
        if self._size > MAX_SMALL_BODY:
            self._parts.clear()
            raise RestError(TOO_LARGE, f"the body is longer than {MAX_SMALL_BODY} bytes")
        self._parts.append(data)

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(self._parts)
