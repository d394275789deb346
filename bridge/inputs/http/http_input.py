"""The input ``http``: a POST to an endpoint of its own becomes a message.

::

    input = { kind = "http", endpoint = "tcp:8080:interface=127.0.0.1", path = "/orders", plain = true }

The answer comes when the message is on disk. A request whose sender has got no answer is repeated with the same
``Idempotency-Key``, which is committed with the message: what was taken before is not put again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from mqbridge.bridge.admin.errors import METHOD_NOT_ALLOWED, NOT_FOUND, RestError
from mqbridge.bridge.admin.exchange import RestExchange
from mqbridge.bridge.admin.routes import Maker
from mqbridge.bridge.endpoints.opening import require_kind
from mqbridge.bridge.inputs.interface import InputError, Sink
from mqbridge.bridge.inputs.reading import read_settings
from mqbridge.bridge.security import Users

from .door import DoorSettings, OpenDoor
from .posting import PostMessage
from .posts import Posts
from .settings import MAX_LENGTH, MAX_WAIT, HttpSettings

LONGEST_TIDY: Final = 60.0
"""Seconds between two looks for keys that are too old."""
_METHOD: Final = "POST"
_OVERHEARD: Final = "passwords would pass in clear; use TLS, or listen on 127.0.0.1"
_FOR_ALL: Final = "everybody could send; name 'users', or allow it by anonymous = true"


class PostMaker:
    """What makes the handlers of an input's requests. ``anonymous``: it is not asked who makes them."""

    def __init__(self, posts: Posts) -> None:
        self._posts = posts
        self.anonymous = not posts.settings.users

    def __call__(self, exchange: RestExchange) -> PostMessage:
        """Make the handler of one request."""
        return PostMessage(exchange, self._posts)


class HttpInput:
    """An endpoint whose requests become messages. ``users``: returns those of the queue manager. Raises
    `InputError`."""

    def __init__(
        self, settings: Mapping[str, Any], sink: Sink, open_door: OpenDoor, users: Callable[[], Users]
    ) -> None:
        self.settings = given = read_settings(HttpSettings, settings, sink.folder)
        for wrong, key, text in (
            (not given.path.startswith("/"), "path", "'path' begins with a slash"),
            (given.max_length > MAX_LENGTH, "max_length", f"'max_length' is at most {MAX_LENGTH} bytes"),
            (given.wait > MAX_WAIT, "wait", f"'wait' is at most {MAX_WAIT} seconds"),
            (given.anonymous and bool(given.users), "anonymous", "'anonymous' is for an input without 'users'"),
            (given.plain and bool(given.certificate), "certificate", "a certificate is for TLS, without 'plain'"),
        ):
            if wrong:
                raise InputError(key, text)
        try:
            require_kind(given.endpoint)
        except ValueError as error:
            raise InputError("endpoint", str(error)) from error
        self._sink = sink
        self._open_door = open_door
        self._posts = Posts(given, sink, users)
        self._make = PostMaker(self._posts)
        self._cancel: Callable[[], None] | None = None

    # Life

    async def start(self) -> None:
        """Listen. Raises `InputError` if strangers could send, and what opening raises."""
        given = self.settings
        self._posts.begin()
        self._tidy()
        hosts = tuple(given.hosts)
        door = await self._open_door(DoorSettings(given.endpoint, self._find, hosts, given.plain, given.certificate))
        self._posts.local = door.local
        if not door.local:
            if given.users and given.plain:
                raise InputError("plain", f"{given.endpoint} is reached by other machines: {_OVERHEARD}")
            if not given.users and not given.anonymous:
                raise InputError("endpoint", f"{given.endpoint} is reached by other machines: {_FOR_ALL}")

    def stop(self) -> None:
        """Forget no more keys; the endpoint is closed by who has opened it."""
        cancel, self._cancel = self._cancel, None
        if cancel is not None:
            cancel()

    def _tidy(self) -> None:
        self._posts.forget_old_keys()
        self._cancel = self._sink.later(min(self.settings.keep_keys, LONGEST_TIDY), self._tidy)

    def _find(self, method: str, path: str) -> tuple[Maker, dict[str, str]]:
        """Return what makes the handler of a request. Raises `RestError`."""
        anonymous = self._make.anonymous
        if unquote(path) != self.settings.path:
            raise RestError(NOT_FOUND, f"there is nothing at {path[:200]}", anonymous=anonymous)
        if method != _METHOD:
            text = f"{method} is not for {path[:200]}"
            raise RestError(METHOD_NOT_ALLOWED, text, headers={"Allow": _METHOD}, anonymous=anonymous)
        return self._make, {}
