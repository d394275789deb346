"""SPI NOTIFY: a client cancels waits of its own conversations."""

from __future__ import annotations

from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.mappings.moment import Time
from mqbridge.protocol.mqi import Notify


def notify(program: Hconn, call: Notify, now: Time) -> None:
    """End the waiting gets of a program on the same socket with the given reason; other programs are not affected.

    Requests of asynchronous consumers stay in force: a client that closes a consumer sends NOTIFY too, and takes a
    reason code sent to it for a message (protocol.inferred.REQUESTS_OF_GETS).
    """
    program.connected()
    for other in program.shared.programs.values():
        session = other.session
        if session is not None and other.joined and session.id == call.connection_id:
            other.end_gets(call.reason, now)
    program.reply(call)
