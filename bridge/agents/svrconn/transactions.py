"""XA calls of a client: what a transaction manager says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.xa import Xid, XidError
from mqbridge.protocol.constants import SegmentType, XAReturn
from mqbridge.protocol.mqi import Xa
from mqbridge.protocol.structures.xid import make_xid

if TYPE_CHECKING:
    from mqbridge.bridge.agents.svrconn.hconn import Hconn
    from mqbridge.bridge.queue_manager.turns import Steps

_NAMED: Final = 100
"""Units of work for the name of a branch."""


def call(program: Hconn, call: Xa, now: float) -> None:
    """Any XA call."""
    machine, resource = program.end.machine, program.connected().xa

    def told(value: int) -> None:
        machine.replies.xa(call, value)
        program.end.answered()

    if call.type == SegmentType.XA_OPEN:
        told(resource.open())
    elif call.type == SegmentType.XA_CLOSE:
        told(resource.close())
    elif call.type == SegmentType.XA_RECOVER:
        program.end.manager.turns.begin(_recovered(program, call, *resource.recover(call.count, call.flags)), now)
    else:
        _of_branch(program, call, now, told)


def _recovered(program: Hconn, call: Xa, value: int, names: Sequence[Xid]) -> Steps:
    """Answers with the names of branches."""
    yield 0
    xids = []
    for each in names:
        xids.append(make_xid(call.order, each.format_id, each.gtrid, each.bqual))
        yield _NAMED
    if not program.gone:
        program.end.machine.replies.xa(call, value, xids)
        program.end.answered()


def _of_branch(program: Hconn, call: Xa, now: float, told: Callable[[int], None]) -> None:
    resource = program.connected().xa
    if call.xid is None:
        told(int(XAReturn.INVAL))
        return
    try:
        xid = Xid(*call.xid.key)
    except XidError:
        told(int(XAReturn.INVAL))
        return
    match call.type:
        case SegmentType.XA_START:
            told(resource.start(xid, call.flags, now))
        case SegmentType.XA_END:
            told(resource.end(xid, call.flags))
        case SegmentType.XA_PREPARE:
            resource.prepare(xid, call.flags, now, told)
        case SegmentType.XA_COMMIT:
            resource.commit(xid, call.flags, now, told)
        case SegmentType.XA_ROLLBACK:
            resource.rollback(xid, call.flags, now, told)
        case SegmentType.XA_FORGET:
            resource.forget(xid, call.flags, told)
        case _:
            told(int(XAReturn.INVAL))
