"""Records of CHLAUTH, AUTHREC and AUTHINFO written in one line, for tests of what security makes of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mqbridge.bridge.security import Cost, SecurityDefinitions, User, Users, hash_password

CHEAP = Cost(2, 1, 1)
"""Hashes that cost nothing, for tests that are about something else."""
ANYBODY = {"alice": "wonderland", "bob": "builder"}


@dataclass(slots=True)
class Row:
    """A definition."""

    name: str
    attributes: dict[str, Any]

    def text(self, keyword: str) -> str:
        return str(self.attributes.get(keyword, ""))

    def texts(self, keyword: str) -> tuple[str, ...]:
        return tuple(self.attributes.get(keyword, ()))

    def integer(self, keyword: str) -> int:
        return int(self.attributes.get(keyword, 0))


@dataclass(slots=True)
class Rows:
    """All definitions of a queue manager that security asks for; change them, then tell security."""

    channel_rules: list[Row] = field(default_factory=list)
    authorities: list[Row] = field(default_factory=list)
    queue_manager: Row = field(default_factory=lambda: Row("EARTH", {"CHLAUTH": "ENABLED", "CONNAUTH": "A"}))
    authentications: dict[str, Row] = field(default_factory=dict)

    def definitions(self) -> SecurityDefinitions:
        return SecurityDefinitions(
            channel_rules=lambda: self.channel_rules,
            authorities=lambda: self.authorities,
            queue_manager=lambda: self.queue_manager,
            authentication=self.authentications.get,
        )


def rule(profile: str, kind: str, **attributes: Any) -> Row:
    """A CHLAUTH record: ``rule("A.*", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS")``."""
    if kind.startswith("BLOCK"):
        return Row(profile, {"TYPE": kind, **attributes})
    source = "MAP" if "MCAUSER" in attributes else "CHANNEL"
    return Row(profile, {"TYPE": kind, "USERSRC": source, "CHCKCLNT": "ASQMGR", **attributes})


def authority(profile: str, kind: str, whose: str, *words: str) -> Row:
    """An AUTHREC record; ``whose`` is a principal, or a group with ``@`` before it."""
    entity = ("GROUP", whose[1:]) if whose.startswith("@") else ("PRINCIPAL", whose)
    return Row(profile, {"OBJTYPE": kind, "ENTTYPE": entity[0], "ENTITY": entity[1], "AUTHLIST": words})


def authentication(check: str, **attributes: Any) -> Row:
    """An AUTHINFO object."""
    return Row("A", {"AUTHTYPE": "IDPWOS", "CHCKCLNT": check, "FAILDLAY": 1, "ADOPTCTX": "YES", **attributes})


def people(groups: dict[str, tuple[str, ...]] | None = None, **passwords: str) -> Users:
    """Users with cheap hashes; ``groups`` by user."""
    users = Users()
    for name, password in (passwords or ANYBODY).items():
        salt = name.encode().ljust(16, b".")
        users = users.added(User(name, hash_password(password, salt, CHEAP), (groups or {}).get(name, ())))
    return users
