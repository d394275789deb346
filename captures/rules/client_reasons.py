"""Rules for the outcome of client calls: reason codes worth a finding (C-510 to C-519, C-611).

2033 (no message) and deliberately truncated messages are normal.
"""

from __future__ import annotations

from typing import Final

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.captures.rules.client_calls import named_call
from mqbridge.protocol.constants import MQRC, XAReturn, reason_name
from mqbridge.protocol.observer.client import CallAnswered
from mqbridge.protocol.observer.connection import Observer

_WARNING: Final = 1
_FAILED: Final = 2
_SPEC: Final = "mqi.md 20"

_EVERYDAY: Final = frozenset((MQRC.NO_MSG_AVAILABLE, MQRC.TRUNCATED_MSG_FAILED, MQRC.TRUNCATED_MSG_ACCEPTED))
_OF_PROGRAMS: Final = frozenset(
    (
        MQRC.BUFFER_ERROR, MQRC.BUFFER_LENGTH_ERROR, MQRC.DATA_LENGTH_ERROR, MQRC.HANDLE_NOT_AVAILABLE,
        MQRC.HCONN_ERROR, MQRC.HOBJ_ERROR, MQRC.MD_ERROR, MQRC.MISSING_REPLY_TO_Q, MQRC.MSG_TYPE_ERROR,
        MQRC.NOT_OPEN_FOR_BROWSE, MQRC.NOT_OPEN_FOR_INPUT, MQRC.NOT_OPEN_FOR_INQUIRE, MQRC.NOT_OPEN_FOR_OUTPUT,
        MQRC.NOT_OPEN_FOR_SET, MQRC.OBJECT_TYPE_ERROR, MQRC.OD_ERROR, MQRC.OPTION_NOT_VALID_FOR_TYPE,
        MQRC.OPTIONS_ERROR, MQRC.PERSISTENCE_ERROR, MQRC.PRIORITY_ERROR, MQRC.REPORT_OPTIONS_ERROR,
        MQRC.SELECTOR_COUNT_ERROR, MQRC.SELECTOR_ERROR, MQRC.SELECTOR_NOT_FOR_TYPE, MQRC.EXPIRY_ERROR,
        MQRC.FEEDBACK_ERROR, MQRC.PMO_ERROR, MQRC.GMO_ERROR, MQRC.MATCH_OPTIONS_ERROR, MQRC.NO_MSG_UNDER_CURSOR,
        MQRC.CALL_IN_PROGRESS, MQRC.ALREADY_CONNECTED, MQRC.SYNCPOINT_NOT_AVAILABLE, MQRC.HEADER_ERROR,
        MQRC.MSG_TOO_BIG_FOR_Q, MQRC.MSG_TOO_BIG_FOR_Q_MGR, MQRC.MSG_TOO_BIG_FOR_CHANNEL,
    )
)  # fmt: skip
_OF_QUEUE_MANAGERS: Final = frozenset(
    (
        MQRC.BACKED_OUT, MQRC.CONNECTION_BROKEN, MQRC.OBJECT_DAMAGED, MQRC.RESOURCE_PROBLEM, MQRC.STORAGE_NOT_AVAILABLE,
        MQRC.UNEXPECTED_ERROR, MQRC.OUTCOME_MIXED, MQRC.OUTCOME_PENDING, MQRC.Q_MGR_NOT_AVAILABLE,
        MQRC.Q_FULL, MQRC.Q_SPACE_NOT_AVAILABLE, MQRC.STORAGE_MEDIUM_FULL, MQRC.PAGESET_ERROR,
        MQRC.UNIT_OF_WORK_NOT_STARTED, MQRC.MAX_CONNS_LIMIT_REACHED, MQRC.SYNCPOINT_LIMIT_REACHED,
        MQRC.PUT_INHIBITED, MQRC.GET_INHIBITED, MQRC.CLUSTER_PUT_INHIBITED, MQRC.CLUSTER_RESOURCE_ERROR,
        MQRC.NO_DESTINATIONS_AVAILABLE, MQRC.SECURITY_ERROR, MQRC.FILE_SYSTEM_ERROR, MQRC.PARTICIPANT_NOT_AVAILABLE,
        MQRC.CF_STRUC_FAILED, MQRC.DB2_NOT_AVAILABLE,
    )
)  # fmt: skip
_POLICY_QUEUE: Final = "SYSTEM.PROTECTION.POLICY.QUEUE"


