"""Which authorities the calls of the message queue interface need (mqi.md 1, 2, 5; SET AUTHREC).

An object is checked under the name that the program gave: an alias, not the queue behind it. Setting context,
another user's authority and the direct use of a transmission queue are asked of the queue manager as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mqbridge.protocol.constants import MQCO, MQOO, MQPMO

from .authorities import SELF, Authorities, Denial

_INPUTS: Final = int(MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE | MQOO.SAVE_ALL_CONTEXT)
_NEEDED: Final = (
    (_INPUTS, "GET"),
    (int(MQOO.BROWSE), "BROWSE"),
    (int(MQOO.OUTPUT), "PUT"),
    (int(MQOO.INQUIRE), "INQ"),
    (int(MQOO.SET), "SET"),
    (int(MQOO.PASS_IDENTITY_CONTEXT), "PASSID"),
    (int(MQOO.PASS_ALL_CONTEXT), "PASSALL"),
    (int(MQOO.SET_IDENTITY_CONTEXT), "SETID"),
    (int(MQOO.SET_ALL_CONTEXT), "SETALL"),
)
"""MQOO bits → the authority for the object."""
_OF_QUEUE_MANAGER: Final = frozenset({"SETID", "SETALL"})
"""Authorities for an object that are needed for the queue manager too."""
POLICY_QUEUE: Final = "SYSTEM.PROTECTION.POLICY.QUEUE"
"""IBM's clients look here for policies of message protection before they put, and give up where they may not
(client-observed.md O-016). There are none with us, and everybody may see that."""
_CONTEXTS: Final = (
    (MQPMO.PASS_IDENTITY_CONTEXT, MQOO.PASS_IDENTITY_CONTEXT),
    (MQPMO.PASS_ALL_CONTEXT, MQOO.PASS_ALL_CONTEXT),
    (MQPMO.SET_IDENTITY_CONTEXT, MQOO.SET_IDENTITY_CONTEXT),
    (MQPMO.SET_ALL_CONTEXT, MQOO.SET_ALL_CONTEXT),
    (MQPMO.ALTERNATE_USER_AUTHORITY, MQOO.ALTERNATE_USER_AUTHORITY),
)


@dataclass(frozen=True, slots=True)
class Opened:
    """What MQOPEN or MQPUT1 names.

    ``name``: the first definition that the name leads to and that is no queue manager alias: the queue, alias or
    remote queue of that name, a model queue, a process or namelist; for a queue at another queue manager
    (``queue_manager``) the transmission queue. ``transmission``: it is a transmission queue, opened under its own name.
    """

    name: str
    object_type: str = "QUEUE"
    queue_manager: str = ""
    transmission: bool = False


def needed_for_open(options: int) -> frozenset[str]:
    """The authorities that MQOO bits ask for."""
    return frozenset(authority for bits, authority in _NEEDED if options & bits)


def options_of_put1(options: int) -> int:
    """The MQOO bits that stand for the MQPMO bits of an MQPUT1."""
    return int(MQOO.OUTPUT) | sum(int(bit) for asked, bit in _CONTEXTS if options & asked)


def check_connect(authorities: Authorities, user: str) -> Denial | None:
    """MQCONN."""
    return authorities.missing(user, "QMGR", SELF, ("CONNECT",))


def check_open(
    authorities: Authorities, user: str, opened: Opened, options: int, alternate_user: str = ""
) -> Denial | None:
    """MQOPEN of anything but a topic, with MQOO bits.

    With ALTERNATE_USER_AUTHORITY the object is checked for ``alternate_user``, and the queue manager for ``user``.
    """
    if opened.object_type == "QMGR":
        opened = Opened(SELF, "QMGR")
    needed = set(needed_for_open(options))
    if opened.name == POLICY_QUEUE:
        needed.discard("BROWSE")
    if opened.transmission and options & MQOO.OUTPUT:
        needed.add("SETID")
    of_queue_manager = needed & _OF_QUEUE_MANAGER
    whose = user
    if options & MQOO.ALTERNATE_USER_AUTHORITY:
        of_queue_manager = of_queue_manager | {"ALTUSR"}
        whose = alternate_user
    denial = authorities.missing(user, "QMGR", SELF, of_queue_manager) if of_queue_manager else None
    return denial or _check_object(authorities, whose, opened, needed)


def _check_object(authorities: Authorities, user: str, opened: Opened, needed: set[str]) -> Denial | None:
    if opened.queue_manager and "PUT" in needed:
        by_name = authorities.missing(user, "RQMNAME", opened.queue_manager, ("PUT",))
        if by_name is None:
            needed = needed - {"PUT"}
        elif authorities.withheld(user, "RQMNAME", opened.queue_manager):
            return by_name
    return authorities.missing(user, opened.object_type, opened.name, needed) if needed else None


def check_topic(
    authorities: Authorities, user: str, path: Sequence[str], authority: str, options: int = 0, alternate_user: str = ""
) -> Denial | None:
    """Publishing to or subscribing at a topic: ``authority`` PUB, SUB or RESUME, and the context bits of MQOO.

    ``path``: the topic objects from the nearest to the topic up to the root (SYSTEM.BASE.TOPIC).
    """
    contexts = needed_for_open(options) & {"PASSID", "PASSALL", "SETID", "SETALL"}
    of_queue_manager = contexts & _OF_QUEUE_MANAGER
    whose = user
    if options & MQOO.ALTERNATE_USER_AUTHORITY:
        of_queue_manager, whose = of_queue_manager | {"ALTUSR"}, alternate_user
    if of_queue_manager and (denial := authorities.missing(user, "QMGR", SELF, of_queue_manager)) is not None:
        return denial
    for each in (authority, *sorted(contexts)):
        if (denial := authorities.missing_on_path(whose, path, each)) is not None:
            return denial
    return None


def check_close(authorities: Authorities, user: str, queue: str, options: int) -> Denial | None:
    """MQCLOSE with MQCO bits of a permanent dynamic queue by a handle that did not make it."""
    if not options & (MQCO.DELETE | MQCO.DELETE_PURGE):
        return None
    return authorities.missing(user, "QUEUE", queue, ("DLT",))
