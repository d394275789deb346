"""Valid combinations of MQGMO bits (mqi.md 7.2, 7.3)."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.protocol.constants import MQGMO, MQRC

from .property_options import require_no_handle

_PROPERTIES: Final = (
    MQGMO.PROPERTIES_FORCE_MQRFH2,
    MQGMO.NO_PROPERTIES,
    MQGMO.PROPERTIES_IN_HANDLE,
    MQGMO.PROPERTIES_COMPATIBILITY,
)
_SHORT: Final = {
    "WAIT": MQGMO.WAIT, "SIG": MQGMO.SET_SIGNAL, "SYNC": MQGMO.SYNCPOINT, "SIP": MQGMO.SYNCPOINT_IF_PERSISTENT,
    "NOSY": MQGMO.NO_SYNCPOINT, "SKIP": MQGMO.MARK_SKIP_BACKOUT, "BF": MQGMO.BROWSE_FIRST, "BN": MQGMO.BROWSE_NEXT,
    "BUC": MQGMO.BROWSE_MSG_UNDER_CURSOR, "MUC": MQGMO.MSG_UNDER_CURSOR, "LOCK": MQGMO.LOCK, "UNLK": MQGMO.UNLOCK,
    "LOGO": MQGMO.LOGICAL_ORDER, "CMPL": MQGMO.COMPLETE_MSG, "ALLM": MQGMO.ALL_MSGS_AVAILABLE,
    "ALLS": MQGMO.ALL_SEGMENTS_AVAILABLE, "MKH": MQGMO.MARK_BROWSE_HANDLE, "MKC": MQGMO.MARK_BROWSE_CO_OP,
    "UNMD": MQGMO.UNMARKED_BROWSE_MSG, "UMC": MQGMO.UNMARK_BROWSE_CO_OP, "UMH": MQGMO.UNMARK_BROWSE_HANDLE,
    "TRUN": MQGMO.ACCEPT_TRUNCATED_MSG, "CONV": MQGMO.CONVERT, "FIQ": MQGMO.FAIL_IF_QUIESCING,
    "PROP": reduce(or_, _PROPERTIES),
}  # fmt: skip
_MARKS: Final = "MKH MKC UNMD UMC UMH"
_CONFLICTS: Final = {
    "WAIT": "SIG",
    "SYNC": "SIP NOSY BF BN BUC LOCK",
    "SIP": "NOSY SKIP BF BN BUC LOCK CMPL",
    "NOSY": "SKIP",
    "SKIP": "BF BN BUC LOCK",
    "BF": "BN BUC MUC",
    "BN": "BUC MUC",
    "BUC": "MUC",
    "LOCK": _MARKS,
    "LOGO": _MARKS,
    "CMPL": _MARKS,
    "ALLM": _MARKS,
    "ALLS": _MARKS,
    "MKH": "UMH",
    "MKC": "UMC UMH",
    "UNMD": "UMC UMH",
    "UNLK": " ".join(name for name in _SHORT if name not in ("UNLK", "NOSY")),
}
"""Rows of the matrix of mqi.md 7.2; the relation is symmetric, and each pair is listed once."""
_PAIRS: Final = tuple(
    (int(_SHORT[one]), int(_SHORT[other])) for one, others in _CONFLICTS.items() for other in others.split()
)
_BROWSE: Final = int(MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT | MQGMO.BROWSE_MSG_UNDER_CURSOR)
_NEEDS_BROWSE: Final = int(
    MQGMO.LOCK
    | MQGMO.MARK_BROWSE_HANDLE
    | MQGMO.MARK_BROWSE_CO_OP
    | MQGMO.UNMARK_BROWSE_HANDLE
    | MQGMO.UNMARK_BROWSE_CO_OP
)
_checked: set[int] = set()
"""Cache of valid combinations of MQGMO bits; programs use few."""
_MAX_CHECKED: Final = 1000


HANDLE_OPTIONS: Final = int(
    MQGMO.MSG_UNDER_CURSOR
    | MQGMO.LOCK
    | MQGMO.UNLOCK
    | MQGMO.LOGICAL_ORDER
    | MQGMO.COMPLETE_MSG
    | MQGMO.ALL_MSGS_AVAILABLE
    | MQGMO.ALL_SEGMENTS_AVAILABLE
    | MQGMO.MARK_BROWSE_HANDLE
    | MQGMO.MARK_BROWSE_CO_OP
    | MQGMO.UNMARKED_BROWSE_MSG
    | MQGMO.UNMARK_BROWSE_CO_OP
    | MQGMO.UNMARK_BROWSE_HANDLE
)
"""Options that need a handle: they use or change its state."""


def require_no_handle_options(options: int) -> None:
    """Raise `MQError` 2046 for options that need a handle."""
    if options & HANDLE_OPTIONS:
        raise MQError(MQRC.OPTIONS_ERROR, f"{MQGMO(options & HANDLE_OPTIONS)} without a handle")


def check_get_options(options: int) -> None:
    """Raise `MQError` 2046 for MQGMO bits that exclude each other or require another one, 2460 for
    PROPERTIES_IN_HANDLE.

    SET_SIGNAL and MARK_SKIP_BACKOUT are offered on z/OS only (mqi.md 7.3, 7.4) and refused with 2046 too.
    """
    if options in _checked:
        return
    for one, other in _PAIRS:
        if options & one and options & other:
            raise MQError(MQRC.OPTIONS_ERROR, f"{MQGMO(one)} with {MQGMO(other)}")
    if sum(options & choice != 0 for choice in _PROPERTIES) > 1:
        raise MQError(MQRC.OPTIONS_ERROR, "more than one property option")
    if options & MQGMO.SET_SIGNAL:
        raise MQError(MQRC.OPTIONS_ERROR, "SET_SIGNAL")
    if options & MQGMO.MARK_SKIP_BACKOUT:
        raise MQError(MQRC.OPTIONS_ERROR, "MARK_SKIP_BACKOUT")
    if options & _NEEDS_BROWSE and not options & _BROWSE:
        raise MQError(MQRC.OPTIONS_ERROR, f"{MQGMO(options & _NEEDS_BROWSE)} without a browse option")
    require_no_handle(options)
    if len(_checked) < _MAX_CHECKED:
        _checked.add(options)
