"""Authorities required by MQI calls (mqi.md 1, 2, 5; SET AUTHREC).

An object is checked under the name that the program used: an alias, not its target queue. Setting context, alternate
user authority and direct use of a transmission queue also require authority for the queue manager.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mqbridge.protocol.constants import MQCO, MQOO, MQPMO

from .authorities import SELF, Authorities, Denial

_INPUTS: Final = int(MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE | MQOO.SAVE_ALL_CONTEXT)
_OUTPUT: Final = int(MQOO.OUTPUT)
_NEEDED: Final = (
    (_INPUTS, "GET"),
    (int(MQOO.BROWSE), "BROWSE"),
    (_OUTPUT, "PUT"),
    (int(MQOO.INQUIRE), "INQ"),
    (int(MQOO.SET), "SET"),
    (int(MQOO.PASS_IDENTITY_CONTEXT), "PASSID"),
    (int(MQOO.PASS_ALL_CONTEXT), "PASSALL"),
    (int(MQOO.SET_IDENTITY_CONTEXT), "SETID"),
    (int(MQOO.SET_ALL_CONTEXT), "SETALL"),
)
"""MQOO bits, and the authority for the object that they require."""
_OF_QUEUE_MANAGER: Final = frozenset({"SETID", "SETALL"})
"""Authorities for an object that are also required for the queue manager."""
POLICY_QUEUE: Final = "SYSTEM.PROTECTION.POLICY.QUEUE"
"""Queue in which IBM's clients look for message protection policies before they put; they fail if they may not
(client-observed.md O-016). We have no policies, and everybody may see that."""
_CONTEXTS: Final = (
    (int(MQPMO.PASS_IDENTITY_CONTEXT), int(MQOO.PASS_IDENTITY_CONTEXT)),
    (int(MQPMO.PASS_ALL_CONTEXT), int(MQOO.PASS_ALL_CONTEXT)),
    (int(MQPMO.SET_IDENTITY_CONTEXT), int(MQOO.SET_IDENTITY_CONTEXT)),
    (int(MQPMO.SET_ALL_CONTEXT), int(MQOO.SET_ALL_CONTEXT)),
    (int(MQPMO.ALTERNATE_USER_AUTHORITY), int(MQOO.ALTERNATE_USER_AUTHORITY)),
)


@dataclass(frozen=True, slots=True)
class OpenedObject:
    """The object that MQOPEN or MQPUT1 names.

    ``name``: the first definition that the name resolves to, other than a queue manager alias: queue, alias, remote
    queue, model queue, process or namelist; for a queue at another queue manager (``queue_manager``) the transmission
    queue. ``transmission``: a transmission queue opened under its own name.
    """

    name: str
    object_type: str = "QUEUE"
    queue_manager: str = ""
    transmission: bool = False


def needed_for_open(options: int) -> frozenset[str]:
    """Return the authorities that MQOO bits require."""
    return frozenset(authority for bits, authority in _NEEDED if options & bits)


def options_of_put1(options: int) -> int:
    """Return the MQOO bits equivalent to the MQPMO bits of an MQPUT1."""
    return _OUTPUT | sum(bit for asked, bit in _CONTEXTS if options & asked)


def check_connect(authorities: Authorities, user: str) -> Denial | None:
    """Check MQCONN."""
    return authorities.missing(user, "QMGR", SELF, ("CONNECT",))


def check_open(
    authorities: Authorities, user: str, opened: OpenedObject, options: int, alternate_user: str = ""
) -> Denial | None:
    """Check MQOPEN, with MQOO bits, of anything but a topic.

    With ALTERNATE_USER_AUTHORITY the object is checked for ``alternate_user``, and the queue manager for ``user``.
    """
    if opened.object_type == "QMGR":
        opened = OpenedObject(SELF, "QMGR")
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


def _check_object(authorities: Authorities, user: str, opened: OpenedObject, needed: set[str]) -> Denial | None:
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
    """Check publishing or subscribing to a topic: ``authority`` PUB, SUB or RESUME, and the context bits of MQOO.

    ``path``: the topic objects from the one nearest to the topic up to the root (SYSTEM.BASE.TOPIC).
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
    """Check MQCLOSE, with MQCO bits, of a permanent dynamic queue through a handle that did not create it."""
    if not options & (MQCO.DELETE | MQCO.DELETE_PURGE):
        return None
    return authorities.missing(user, "QUEUE", queue, ("DLT",))
