"""The matrix of MQGMO options, cell by cell, as the notes print it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from queue_manager_host import Host

from bridge.queue_manager import MQError
from bridge.queue_manager.get_options import check_get_options
from protocol.constants import MQGMO, MQOO, MQRC

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


def reason_of(options: int) -> int:
    try:
        check_get_options(options)
    except MQError as error:
        return error.reason
    return 0


def test_the_matrix_is_symmetric() -> None:
    assert list(ROWS) == NAMES
    assert all(CELLS[one, other] == CELLS[other, one] for one, other in CELLS)


@pytest.mark.spec("mqi.md 7.2")
@pytest.mark.spec("mqi.md 21.1")
@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(NAMES, 2)))
def test_every_cell(one: str, other: str) -> None:
    pair = {one, other}
    options = int(OPTIONS[one] | OPTIONS[other])
    if CELLS[one, other] or pair & NEVER:
        assert reason_of(options) == MQRC.OPTIONS_ERROR
        return
    if pair & NEEDS_A_BROWSE_OPTION and not pair & {"BF", "BN", "BUC"}:
        assert reason_of(options) == MQRC.OPTIONS_ERROR
        # With a browse option the pair is in order unless that does not go with one of them.
        fitting = [each for each in ("BF", "BN", "BUC") if not any(CELLS[each, member] for member in pair)]
        assert all(reason_of(options | OPTIONS[each]) == 0 for each in fitting)
        return
    assert reason_of(options) == 0


OPENED: dict[str, int] = {
    "browse": MQOO.BROWSE,
    "input": MQOO.INPUT_SHARED,
    "both": MQOO.BROWSE | MQOO.INPUT_SHARED,
    "co-op": MQOO.BROWSE | MQOO.INPUT_SHARED | MQOO.CO_OP,
    "output": MQOO.OUTPUT,
}
BF = MQGMO.BROWSE_FIRST


@pytest.mark.spec("mqi.md 7.3")
@pytest.mark.parametrize(
    ("opened", "options", "more", "reason"),
    [
        ("input", BF, {}, MQRC.NOT_OPEN_FOR_BROWSE),
        ("output", BF, {}, MQRC.NOT_OPEN_FOR_BROWSE),
        ("browse", 0, {}, MQRC.NOT_OPEN_FOR_INPUT),
        ("browse", MQGMO.MSG_UNDER_CURSOR, {}, MQRC.NOT_OPEN_FOR_INPUT),
        ("input", MQGMO.MSG_UNDER_CURSOR, {}, MQRC.NOT_OPEN_FOR_BROWSE),
        ("browse", BF | MQGMO.LOCK, {}, 0),
        ("both", MQGMO.LOCK, {}, MQRC.OPTIONS_ERROR),
        ("both", MQGMO.MARK_BROWSE_HANDLE, {}, MQRC.OPTIONS_ERROR),
        ("both", BF | MQGMO.MARK_BROWSE_HANDLE, {}, 0),
        ("co-op", MQGMO.MARK_BROWSE_CO_OP, {}, MQRC.OPTIONS_ERROR),
        ("both", BF | MQGMO.MARK_BROWSE_CO_OP, {}, MQRC.OPTIONS_ERROR),
        ("co-op", BF | MQGMO.MARK_BROWSE_CO_OP, {}, 0),
        ("both", BF | MQGMO.UNMARK_BROWSE_CO_OP, {}, MQRC.OPTIONS_ERROR),
        ("co-op", MQGMO.UNMARK_BROWSE_CO_OP, {}, MQRC.OPTIONS_ERROR),
        ("co-op", BF | MQGMO.UNMARK_BROWSE_CO_OP, {}, 0),
        ("both", MQGMO.UNMARK_BROWSE_HANDLE, {}, MQRC.OPTIONS_ERROR),
        ("both", MQGMO.MARK_SKIP_BACKOUT, {}, MQRC.OPTIONS_ERROR),
        ("both", MQGMO.SET_SIGNAL, {}, MQRC.OPTIONS_ERROR),
        ("both", MQGMO.UNLOCK, {}, MQRC.OPTIONS_ERROR),
        ("both", MQGMO.LOGICAL_ORDER, {"gmo_version": 1}, MQRC.WRONG_GMO_VERSION),
        ("both", MQGMO.LOGICAL_ORDER, {"md_version": 1}, MQRC.WRONG_MD_VERSION),
        ("both", MQGMO.LOGICAL_ORDER, {}, 0),
        ("both", MQGMO.COMPLETE_MSG, {"match": 0x10}, MQRC.MATCH_OPTIONS_ERROR),
        ("both", MQGMO.NO_PROPERTIES | MQGMO.PROPERTIES_COMPATIBILITY, {}, MQRC.OPTIONS_ERROR),
    ],
)
def test_what_options_require(host: Host, opened: str, options: int, more: dict[str, Any], reason: int) -> None:
    host.put(host.local("Q"))
    handle = host.open("Q", OPENED[opened])
    if not reason:
        assert host.read(handle, options, **more) is not None
        return
    with pytest.raises(MQError) as caught:
        host.read(handle, options, **more)
    assert caught.value.reason == reason
    assert host.depth("Q") == 1