def _call_and_reason(seen: CallAnswered) -> str:
    return f"{named_call(seen.name, seen.object_name)}: {seen.reason} {reason_name(seen.reason)}"


def _is_mqi(seen: CallAnswered, comp_code: int) -> bool:
    """Whether an MQI call ended with a completion code, and not in a normal way."""
    if seen.comp_code != comp_code or seen.reason in _EVERYDAY or seen.name.startswith("XA_"):
        return False
    if seen.name == "MQCONN" or seen.reason == MQRC.NOT_AUTHORIZED:
        return False  # C-355, C-611
    return seen.object_name != _POLICY_QUEUE  # a queue manager without policies has none (client-observed.md O-016)


@rule("C-510", Severity.INFO, "Call failed", spec=_SPEC)
def failed(seen: CallAnswered, connection: Observer) -> Deviation | None:
    """The reason is neither an error of the program nor a problem of the queue manager.

    expected: MQCC_OK; seen: MQOPEN of Q1: 2085 MQRC_UNKNOWN_OBJECT_NAME
    """
    if not _is_mqi(seen, _FAILED) or seen.reason in _OF_PROGRAMS or seen.reason in _OF_QUEUE_MANAGERS:
        return None
    return Deviation("MQCC_OK", _call_and_reason(seen))


@rule("C-511", Severity.WARNING, "Invalid call by the program", spec=_SPEC)
def program_fault(seen: CallAnswered, connection: Observer) -> Deviation | None:
    """Wrong parameters, handles or options, or a message that is too long.

    expected: a call that can be done; seen: MQGET of Q1: 2037 MQRC_NOT_OPEN_FOR_INPUT
    """
    if not _is_mqi(seen, _FAILED) or seen.reason not in _OF_PROGRAMS:
        return None
    return Deviation("a call that can be done", _call_and_reason(seen))


@rule("C-512", Severity.WARNING, "Call failed because of a queue manager problem", spec=_SPEC)
def queue_manager_trouble(seen: CallAnswered, connection: Observer) -> Deviation | None:
    """A full or inhibited queue, or a problem of storage, memory, the unit of work or the queue manager itself.

    expected: a queue manager that can do the call; seen: MQPUT of Q1: 2053 MQRC_Q_FULL
    """
    if not _is_mqi(seen, _FAILED) or seen.reason not in _OF_QUEUE_MANAGERS:
        return None
    return Deviation("a queue manager that can do the call", _call_and_reason(seen))


@rule("C-513", Severity.INFO, "Call ended with a warning", spec=_SPEC)
def warned(seen: CallAnswered, connection: Observer) -> Deviation | None:
    """Completed, but not entirely as requested.

    expected: MQCC_OK; seen: MQGET of Q1: 2119 MQRC_NOT_CONVERTED
    """
    return Deviation("MQCC_OK", _call_and_reason(seen)) if _is_mqi(seen, _WARNING) else None


@rule("C-514", Severity.WARNING, "XA call failed", spec="mq-wire.md 5.13")
def xa_failed(seen: CallAnswered, connection: Observer) -> Deviation | None:
    """The transaction manager gets the return value.

    expected: XA_OK; seen: XA_COMMIT: XAER_NOTA (-4)
    """
    if not seen.name.startswith("XA_") or seen.reason >= 0:
        return None
    return Deviation("XA_OK", f"{seen.name}: {XAReturn(seen.reason)} ({seen.reason})")


@rule("C-611", Severity.SECURITY, "Not authorized", spec="client-observed.md O-021")
def not_authorized(seen: CallAnswered, connection: Observer) -> Deviation | None:
    """MQCONN included: 2035 is what a program gets for a wrong password.

    expected: a user with the authority; seen: MQOPEN of Q1: 2035 MQRC_NOT_AUTHORIZED for user app
    """
    if seen.comp_code != _FAILED or seen.reason != MQRC.NOT_AUTHORIZED:
        return None
    user = connection.overview.user
    return Deviation("a user with the authority", f"{_call_and_reason(seen)} for user {user or 'unknown'}")
