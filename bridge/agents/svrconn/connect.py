"""MQCONN of client programs: authentication, and the user a program runs as (channels.md 15)."""

from __future__ import annotations

from functools import partial
from typing import Final

from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.queue_manager import Application, MQError
from mqbridge.bridge.queue_manager.calls.outcomes import failed
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.bridge.security import Credentials
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCSP, MQRC
from mqbridge.protocol.mqi import Connect
from mqbridge.protocol.text import decode_text

_CONNECTION_TAG: Final = b"MQCT"


def credentials_of(program: Hconn) -> Credentials | None:
    """User and password of a conversation: from its CONAUTH_INFO, else from the connection's USERID_DATA (compatibility
    mode, client-observed.md O-024, O-040); None without password."""
    given = program.credentials
    if given is not None and given.auth_type != MQCSP.AUTH_NONE and (given.user or given.password):
        password = decode_text(given.password, given.ccsid, errors="replace")
        return Credentials(given.user.rstrip(" \0"), password, protected=given.protected)
    identified = program.identified
    if identified is not None and identified.password:
        return Credentials(identified.user, identified.password)
    return None


def connect(program: Hconn, call: Connect, now: Time) -> None:
    """MQCONN, MQCONNX: answered after authentication, while other conversations continue."""
    shared = program.shared
    if program.broken:
        raise MQError(MQRC.CONNECTION_BROKEN)
    if program.joined:
        raise MQError(MQRC.ALREADY_CONNECTED)
    if not shared.entered:
        raise MQError(MQRC.MAX_CONNS_LIMIT_REACHED, shared.channel)
    if shared.stopping:
        ending = shared.host.stopping
        raise MQError(MQRC.Q_MGR_QUIESCING if ending else MQRC.CHANNEL_NOT_AVAILABLE, shared.channel)
    identified = program.identified
    shared.admission.connect(
        "" if identified is None else identified.user,
        credentials_of(program),
        call.application,
        now,
        partial(_decided, program, call),
    )


def _decided(program: Hconn, call: Connect, reason: int, user: str, now: Time) -> None:
    if program.gone:
        return
    try:
        if reason:
            raise MQError(reason)
        _begin(program, call, user, now)
    except MQError as error:
        program.fail(call, failed(error))


def _begin(program: Hconn, call: Connect, user: str, now: Time) -> None:
    """The program is authenticated as ``user``. Raises `MQError`."""
    shared, record = program.shared, call.connection
    application = Application(
        user=user,
        appl_type=record.appl_type,
        appl_name=call.application,
        accounting_token=record.accounting_token,
        channel=shared.channel,
        connection=shared.connection.peer,
    )
    options = ConnectOptions(record.x_options, call.queue_manager, application, program, checked=True)
    session = program.session = Session(shared.host.manager, options, now)
    program.joined = True
    identity = shared.host.manager.objects.manager.text("QMID") + application.appl_name
    tag = _CONNECTION_TAG + session.id[-8:].hex().upper().encode() + identity.encode("ascii", "replace")
    session.tag = call.tag or tag
    program.machine.replies.connect(call, connection_id=session.id, tag=session.tag)
