"""``…/login``: POST logs a user in with a cookie, GET tells who asks and with which role, DELETE logs out."""

from __future__ import annotations

import json
from typing import Any, Final

from .authentication import Authentication, wrong_password
from .errors import NOT_FOUND, UNSUPPORTED_TYPE, RestError, bad_request
from .handlers import Handler, SmallBodyHandler

MAX_LOGIN: Final = 8 << 10
"""Maximum bytes of the body of a login."""


class LogIn(SmallBodyHandler):
    """The handler that checks ``{"username", "password"}``: 204 and the cookie, or 401.

    As with IBM, no CSRF token is required. A page of another origin cannot send a body of this media type.
    """

    changes = False
    anonymous = True
    longest = MAX_LOGIN

    def begin(self) -> None:
        """Refuse what is no JSON."""
        _authentication(self)
        if self.exchange.media_type != "application/json":
            raise RestError(UNSUPPORTED_TYPE, "Content-Type must be application/json", message_id="MQWB0306E")

    async def run(self) -> None:
        """See the class."""
        authentication = _authentication(self)
        name, password = self._credentials()
        check = authentication.check(name, password, self.exchange.presented().address)
        self.exchange.on_left = check.leave
        if not await check.result:
            raise wrong_password()
        self.exchange.answer(204, headers={"Set-Cookie": authentication.log_in(name)})

    def _credentials(self) -> tuple[str, str]:
        try:
            document = json.loads(self.body)
        except (ValueError, RecursionError):  # its text may quote the password
            raise bad_request("the body is no JSON") from None
        name, password = (
            (document.get(key) for key in ("username", "password")) if isinstance(document, dict) else (None, None)
        )
        if not isinstance(name, str) or not isinstance(password, str):
            raise bad_request('"username" and "password" must be texts')
        return name, password


class LogOut(Handler):
    """The handler that ends the login of the cookie: 204."""

    any_role = True

    async def run(self) -> None:
        """See the class."""
        cookie = _authentication(self).log_out(self.exchange.presented().token)
        self.exchange.answer(204, headers={"Set-Cookie": cookie})


class WhoAsks(Handler):
    """The handler that returns the user and its role; in version 1 also how it was authenticated."""

    changes = False

    async def run(self) -> None:
        """See the class."""
        user = self.exchange.user
        shown: dict[str, Any] = {"name": user.name, "role": [user.role.value]}
        if self.exchange.version == 1:
            shown = {"authenticationMechanism": user.mechanism.value, **shown}
        self.exchange.answer_json(200, {"user": [shown]})


def _authentication(handler: Handler) -> Authentication:
    """The users of the endpoint. Raises `RestError` 404 if it has none."""
    found = handler.context.authentication
    if found is None:
        raise RestError(NOT_FOUND, "nobody logs in here: who can open the socket may do everything")
    return found
