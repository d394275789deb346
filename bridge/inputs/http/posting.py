"""The requests that an HTTP input takes: POST, one message each."""

from __future__ import annotations

from mqbridge.bridge.admin.errors import FORBIDDEN, TOO_LARGE, UNAVAILABLE, RestError, bad_request
from mqbridge.bridge.admin.exchange import RestExchange
from mqbridge.bridge.admin.handlers import SmallBodyHandler
from mqbridge.bridge.agents.routing.taken import Taken
from mqbridge.bridge.client.message import NATIVE_ENCODING, Message
from mqbridge.bridge.queue_manager.putting.descriptors import fitting
from mqbridge.bridge.security import WebUser
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import MQFMT

from .content import check_text, format_and_ccsid
from .keys import LONGEST_KEY, Known, TakenKeys, identity_of
from .posts import Posts

CONFLICT = 409
UNPROCESSABLE = 422
RETRY_AFTER = {"Retry-After": "5"}
"""Header of a refusal that does not last, with seconds."""
_USER_LENGTH = 12


class PostMessage(SmallBodyHandler):
    """The handler that offers the body of a request to the route, and answers when it is on disk."""

    changes = False  # a page of another origin is refused by its Origin
    any_role = True

    def __init__(self, exchange: RestExchange, posts: Posts) -> None:
        super().__init__(exchange)
        self._posts = posts
        self.anonymous = not posts.settings.users
        self.longest = posts.settings.max_length
        self._held = 0
        self._format = ""
        self._ccsid = 0
        self._identity = b""

    def begin(self) -> None:
        """Refuse by the headers, before the body has come."""
        exchange, settings = self.exchange, self._posts.settings
        if self.anonymous:
            if self._posts.local:  # then a sender has as much time and room as one who is known
                exchange.user = WebUser("")
        elif not self._posts.admits(exchange.user.name):
            raise RestError(FORBIDDEN, f"user {exchange.user.name!r} may not send messages here")
        self._format, self._ccsid = format_and_ccsid(exchange)
        if settings.format:
            self._format = settings.format
        if settings.ccsid:
            self._ccsid = settings.ccsid
        self._identity = self._key()
        announced = exchange.header("content-length")
        if announced is not None and announced.isdigit() and int(announced) > self.longest:
            raise RestError(TOO_LARGE, f"the body is longer than {self.longest} bytes")

    def _key(self) -> bytes:
        """Return the identity that Idempotency-Key gives the message, blank without one. Raises `RestError` 400."""
        keys = self.exchange.headers("idempotency-key")
        if not keys:
            if self._posts.settings.require_key:
                raise bad_request("the header Idempotency-Key is missing")
            return b""
        if len(keys) > 1 or not 0 < len(keys[0]) <= LONGEST_KEY:
            raise bad_request(f"Idempotency-Key: one value of 1 to {LONGEST_KEY} characters is expected")
        return identity_of(self.exchange.user.name, keys[0])

    def write(self, data: bytes) -> None:
        """Keep a part of the body, if there is room for it."""
        if not self._posts.hold(len(data)):
            raise _not_taken("too many bodies are on their way")
        self._held += len(data)
        super().write(data)

    def _release(self) -> None:
        self._posts.release(self._held)
        self._held = 0

    def abandon(self) -> None:
        """Give back the room of the body."""
        self._release()

    async def run(self) -> None:
        """Offer the message."""
        body, settings, identity = self.body, self._posts.settings, self._identity
        if self._format == MQFMT.STRING:
            check_text(body, self._ccsid, NATIVE_ORDER)
        message = Message(
            body,
            persistent=settings.persistent,
            format=self._format,
            coded_char_set_id=self._ccsid,
            encoding=NATIVE_ENCODING,
            user_identifier=fitting(self.exchange.user.name, _USER_LENGTH),
        )
        taken = Taken.BEFORE
        known = self._posts.known(identity, body)
        if known is Known.OTHER:
            raise RestError(UNPROCESSABLE, "Idempotency-Key: another message with this key was taken before")
        if known is Known.NEW:
            if not self._posts.enter(identity):
                raise RestError(
                    CONFLICT, "Idempotency-Key: a request with this key is in progress", headers=RETRY_AFTER
                )
            try:
                taken = await self._posts.take(message, identity, TakenKeys.mark(body, self._posts.now()))
            finally:
                self._posts.leave(identity)
        if taken is Taken.NOT:
            raise _not_taken("the route takes no messages now")
        self._release()
        self.exchange.answer_json(200, {"taken": taken.value})


def _not_taken(text: str) -> RestError:
    return RestError(UNAVAILABLE, text, headers=RETRY_AFTER)
