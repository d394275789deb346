"""XA calls of client programs."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.queue_manager.calls import xa_requests
from mqbridge.bridge.queue_manager.calls.outcomes import XaReturned
from mqbridge.bridge.queue_manager.calls.xa_requests import XaVerb
from mqbridge.bridge.queue_manager.turns import Steps
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import SegmentType, XAReturn
from mqbridge.protocol.mqi import Xa
from mqbridge.protocol.structures.xid import make_xid

_NAMED: Final = 100
"""Cost of one branch name, in units of turns."""
_VERBS: Final = {
    SegmentType.XA_OPEN: XaVerb.OPEN,
    SegmentType.XA_CLOSE: XaVerb.CLOSE,
    SegmentType.XA_START: XaVerb.START,
    SegmentType.XA_END: XaVerb.END,
    SegmentType.XA_PREPARE: XaVerb.PREPARE,
    SegmentType.XA_COMMIT: XaVerb.COMMIT,
    SegmentType.XA_ROLLBACK: XaVerb.ROLLBACK,
    SegmentType.XA_FORGET: XaVerb.FORGET,
}


def call(program: Hconn, call: Xa, now: Time) -> None:
    """Any XA call."""
    if call.type == SegmentType.XA_RECOVER:
        program.ask(call, xa_requests.Recover(program.next_tag(), call.count, call.flags), _recovered, now)
        return
    verb = _VERBS.get(SegmentType(call.type))
    if verb is None:
        program.connected()
        _returned(program, call, XaReturned(XAReturn.INVAL), now)
        return
    xid = None if call.xid is None else call.xid.key
    program.ask(call, xa_requests.Xa(program.next_tag(), verb, xid, call.flags), _returned, now)


def _returned(program: Hconn, call: Xa, outcome: XaReturned, _now: Time) -> None:
    program.machine.replies.xa(call, outcome.value)


def _recovered(program: Hconn, call: Xa, outcome: XaReturned, now: Time) -> None:
    program.shared.host.manager.turns.begin(_named(program, call, outcome), now)


def _named(program: Hconn, call: Xa, outcome: XaReturned) -> Steps:
    """Answer with the names of branches."""
    yield 0
    xids = []
    for format_id, gtrid, bqual in outcome.xids:
        xids.append(make_xid(call.order, format_id, gtrid, bqual))
        yield _NAMED
    if not program.gone:
        program.machine.replies.xa(call, outcome.value, xids)
        program.shared.connection.wake()
