"""Requests that the queue manager's own agents make on behalf of other users."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.queue_manager.connections.connection import Connection
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.options import PutOptions
from mqbridge.bridge.queue_manager.putting.put import put_with_authority
from mqbridge.bridge.queue_manager.putting.undelivered_messages import dispose
from mqbridge.bridge.queue_manager.queues.rows import put_by
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQPMO, MQRC

from .agent_requests import DisposeUndelivered, InquirePutAuthority
from .outcomes import Disposed, Placed, PutAuthority
from .requests import PutOne

_SYNCPOINT: Final = int(MQPMO.SYNCPOINT)
_ALTERNATE_USER: Final = int(MQPMO.ALTERNATE_USER_AUTHORITY)


def whose(connection: Connection, request: InquirePutAuthority, _now: Time) -> PutAuthority:
    """Return the user with whose authority a message was put that was got under syncpoint. Raises `MQError` 2331."""
    queue_number, position = int.from_bytes(request.token[:8], "big"), request.token[8:]
    for queue, row in reversed(connection.unit.gets if connection.unit is not None else ()):
        if queue.number == queue_number and row.startswith(position):
            return PutAuthority(put_by(row))
    raise MQError(MQRC.MSG_TOKEN_ERROR)


def put_for(connection: Connection, request: PutOne, now: Time) -> Placed:
    """Make an MQPUT1 under syncpoint for another user, who must be authorized to put. Raises `MQError`."""
    connection.enter(0)
    bits = request.options & ~_ALTERNATE_USER
    options = PutOptions(bits, connection.application, delay=request.delay, authority=request.alternate_user)
    message = Message(request.descriptor, request.body, order=request.order, ccsid=request.ccsid)
    names = request.object_name, request.object_q_mgr_name
    warning = put_with_authority(connection.core, names, message, options, connection.syncpoint(now), now)
    return Placed(message.raw_md, None, warning)


def undeliverable(connection: Connection, request: DisposeUndelivered, now: Time) -> Disposed:
    """Dispose of a message that cannot be delivered, under syncpoint. Raises `MQError` with the original reason."""
    connection.enter(0)
    message = Message(request.descriptor, request.body, order=request.order, ccsid=request.ccsid)
    disposal = dispose(
        connection.core,
        message,
        request.object_name,
        request.object_q_mgr_name,
        request.reason,
        PutOptions(_SYNCPOINT, connection.application, authority=request.user),
        connection.syncpoint(now),
        now,
        use_dead_letter_queue=request.use_dead_letter_queue,
        fast=request.fast,
        dead_letter_queue=request.dead_letter_queue,
    )
    return Disposed(disposal)
