"""Authorities required by administration commands, by verb and kind of object (channels.md 17.2; SET AUTHREC)."""

from __future__ import annotations

from typing import Final

from .authorities import SELF, Authorities, Denial

CLASS: Final = "@class"
"""Profile of the authority to create objects of a type."""

_OBJECT_TYPES: Final = {
    "QUEUE": "QUEUE",
    "QLOCAL": "QUEUE",
    "QALIAS": "QUEUE",
    "QREMOTE": "QUEUE",
    "QMODEL": "QUEUE",
    "QSTATUS": "QUEUE",
    "CHANNEL": "CHANNEL",
    "CHSTATUS": "CHANNEL",
    "TOPIC": "TOPIC",
    "TPSTATUS": "TOPIC",
    "PROCESS": "PROCESS",
    "NAMELIST": "NAMELIST",
    "LISTENER": "LISTENER",
    "LSSTATUS": "LISTENER",
    "SERVICE": "SERVICE",
    "SVSTATUS": "SERVICE",
    "AUTHINFO": "AUTHINFO",
    "COMMINFO": "COMMINFO",
}
"""OBJTYPE by the noun of a command; every other noun belongs to the queue manager."""
_VERBS: Final = {
    "ALTER": "CHG",
    "DELETE": "DLT",
    "DISPLAY": "DSP",
    "CLEAR": "CLR",
    "START": "CTRL",
    "STOP": "CTRL",
    "PING": "CTRL",
    "RESET": "CTRLX",
    "RESOLVE": "CTRLX",
}
_OF_QUEUE_MANAGER: Final = {
    "DISPLAY": "DSP",
    "PING": "DSP",
    "START": "CTRL",
    "STOP": "CTRL",
}
"""Verbs that require an authority for the queue manager other than CHG."""
_CHANGES: Final = frozenset((("STOP", "CONN"),))
"""Commands that require CHG although their verb normally does not."""


def needed_for_command(verb: str, noun: str, name: str, *, replace: bool = False) -> list[tuple[str, str, str]]:
    """Return (OBJTYPE, profile, authority) of everything that a command requires.

    ``replace``: the object exists and DEFINE replaces it. A noun that is not an object type belongs to the queue
    manager.
    """
    object_type = _OBJECT_TYPES.get(noun)
    if object_type is None:
        needed = "CHG" if (verb, noun) in _CHANGES else _OF_QUEUE_MANAGER.get(verb, "CHG")
        return [("QMGR", SELF, needed)]
    if verb == "DEFINE":
        making = [(object_type, CLASS, "CRT")]
        return [*making, (object_type, name, "CHG")] if replace else making
    return [(object_type, name, _VERBS.get(verb, "CHG"))]


def check_command(
    authorities: Authorities, user: str, verb: str, noun: str, name: str = "", *, replace: bool = False, like: str = ""
) -> Denial | None:
    """Check a user's command for one object; ``like``: the object named by LIKE.

    DISPLAY with a generic name is checked for each matching object; denied ones are omitted.
    """
    for object_type, profile, authority in needed_for_command(verb, noun, name, replace=replace):
        denial = authorities.missing(user, object_type, profile, (authority,))
        if denial is not None:
            return denial
    if like:
        return authorities.missing(user, _OBJECT_TYPES.get(noun, "QMGR"), like, ("DSP",))
    return None
