"""Interface of request handlers: called for the headers, each part of the body, and the end of the request."""

from __future__ import annotations

from typing import Final

from .errors import TOO_LARGE, RestError
from .exchange import RestExchange

MAX_SMALL_BODY: Final = 1 << 20
"""Maximum bytes of such a body: a command, the options of a unit."""


class Handler:
    """Base class of handlers, one for each request. All methods may raise `RestError` or `MQError`.

    ``changes``: the request can change something, so the CSRF token is required. ``reaches_others``: it can be for
    another queue manager (header ``ibm-mq-rest-gateway-qmgr``). ``anonymous``: no user is needed. ``any_role``: the
    method alone does not tell which role is needed. ``whole``: it reads all definitions at once.
    """

    changes = True
    reaches_others = False
    anonymous = False
    any_role = False
    whole = False

    def __init__(self, exchange: RestExchange) -> None:
        self.exchange = exchange
        self.context = exchange.context

    def begin(self) -> None:
        """The headers have arrived."""

    def write(self, data: bytes) -> None:
        """A part of the body has arrived; ignored by default."""

    async def run(self) -> None:
        """Answer the complete request."""
        raise NotImplementedError

    def abandon(self) -> None:
        """The request will not be answered: it is wrong, or the client has disconnected."""


class SmallBodyHandler(Handler):
    """Handler of a request whose body is read completely. ``longest``: its maximum bytes."""

    longest = MAX_SMALL_BODY

    def __init__(self, exchange: RestExchange) -> None:
        super().__init__(exchange)
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        """Keep a part of the body."""
        self._size += len(data)
        if self._size > self.longest:
            self._parts.clear()
            raise RestError(TOO_LARGE, f"the body is longer than {self.longest} bytes")
        self._parts.append(data)

    @property
    def body(self) -> bytes:
        """The complete body."""
        return b"".join(self._parts)
