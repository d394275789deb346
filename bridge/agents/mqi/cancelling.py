"""SPI NOTIFY: a client ends the waits of one of its own conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.mqi import Notify

if TYPE_CHECKING:
    from .program import Program


def notify(program: Program, call: Notify, _now: float) -> None:
    """Ends the waits of a program of the same socket with the reason given; of others nothing is said or changed."""
    program.connected()
    for other in program.end.programs:
        if other.connection is not None and other.connection.id == call.connection_id:
            other.connection.end_waits(call.reason)
            program.end.searches.end(other, call.reason)
    program.reply(call)
