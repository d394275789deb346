"""Report messages (channels.md 9)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from mqbridge.protocol.constants import MQFB, MQFMT, MQMT, MQRO

from .body import Body, read_slice
from .message import Message
from .moment import put_date_and_time

SOME_DATA: Final = 100
"""Bytes of the original in a report WITH_DATA."""


class ReportKind(IntEnum):
    """A kind of report; the value is the option bit that requests it without data."""

    EXCEPTION = MQRO.EXCEPTION
    EXPIRATION = MQRO.EXPIRATION
    COA = MQRO.COA
    COD = MQRO.COD

    def asked(self, report: int) -> bool:
        """Return whether the Report options request this kind."""
        return report & self.value != 0

    def data_of(self, report: int, body: Body) -> Body | None:
        """Return the part of the original's data for the report: all, the first 100 bytes, or None."""
        if report & (self.value << 2):
            return body
        if report & (self.value << 1):
            return read_slice(body, 0, SOME_DATA)
        return None


FEEDBACK: Final = {ReportKind.EXPIRATION: MQFB.EXPIRATION, ReportKind.COA: MQFB.COA, ReportKind.COD: MQFB.COD}
"""Feedback by kind; an exception report has the reason instead."""

ANY_REPORT: Final = int(
    MQRO.EXCEPTION_WITH_FULL_DATA
    | MQRO.EXPIRATION_WITH_FULL_DATA
    | MQRO.COA_WITH_FULL_DATA
    | MQRO.COD_WITH_FULL_DATA
    | MQRO.PAN
    | MQRO.NAN
    | MQRO.ACTIVITY
)
"""Report options that require a reply queue."""
_DISCARD_TOO: Final = int(MQRO.PASS_DISCARD_AND_EXPIRY | MQRO.DISCARD_MSG)
_UNLIMITED: Final = -1


def report_message(
    original: Message,
    kind: ReportKind,
    feedback: int,
    *,
    queue_manager: str,
    msg_id: bytes,
    now: float,
    put_appl_type: int,
    put_appl_name: str,
    remaining_expiry: int | None = None,
) -> Message:
    """Build the report on a message, with the descriptor of channels.md 9.3.

    ``msg_id``: a new id, used unless the original requests its own. ``remaining_expiry``: remaining tenths of a second
    of the original, by default those in its descriptor. The report is for ReplyToQ and ReplyToQMgr of the original,
    which it does not contain itself.
    """
    source = original.md
    wanted = source.report
    data = kind.data_of(wanted, original.body)
    report = original.copy(b"" if data is None else data)
    md = report.md
    date, clock = put_date_and_time(now)
    passes = wanted & MQRO.PASS_DISCARD_AND_EXPIRY
    remaining = source.expiry if remaining_expiry is None else remaining_expiry
    md.set(
        report=MQRO.DISCARD_MSG if wanted & _DISCARD_TOO == _DISCARD_TOO else MQRO.NONE,
        msg_type=MQMT.REPORT,
        expiry=remaining if passes else _UNLIMITED,
        feedback=int(feedback),
        correl_id=source.correl_id if wanted & MQRO.PASS_CORREL_ID else source.msg_id,
        msg_id=source.msg_id if wanted & MQRO.PASS_MSG_ID else msg_id,
        backout_count=0,
        reply_to_q="",
        reply_to_q_mgr=queue_manager,
        put_appl_type=int(put_appl_type),
        put_appl_name=put_appl_name,
        put_date=date,
        put_time=clock,
        appl_origin_data="",
    )
    if data is None:
        md.set(format=MQFMT.NONE, encoding=report.order.encoding, coded_char_set_id=report.ccsid)
    if md.version == 2:
        md.original_length = len(original)
    return report
