"""Puts by the queue manager on behalf of users, with their authority (docs/security.md, "Whose authority").

All messages that are not put directly by a program, channel or operator go through here: reports, returned messages,
dead letters, trigger messages, events, publications, replies of the command server, delayed messages that are due. Each
is put for a user, who needs the authority for it, or for the queue manager itself (`OWN`). A ready-made message is
never put on a transmission queue, since its header would be taken for one of the queue manager.
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
from mqbridge.mappings.moment import Time

from .placing import place

OWN: Final = ""
"""The queue manager's own authority, for puts that follow from definitions by operators."""


def require_put(core: Core, user: str, target: Target, names: tuple[str, str], *, ready_made: bool = False) -> None:
    """Raise `MQError` 2035 if a message may not be put for a user to the target of two names.

    ``ready_made``: the message has a transmission header of the user, who needs the authority for that.
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
    now: Time,
    *,
    authority: str | None = None,
    uncounted: int = 0,
) -> None:
    """Put a message for a user to the target of two names (queue and queue manager). Raises `MQError`.

    ``authority``: the user recorded with the message, if another one. ``uncounted``: as of `place`.
    """
    target = resolve(core, *names)
    require_put(core, user, target, names)
    place(core, target, message, user if authority is None else authority, work, now, uncounted)


def put_own(
    core: Core, queue: LocalQueue, message: Message, authority: str, work: UnitOfWork, now: Time, uncounted: int = 0
) -> None:
    """Put a message on a reserved queue of the queue manager; authority is checked when it is forwarded from there.

    ``authority``: the user with whose authority it was put. Raises `MQError`.
    """
    place(core, target_of(core, queue), message, authority, work, now, uncounted)


def authority_of(row: bytes, message: Message) -> str:
    """The user with whose authority the message of a row was put.

    For a row without a user, from an earlier release, it is the one in the descriptor.
    """
    return named_authority(put_by(row), message)


def named_authority(user: str | None, message: Message) -> str:
    """As `authority_of`, given the user in the row, None if it has none."""
    return message.md.user_identifier or EVERYBODY_ELSE if user is None else user
