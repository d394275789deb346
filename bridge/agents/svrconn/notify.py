"""SPI NOTIFY: a client ends the waits of one of its own conversations."""

from __future__ import annotations

from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.protocol.mqi import Notify


def notify(program: Hconn, call: Notify, now: float) -> None:
    """Ends the gets that a program of the same socket waits in, with the reason given; of others nothing is said or
    changed.

    What its asynchronous consumers have asked for stays in force: a client that closes one of them says NOTIFY too, and
    takes a reason that it is sent for a message (protocol.inferred.REQUESTS_OF_GETS).
    """
    program.connected()
    for other in program.shared.programs.values():
        session = other.session
        if session is not None and other.joined and session.id == call.connection_id:
            other.end_gets(call.reason, now)
    program.reply(call)
