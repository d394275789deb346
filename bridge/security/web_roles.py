"""Roles of users at the REST interface, as IBM's mqweb server has them.

An administrator may do everything and needs no authority records. A reader may read everything, and change nothing. All
others act with their own authorities, which are checked as for PCF commands and for programs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from .users import ADMINISTRATORS, Users


class WebRole(Enum):
    """A role, with IBM's name for it."""

    ADMINISTRATOR = "MQWebAdmin"
    READER = "MQWebAdminRO"
    USER = "MQWebUser"


class Mechanism(Enum):
    """How a user was authenticated, with IBM's name for it."""

    NONE = "noSecurity"
    BASIC = "basic"
    LOGIN = "form"
    CERTIFICATE = "clientCertificate"


READING: Final = frozenset(("GET", "HEAD"))
"""Methods that change nothing."""
_DISPLAY: Final = "DISPLAY"


@dataclass(frozen=True, slots=True)
class WebUser:
    """Who makes a request. ``name``: blank if unknown, which only a socket for its owner allows."""

    name: str
    role: WebRole = WebRole.USER
    mechanism: Mechanism = Mechanism.NONE

    @property
    def checked(self) -> bool:
        """Whether authority records decide what the user may do."""
        return self.role is WebRole.USER


class WebRoles:
    """The groups that have a role. Members of none have the role `WebRole.USER`."""

    __slots__ = ("_administrators", "_readers")

    def __init__(self, administrators: Iterable[str] = (ADMINISTRATORS,), readers: Iterable[str] = ()) -> None:
        self._administrators = frozenset(administrators)
        self._readers = frozenset(readers)

    def role_of(self, name: str, users: Users) -> WebRole:
        """Return the highest role of a user. The user `mqm` counts as a member of the group of that name."""
        groups = {*users.groups_of(name), *((name,) if name == ADMINISTRATORS else ())}
        if groups & self._administrators:
            return WebRole.ADMINISTRATOR
        return WebRole.READER if groups & self._readers else WebRole.USER

    @staticmethod
    def missing(user: WebUser, method: str, verb: str = "", *, whole: bool = False) -> tuple[WebRole, ...]:
        """Return the roles that a request needs, if the user has none of them; else nothing.

        ``verb``: of the MQSC command that the request runs. ``whole``: it reads all definitions at once, for which no
        authority record stands.
        """
        allowed = [WebRole.ADMINISTRATOR]
        if verb == _DISPLAY if verb else method in READING:
            allowed.append(WebRole.READER)
        if not whole:
            allowed.append(WebRole.USER)
        return () if user.role in allowed else tuple(allowed)
