"""What the queue manager puts for somebody is put with that user's authority (docs/security.md, "Whose authority").

Every message that no program, channel or operator hands over to be put goes through here: reports, returned messages,
dead letters, trigger messages, events, publications, answers of the command server, delayed messages whose time has
come. Each is put for a user, who must be allowed to put there, or for the queue manager itself (`OWN`). For nobody is
a message put on a transmission queue as it is: its header would be taken for one that we have made.
"""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
from mqbridge.bridge.queue_manager.queues.rows import put_by
from mqbridge.bridge.queue_manager.resolution import resolve, target_of
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.bridge.security import EVERYBODY_ELSE, Denial
from mqbridge.mappings.message import Message

from .placing import place

OWN: Final = ""
"""The queue manager's own authority, which is for what it does by definitions of its operators."""


def require_put(core: Core, user: str, target: Target, names: tuple[str, str], *, ready_made: bool = False) -> None:
    """Raises `MQError` 2035 where the queue manager may not put a message for a user where two names lead.

    ``ready_made``: the user itself has given the message its transmission header, and needs the authority for that.
    """
    queue = target.queue
    if queue is not None and queue.reserved:
        core.permits.refuse(Denial(user or core.name, "QUEUE", queue.name, ("PUT",)))
    if target.ready_made and not ready_made:
        core.permits.refuse(Denial(user or core.name, "QUEUE", target.queue_name, ("PUT AS IT IS",)))
    if user != OWN:
        core.permits.require(user, target, *names)


def put_for(
    core: Core,
    user: str,
    names: tuple[str, str],
    message: Message,
    work: UnitOfWork,
    now: float,
    *,
    authority: str | None = None,
    uncounted: int = 0,
) -> None:
    """Puts a message for a user to where the names of a queue and a queue manager lead. Raises `MQError`.

    ``authority``: with whose authority the message then is said to be put, if not the user's. ``uncounted``: as of
    `place`.
    """
    target = resolve(core, *names)
    require_put(core, user, target, names)
    place(core, target, message, user if authority is None else authority, work, now, uncounted)


def put_own(
    core: Core, queue: LocalQueue, message: Message, authority: str, work: UnitOfWork, now: float, uncounted: int = 0
) -> None:
    """Puts a message on a queue where the queue manager alone keeps its own, to be asked about when it goes on from
    there. ``authority``: with whose authority it came. Raises `MQError`."""
    place(core, target_of(core, queue), message, authority, work, now, uncounted)


def authority_of(row: bytes, message: Message) -> str:
    """With whose authority the message of a row was put.

    A row without a user is that of an earlier release: who stands in the descriptor, for want of better.
    """
    return named_authority(put_by(row), message)


def named_authority(user: str | None, message: Message) -> str:
    """As `authority_of`, where the row is not at hand but who stands in it, None for nobody."""
    return message.md.user_identifier or EVERYBODY_ELSE if user is None else user
