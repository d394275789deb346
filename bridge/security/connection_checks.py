"""Connection authentication: whether a client must send user and password (channels.md 15).

The queue manager's CONNAUTH names an AUTHINFO object, whose CHCKCLNT is NONE, OPTIONAL, REQDADM, REQUIRED, or ASQMGR:
NONE while every listener is on a loopback address, else REQUIRED. The CHCKCLNT of a CHLAUTH record can only make it
stricter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .records import SecurityRecord

STRICTNESS: Final = ("NONE", "OPTIONAL", "REQDADM", "REQUIRED")
"""Values of CHCKCLNT, from the most lenient to the strictest."""
SUPPORTED: Final = "IDPWOS"
"""The AUTHTYPE that uses our file of users."""


@dataclass(frozen=True, slots=True)
class ConnectionCheck:
    """The current connection authentication settings.

    ``word``: one of `STRICTNESS`. ``fail_delay``: seconds until a refusal is sent. ``adopts``: the authenticated user
    becomes the user of the connection. ``problem``: why nobody can be authenticated, blank if there is none.
    ``source``: the AUTHINFO object.
    """

    word: str = "NONE"
    fail_delay: int = 0
    adopts: bool = False
    problem: str = ""
    source: str = ""


def connection_check(name: str, authentication: SecurityRecord | None, *, exposed: bool) -> ConnectionCheck:
    """Return the settings of ``authentication``, the object that CONNAUTH(``name``) names; blank: no checks.

    ``exposed``: a listener is on an address that is not a loopback address.
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
    """Return the stricter of two values of CHCKCLNT; ASQMGR counts as NONE."""
    return max(first, second, key=lambda word: STRICTNESS.index(word) if word in STRICTNESS else 0)
