"""Connection authentication: whether a client must give user and password (channels.md 15).

The queue manager's CONNAUTH names an AUTHINFO object, whose CHCKCLNT is one of NONE, OPTIONAL, REQDADM, REQUIRED, or
ASQMGR: NONE while every listener is on a loopback address, else REQUIRED. The CHCKCLNT of a CHLAUTH record can only
make it stricter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .records import Record

STRICTNESS: Final = ("NONE", "OPTIONAL", "REQDADM", "REQUIRED")
"""Values of CHCKCLNT, the laxest first."""
SUPPORTED: Final = "IDPWOS"
"""AUTHTYPE whose users are those of our file."""


@dataclass(frozen=True, slots=True)
class ConnectionCheck:
    """What CONNAUTH says at present.

    ``word``: one of `STRICTNESS`. ``fail_delay``: seconds until a refusal is told. ``adopts``: whoever gave the right
    password is the user from then on. ``problem``: why nobody can be checked, blank if all is well. ``source``: the
    AUTHINFO object.
    """

    word: str = "NONE"
    fail_delay: int = 0
    adopts: bool = False
    problem: str = ""
    source: str = ""


def connection_check(name: str, authentication: Record | None, *, exposed: bool) -> ConnectionCheck:
    """What the object ``authentication`` that CONNAUTH(``name``) names says of clients; blank: nobody is checked.

    ``exposed``: a listener is on an address that is no loopback address.
    """
    if not name:
        return ConnectionCheck()
    if authentication is None:
        return ConnectionCheck("REQUIRED", problem=f"CONNAUTH names {name}, which does not exist", source=name)
    kind = authentication.text("AUTHTYPE")
    if kind != SUPPORTED:
        return ConnectionCheck("REQUIRED", problem=f"{name} has AUTHTYPE({kind}), not {SUPPORTED}", source=name)
    word = authentication.text("CHCKCLNT")
    if word == "ASQMGR":
        word = "REQUIRED" if exposed else "NONE"
    return ConnectionCheck(
        word, authentication.integer("FAILDLAY"), authentication.text("ADOPTCTX") == "YES", source=name
    )


def stricter(first: str, second: str) -> str:
    """The stricter of two values of CHCKCLNT; ASQMGR is as lax as NONE."""
    return max(first, second, key=lambda word: STRICTNESS.index(word) if word in STRICTNESS else 0)
