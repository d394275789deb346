"""Who makes a request: a user with a password, with a client certificate, or logged in.

Of several credentials the first counts, in this order: Authorization (Basic), the cookie of a login, the certificate of
the connection. One that is wrong is not made good by another.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.security import TOKEN_LENGTH, Mechanism, Users, WebLogins, WebRoles, WebUser
from mqbridge.bridge.security.tls import PeerCertificate

from .errors import UNAUTHORIZED, RestError
from .password_checks import PasswordCheck

COOKIE: Final = "LtpaToken2"
"""Name of the cookie of a login, IBM's."""
CHALLENGE: Final = {"WWW-Authenticate": 'Basic realm="mqbridge", charset="UTF-8"'}
_BASIC: Final = "basic"


@dataclass(frozen=True, slots=True)
class Presented:
    """What a request and its connection say about who makes it. ``authorization``: all headers of this name; ``token``:
    the cookie of a login; ``certificate``: whose chain has been checked."""

    address: str
    authorization: Sequence[str] = field(default=(), repr=False)
    token: str | None = field(default=None, repr=False)
    certificate: PeerCertificate | None = None


class Authentication:
    """The users of one endpoint. ``secure``: it is reached by TLS alone."""

    def __init__(self, driver: Driver, roles: WebRoles, logins: WebLogins, *, secure: bool) -> None:
        self.secure = secure
        self._driver = driver
        self._roles = roles
        self._logins = logins

    def identify(self, presented: Presented) -> WebUser | tuple[str, PasswordCheck]:
        """Return who makes a request; or the user that it names, and the check of its password, after which `user` says
        who that is. Raises `RestError` 401."""
        users = self._users()
        if presented.authorization:
            name, password = _basic(presented.authorization)
            return name, self.check(name, password, presented.address)
        if presented.token is not None:
            user = self._logins.find(presented.token, users, self._driver.now())
            if user is None:
                raise RestError(
                    UNAUTHORIZED,
                    f"The '{COOKIE}' authentication token cookie failed verification.",
                    message_id="MQWB0112E",
                    action="log in again",
                    headers=CHALLENGE,
                )
            return self.user(user, Mechanism.LOGIN)
        certificate = presented.certificate
        if certificate is None:
            raise not_authenticated()
        name = _common_name(certificate)
        if users.find(name) is None:
            self._driver.log("AMQ5091", (str(certificate.subject), presented.address))
            raise not_authenticated()
        return self.user(name, Mechanism.CERTIFICATE)

    def check(self, name: str, password: str, address: str) -> PasswordCheck:
        """Begin the check of a password."""
        self._users()
        return PasswordCheck(self._driver, name, password, address)

    def user(self, name: str, mechanism: Mechanism) -> WebUser:
        """Return an authenticated user with its current role."""
        return WebUser(name, self._roles.role_of(name, self._driver.gateway.manager.security.users), mechanism)

    def log_in(self, name: str) -> str:
        """Begin a login of a user whose password was right; return the value of Set-Cookie. Raises `RestError` 401 if
        the user was removed meanwhile."""
        users = self._users()
        if users.find(name) is None:
            raise wrong_password()
        token = secrets.token_urlsafe(TOKEN_LENGTH)
        self._logins.open(name, token, users, self._driver.now())
        return self._cookie(token)

    def log_out(self, token: str | None) -> str:
        """End the login with a token, if any; return the value of Set-Cookie that makes a browser forget it."""
        if token is not None:
            self._logins.close(token)
        return f"{self._cookie('')}; Max-Age=0"

    def _cookie(self, token: str) -> str:
        return f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict" + ("; Secure" if self.secure else "")

    def _users(self) -> Users:
        """Return the users as the file has them now."""
        security = self._driver.gateway.manager.security
        for amq, inserts in security.refresh_users():
            self._driver.log(amq, inserts)
        return security.users


def not_authenticated() -> RestError:
    """The error for a request without credentials, or with a certificate that names no user."""
    return RestError(
        UNAUTHORIZED,
        "The REST API request is not authenticated.",
        message_id="MQWB0104E",
        action="send user and password, the cookie of a login, or use a certificate whose CN is a user",
        headers=CHALLENGE,
    )


def wrong_password() -> RestError:
    """The error for a wrong user or password, the same for both."""
    return RestError(
        UNAUTHORIZED,
        "HTTP basic authentication failed.",
        message_id="MQWB0105E",
        action="send a user of the queue manager and its password",
        headers=CHALLENGE,
    )


def _basic(values: Sequence[str]) -> tuple[str, str]:
    """Decode user and password of an Authorization header. Raises `RestError` 401."""
    scheme, _, encoded = values[0].partition(" ")
    if len(values) > 1 or scheme.lower() != _BASIC:
        raise not_authenticated()
    try:
        name, colon, password = base64.b64decode(encoded.strip(), validate=True).decode("utf-8").partition(":")
    except (binascii.Error, ValueError):
        raise wrong_password() from None
    if not colon:
        raise wrong_password()
    return name, password


def _common_name(certificate: PeerCertificate) -> str:
    """The common name of a certificate, the lowest if there are several; blank if there is none."""
    names = [value for kind, value in certificate.subject.attributes if kind == "CN"]
    return names[-1] if names else ""
