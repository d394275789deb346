"""The matrix of MQGMO options as the notes print it (mqi.md 7.2)."""

from __future__ import annotations

from mqbridge.protocol.constants import MQGMO

OPTIONS = {
    "WAIT": MQGMO.WAIT, "SIG": MQGMO.SET_SIGNAL, "SYNC": MQGMO.SYNCPOINT, "SIP": MQGMO.SYNCPOINT_IF_PERSISTENT,
    "NOSY": MQGMO.NO_SYNCPOINT, "SKIP": MQGMO.MARK_SKIP_BACKOUT, "BF": MQGMO.BROWSE_FIRST, "BN": MQGMO.BROWSE_NEXT,
    "BUC": MQGMO.BROWSE_MSG_UNDER_CURSOR, "MUC": MQGMO.MSG_UNDER_CURSOR, "LOCK": MQGMO.LOCK, "UNLK": MQGMO.UNLOCK,
    "LOGO": MQGMO.LOGICAL_ORDER, "CMPL": MQGMO.COMPLETE_MSG, "ALLM": MQGMO.ALL_MSGS_AVAILABLE,
    "ALLS": MQGMO.ALL_SEGMENTS_AVAILABLE, "MKH": MQGMO.MARK_BROWSE_HANDLE, "MKC": MQGMO.MARK_BROWSE_CO_OP,
    "UNMD": MQGMO.UNMARKED_BROWSE_MSG, "UMC": MQGMO.UNMARK_BROWSE_CO_OP, "UMH": MQGMO.UNMARK_BROWSE_HANDLE,
    "TRUN": MQGMO.ACCEPT_TRUNCATED_MSG, "CONV": MQGMO.CONVERT, "FIQ": MQGMO.FAIL_IF_QUIESCING,
    "PROP": MQGMO.PROPERTIES_FORCE_MQRFH2,
}  # fmt: skip

# Columns in the order of the rows; X and k: not together.
MATRIX = """
WAIT| |X| | | | | | | | | |X| | | | | | | | | | | | | |
SIG |X| | | | | | | | | | |X| | | | | | | | | | | | | |
SYNC| | | |X|X| |X|X|X| |X|X| | | | | | | | | | | | | |
SIP | | |X| |X|X|X|X|X| |X|X| |X| | | | | | | | | | | |
NOSY| | |X|X| |X| | | | | | | | | | | | | | | | | | | |
SKIP| | | |X|X| |X|k|k| |X|X| | | | | | | | | | | | | |
BF  | | |X|X| |X| |X|X|X| |X| | | | | | | | | | | | | |
BN  | | |X|X| |k|X| |k|X| |X| | | | | | | | | | | | | |
BUC | | |X|X| |k|X|k| |X| |X| | | | | | | | | | | | | |
MUC | | | | | | |X|X|X| | |X| | | | | | | | | | | | | |
LOCK| | |X|X| |X| | | | | |X| | | | |X|X|X|X|X| | | | |
UNLK|X|X|X|X| |X|X|X|X|X|X| |X|X|X|X|X|X|X|X|X|X|X|X|X|
LOGO| | | | | | | | | | | |X| | | | |X|X|X|X|X| | | | |
CMPL| | | |X| | | | | | | |X| | | | |X|X|X|X|X| | | | |
ALLM| | | | | | | | | | | |X| | | | |X|X|X|X|X| | | | |
ALLS| | | | | | | | | | | |X| | | | |X|X|X|X|X| | | | |
MKH | | | | | | | | | | |X|X|X|X|X|X| | | | |X| | | | |
MKC | | | | | | | | | | |X|X|X|X|X|X| | | |X|X| | | | |
UNMD| | | | | | | | | | |X|X|X|X|X|X| | | |X|X| | | | |
UMC | | | | | | | | | | |X|X|X|X|X|X| |X|X| | | | | | |
UMH | | | | | | | | | | |X|X|X|X|X|X|X|X|X| | | | | | |
TRUN| | | | | | | | | | | |X| | | | | | | | | | | | | |
CONV| | | | | | | | | | | |X| | | | | | | | | | | | | |
FIQ | | | | | | | | | | | |X| | | | | | | | | | | | | |
PROP| | | | | | | | | | | |X| | | | | | | | | | | | | |
"""
ROWS = {row[:4].strip(): row[5:].split("|")[:25] for row in MATRIX.strip().splitlines()}
NAMES = list(OPTIONS)
CELLS = {(one, other): cell != " " for one, row in ROWS.items() for other, cell in zip(NAMES, row, strict=True)}
NEEDS_A_BROWSE_OPTION = {"LOCK", "MKH", "MKC", "UMC", "UMH"}
NEVER = {"SIG", "SKIP"}
"""Options of z/OS."""
